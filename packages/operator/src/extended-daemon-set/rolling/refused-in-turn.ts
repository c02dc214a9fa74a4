import type { Instant } from '@atoll/kube';
import { refusedRetryMs } from '../../engine/executor/refusals.ts';
import type { RefusedNode } from './decide-rolling.ts';

/** So many variants that were refused are tried again at a time: they may stay refused for long. */
export const triedAgainAtMost = 20;

/**
 * The nodes whose pod stays because its successor was refused, those of the variants first whose turn it is. The turn passes with the interval of
 * retries, so that each variant is tried again, however many are refused.
 */
export function refusedInTurn(stay: readonly RefusedNode[], now: Instant): readonly RefusedNode[] {
  const byVariant = Map.groupBy(stay, ({ trial }) => trial);
  if (byVariant.size <= triedAgainAtMost) return stay;
  const groups = [...byVariant.values()];
  const first = (Math.floor(now / refusedRetryMs) * triedAgainAtMost) % groups.length;
  return [...groups.slice(first), ...groups.slice(0, first)].flat();
}
