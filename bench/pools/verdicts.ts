import {
  atMost,
  exactly,
  median,
  memory,
  ratio,
  reaction,
  silence,
  verdict,
  type Verdict,
} from '../rollout/verdict.ts';
import type { OperatorRound } from '../rollout/measurement.ts';
import type { Measurement } from './measurement.ts';

/** Ratios and times are medians over the runs; counts must be right in each. */
export function verdictsOf(measurement: Measurement): readonly Verdict[] {
  const { pools, rounds, syncedAfterMs, poolJoins, poolLeaves, rest, joining } = measurement;
  const operators = rounds.map(({ operator }) => operator);
  const share = rest.cpuShare * 100;
  return [
    ratio('first rollout: until all children exist', rounds, ({ first }) => first.writtenMs, 1.25),
    ratio('first rollout: until all pods are Ready', rounds, ({ first }) => first.readyMs, 1.1),
    exactly('first rollout: creates', pools, operators, ({ first }) => first.written.creates),
    atMost('first rollout: status writes', 20, operators, ({ first }) => first.written.workloadStatus),
    cpu('first rollout: processor time per child', 2, operators, ({ first }) => first.cpuMs / pools),
    ratio('new image: until all children have it', rounds, ({ second }) => second.writtenMs, 1.25),
    ratio('new image: until all pods are Ready', rounds, ({ second }) => second.readyMs, 1.1),
    exactly('new image: applies', pools, operators, ({ second }) => second.written.applies),
    atMost('new image: status writes', 20, operators, ({ second }) => second.written.workloadStatus),
    cpu('new image: processor time per child', 4, operators, ({ second }) => second.cpuMs / pools),
    memory(150, operators),
    verdict(
      'caches synced after the start of the process',
      '≤ 2 s',
      `${(syncedAfterMs / 1000).toFixed(2)} s`,
      syncedAfterMs <= 2000,
    ),
    reaction('one pool joins: writes of children', 1, poolJoins),
    reaction('one pool leaves: writes of children', 1, poolLeaves),
    silence(rest),
    verdict(
      `at rest for ${rest.seconds} s: processor`,
      '< 0.5 % of a core',
      `${share.toFixed(2)} %`,
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

function cpu(
  what: string,
  limit: number,
  rounds: readonly OperatorRound<unknown>[],
  msOf: (round: OperatorRound<unknown>) => number,
): Verdict {
  const found = median(rounds.map(msOf));
  return verdict(what, `≤ ${limit} ms`, `${found.toFixed(2)} ms`, found <= limit);
}
