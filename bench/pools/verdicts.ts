import { atMost, exactly, list, median, ratio, verdict, type Verdict } from '../rollout/verdict.ts';
import type { Measurement, OperatorRound } from './measurement.ts';

/** Ratios and times are medians over the runs; counts must be right in each. */
export function verdictsOf(measurement: Measurement): readonly Verdict[] {
  const { pools, rounds, syncedAfterMs, poolJoins, poolLeaves, rest, joining } = measurement;
  const operators = rounds.map(({ operator }) => operator);
  const peakMb = Math.max(...operators.map(({ peakRss }) => peakRss)) / 1e6;
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
    verdict('memory, peak', '< 150 MB', `${peakMb.toFixed(0)} MB`, peakMb < 150),
    verdict(
      'caches synced after the start of the process',
      '≤ 2 s',
      `${(syncedAfterMs / 1000).toFixed(2)} s`,
      syncedAfterMs <= 2000,
    ),
    poolVerdict('one pool joins', poolJoins),
    poolVerdict('one pool leaves', poolLeaves),
    verdict(`at rest for ${rest.seconds} s: writes`, '0', String(rest.writes), rest.writes === 0),
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
  rounds: readonly OperatorRound[],
  msOf: (round: OperatorRound) => number,
): Verdict {
  const found = median(rounds.map(msOf));
  return verdict(what, `≤ ${limit} ms`, `${found.toFixed(2)} ms`, found <= limit);
}

function poolVerdict(what: string, changes: Measurement['poolJoins']): Verdict {
  const counts = changes.map(({ childWrites }) => childWrites);
  const times = changes.map(({ afterMs }) => afterMs);
  const found = median(times);
  const measured = `${list(counts)} after ${found} ms (${Math.min(...times)}–${Math.max(...times)})`;
  const met = counts.every((count) => count === 1) && found <= 100;
  return verdict(`${what}: writes of children`, '1 within 100 ms', measured, met);
}
