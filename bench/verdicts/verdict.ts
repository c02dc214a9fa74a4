import { inSeconds } from '../rollout/in-seconds.ts';
import type { Reaction, Rest, Rollout } from '../rollout/measurement.ts';
import { atNominalSpeed, type Span } from '../pace/pace.ts';

/** One promise of the project, what was measured, and whether it holds. */
export interface Verdict {
  readonly what: string;
  readonly target: string;
  readonly measured: string;
  readonly met: boolean;
}

/** One run: the bare loop and the operator, both measured in the same way. */
export interface Beside<Round> {
  readonly baseline: Round;
  readonly operator: Round;
}

/**
 * How much longer than the baseline beside it the operator took, both at the same speed of the machine; the median of the
 * runs. In brackets as measured.
 */
export function ratio<Round>(
  what: string,
  rounds: readonly Beside<Round>[],
  rolloutOf: (round: Round) => Rollout,
  until: 'childrenMs' | 'podsMs',
  limit: number,
): Verdict {
  // The machine's other work changes from run to run: each run is compared with the baseline beside it.
  const pairs = rounds.map(({ baseline, operator }) => [rolloutOf(operator), rolloutOf(baseline)] as const);
  const medianOf = (ratioOf: (operator: Rollout, baseline: Rollout) => number): number =>
    median(pairs.map((pair) => ratioOf(...pair)));
  const atOneSpeed = ({ bystandersMs, [until]: ms }: Rollout): number => ms / bystandersMs;
  const found = medianOf((operator, baseline) => atOneSpeed(operator) / atOneSpeed(baseline));
  const asSuch = medianOf((operator, baseline) => operator[until] / baseline[until]);
  const times = [medianOf((operator) => operator[until]), medianOf((_, baseline) => baseline[until])];
  const measured = `${found.toFixed(2)} × (${asSuch.toFixed(2)} ×, ${times.map(inSeconds).join(' : ')})`;
  return verdict(what, `≤ ${limit} × baseline`, measured, found <= limit);
}

/** A unit of time, and how many milliseconds it has. */
export interface Unit {
  readonly unit: string;
  readonly ofMs: number;
}

export const seconds: Unit = { unit: 's', ofMs: 1000 };

/** Something that the operator's process took, at nominal speed, the median of the runs; in brackets as it was measured. No limit: stated. */
export function taken(
  what: string,
  limit: number | undefined,
  { unit, ofMs }: Unit,
  spans: readonly Span[],
): Verdict {
  const found = median(spans.map(atNominalSpeed)) / ofMs;
  const asSuch = median(spans.map(({ ms }) => ms)) / ofMs;
  const measured = `${found.toFixed(2)} ${unit} (${asSuch.toFixed(2)} ${unit})`;
  return limit === undefined
    ? verdict(what, 'stated', measured, true)
    : verdict(what, `≤ ${limit} ${unit}`, measured, found <= limit);
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

/** Until the last of many changes was seen: the slowest object of the worst run. */
export function seen<Round>(what: string, rounds: readonly Round[], msOf: (round: Round) => number): Verdict {
  const found = Math.max(...rounds.map(msOf));
  return verdict(what, '≤ 5 s', inSeconds(found), found <= 5_000);
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
