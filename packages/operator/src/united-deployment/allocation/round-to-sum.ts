import { compareTexts } from '@atoll/kube';
import type { Counted } from './even-out.ts';

/** A subset's exact share, in hundredths of a replica. */
export interface ExactShare extends Counted {
  readonly hundredths: number;
}

/**
 * Rounds shares so that they add up to `total`, by the largest remainder: each gets its whole replicas, and what is left
 * goes to those that were cut most. Among equals to the one that has the replica already, then to the last by name, so
 * that a second time moves nothing. The total is at least the sum of the whole parts and at most that of all rounded up.
 *
 * Of three shares or more one may lose a replica while the total grows, as the others' remainders outgrow its own; never
 * more than one.
 */
export function roundToSum(total: number, shares: readonly ExactShare[]): ReadonlyMap<string, number> {
  const whole = ({ hundredths }: ExactShare): number => Math.floor(hundredths / 100);
  const left = total - shares.reduce((sum, share) => sum + whole(share), 0);
  const ordered = shares.toSorted(
    (a, b) =>
      (b.hundredths % 100) - (a.hundredths % 100) ||
      Number(b.replicas > whole(b)) - Number(a.replicas > whole(a)) ||
      compareTexts(b.name, a.name),
  );
  return new Map(ordered.map((share, i) => [share.name, whole(share) + (i < left ? 1 : 0)]));
}
