import type { Measurement, OperatorRound, FloorRound } from './measurement.ts';

/** One promise of the project, what was measured, and whether it holds. */
export interface Verdict {
  readonly what: string;
  readonly target: string;
  readonly measured: string;
  readonly met: boolean;
}

/** Ratios and times are medians over the runs; counts must be right in each. */
export function verdictsOf(measurement: Measurement): readonly Verdict[] {
  const { pools, rounds, syncedAfterMs, poolJoins, poolLeaves, rest, joining } = measurement;
  const operators = rounds.map(({ operator }) => operator);
  const peakMb = Math.max(...operators.map(({ peakRss }) => peakRss)) / 1e6;
  const share = rest.cpuShare * 100;
  return [
    ratio('first rollout: until all children exist', measurement, ({ first }) => first.writtenMs, 1.25),
    ratio('first rollout: until all pods are Ready', measurement, ({ first }) => first.readyMs, 1.1),
    exactly('first rollout: creates', pools, operators, ({ first }) => first.written.creates),
    atMost('first rollout: status writes', 20, operators, ({ first }) => first.written.workloadStatus),
    cpu('first rollout: processor time per child', 2, operators, ({ first }) => first.cpuMs / pools),
    ratio('new image: until all children have it', measurement, ({ second }) => second.writtenMs, 1.25),
    ratio('new image: until all pods are Ready', measurement, ({ second }) => second.readyMs, 1.1),
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

function ratio(
  what: string,
  { rounds }: Measurement,
  msOf: (round: FloorRound | OperatorRound) => number,
  limit: number,
): Verdict {
  const [floor, operator] = [
    rounds.map(({ floor: one }) => msOf(one)),
    rounds.map(({ operator: one }) => msOf(one)),
  ];
  // The machine's other work changes from run to run: each run is compared with the floor beside it.
  const found = median(operator.map((ms, run) => ms / (floor[run] ?? Number.NaN)));
  const seconds = `${inSeconds(median(operator))} : ${inSeconds(median(floor))}`;
  return verdict(what, `≤ ${limit} × floor`, `${found.toFixed(2)} × (${seconds})`, found <= limit);
}

function exactly(
  what: string,
  wanted: number,
  rounds: readonly OperatorRound[],
  countOf: (round: OperatorRound) => number,
): Verdict {
  const counts = rounds.map(countOf);
  return verdict(
    what,
    `exactly ${wanted}`,
    list(counts),
    counts.every((count) => count === wanted),
  );
}

function atMost(
  what: string,
  limit: number,
  rounds: readonly OperatorRound[],
  countOf: (round: OperatorRound) => number,
): Verdict {
  const counts = rounds.map(countOf);
  return verdict(
    what,
    `≤ ${limit}`,
    list(counts),
    counts.every((count) => count <= limit),
  );
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

function verdict(what: string, target: string, measured: string, met: boolean): Verdict {
  return { what, target, measured, met };
}

function list(counts: readonly number[]): string {
  return [...new Set(counts)].join(', ');
}

function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = Number.NaN, high = Number.NaN] = [
    sorted[sorted.length % 2 === 0 ? middle - 1 : middle],
    sorted[middle],
  ];
  return (low + high) / 2;
}
