import { inSeconds } from './in-seconds.ts';
import type { Reaction, Rest } from './measurement.ts';

/** One promise of the project, what was measured, and whether it holds. */
export interface Verdict {
  readonly what: string;
  readonly target: string;
  readonly measured: string;
  readonly met: boolean;
}

/** One run: the bare loop and the operator, both measured in the same way. */
export interface Beside<Round> {
  readonly floor: Round;
  readonly operator: Round;
}

/** How much longer than the floor beside it the operator took; the median of the runs. */
export function ratio<Round>(
  what: string,
  rounds: readonly Beside<Round>[],
  msOf: (round: Round) => number,
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

/** A count that must be right in each run. */
export function exactly<Round>(
  what: string,
  wanted: number,
  rounds: readonly Round[],
  countOf: (round: Round) => number,
): Verdict {
  const counts = rounds.map(countOf);
  return verdict(
    what,
    `exactly ${wanted}`,
    list(counts),
    counts.every((count) => count === wanted),
  );
}

export function atMost<Round>(
  what: string,
  limit: number,
  rounds: readonly Round[],
  countOf: (round: Round) => number,
): Verdict {
  const counts = rounds.map(countOf);
  return verdict(
    what,
    `≤ ${limit}`,
    list(counts),
    counts.every((count) => count <= limit),
  );
}

/** The highest of all runs. */
export function memory(limitMb: number, rounds: readonly { readonly peakRss: number }[]): Verdict {
  const found = Math.max(...rounds.map(({ peakRss }) => peakRss)) / 1e6;
  return verdict('memory, peak', `< ${limitMb} MB`, `${found.toFixed(0)} MB`, found < limitMb);
}

/** Exactly so many children are written for each change, and soon. */
export function reaction(what: string, wanted: number, reactions: readonly Reaction[]): Verdict {
  const counts = reactions.map(({ childWrites }) => childWrites);
  const times = reactions.map(({ afterMs }) => afterMs);
  const found = median(times);
  const measured = `${list(counts)} after ${found} ms (${Math.min(...times)}–${Math.max(...times)})`;
  const met = counts.every((count) => count === wanted) && found <= 100;
  return verdict(what, `${wanted} within 100 ms`, measured, met);
}

export function silence({ seconds, writes }: Rest): Verdict {
  return verdict(`at rest for ${seconds} s: writes`, '0', String(writes), writes === 0);
}

export function verdict(what: string, target: string, measured: string, met: boolean): Verdict {
  return { what, target, measured, met };
}

function list(counts: readonly number[]): string {
  return [...new Set(counts)].join(', ');
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
