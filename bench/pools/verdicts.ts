import {
  atMost,
  exactly,
  memory,
  ratio,
  reaction,
  seconds,
  silence,
  taken,
  verdict,
  type Verdict,
} from '../verdicts/verdict.ts';
import { atNominalSpeed } from '../pace/pace.ts';
import type { Measurement } from './measurement.ts';

/** Ratios and times are medians over the runs; counts must be right in each. */
export function verdictsOf(measurement: Measurement): readonly Verdict[] {
  const { pools, rounds, syncedAfter, poolJoins, poolLeaves, rest, joining } = measurement;
  const operators = rounds.map(({ operator }) => operator);
  const shareOf = (ms: number): number => ms / 10 / rest.seconds;
  const share = shareOf(atNominalSpeed(rest.cpu));
  // That of all children: a millisecond for each.
  const perChild = { unit: 'ms', ofMs: pools };
  return [
    ratio('first rollout: until all children exist', rounds, ({ first }) => first, 'childrenMs', 1.25),
    ratio('first rollout: until all pods are Ready', rounds, ({ first }) => first, 'podsMs', 1.15),
    exactly('first rollout: creates', pools, operators, ({ first }) => first.written.creates),
    atMost('first rollout: status writes', 20, operators, ({ first }) => first.written.workloadStatus),
    taken(
      'first rollout: processor time per child',
      undefined,
      perChild,
      operators.map(({ first }) => first.cpu),
    ),
    ratio('new image: until all children have it', rounds, ({ second }) => second, 'childrenMs', 1.25),
    ratio('new image: until all pods are Ready', rounds, ({ second }) => second, 'podsMs', 1.15),
    exactly('new image: applies', pools, operators, ({ second }) => second.written.applies),
    atMost('new image: status writes', 20, operators, ({ second }) => second.written.workloadStatus),
    taken(
      'new image: processor time per child',
      undefined,
      perChild,
      operators.map(({ second }) => second.cpu),
    ),
    memory(200, operators),
    taken('caches synced after the start of the process', 2, seconds, [syncedAfter]),
    reaction('one pool joins: writes of children', 1, poolJoins),
    reaction('one pool leaves: writes of children', 1, poolLeaves),
    silence(rest),
    verdict(
      `at rest for ${rest.seconds} s: processor`,
      '< 0.5 % of a core',
      `${share.toFixed(2)} % (${shareOf(rest.cpu.ms).toFixed(2)} %)`,
      share < 0.5,
    ),
    verdict(
      `${joining.nodes} nodes join: writes of nodes`,
      String(joining.nodes),
      String(joining.nodeWrites),
      joining.nodeWrites === joining.nodes,
    ),
    verdict(
      `${joining.nodes} nodes join: status writes per pool and second`,
      '≤ 1',
      String(joining.mostStatusWritesPerPoolAndSecond),
      joining.mostStatusWritesPerPoolAndSecond <= 1,
    ),
  ];
}
