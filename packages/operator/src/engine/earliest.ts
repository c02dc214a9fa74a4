import type { Instant } from '@atoll/kube';

/** The earliest of some moments; undefined where there is none. */
export function earliest(moments: Iterable<Instant | undefined>): Instant | undefined {
  let first: Instant | undefined;
  for (const moment of moments) {
    if (moment !== undefined && (first === undefined || moment < first)) first = moment;
  }
  return first;
}

/** The earliest of those that are still to come: what is past needs no second look. */
export function earliestAfter(now: Instant, moments: Iterable<Instant | undefined>): Instant | undefined {
  return earliest([...moments].filter((moment) => moment !== undefined && moment > now));
}
