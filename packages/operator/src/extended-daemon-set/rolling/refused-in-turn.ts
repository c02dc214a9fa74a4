import type { Instant } from '@atoll/kube';
import { refusedRetryMs } from '../../engine/executor/refusals.ts';
import type { NodeTarget } from '../fleet/node-targets.ts';
import { variantOf } from '../overrides/pod-variant.ts';

/** So many variants that were refused are tried again at a time: they may stay refused for long. */
export const triedAgainAtMost = 20;

/**
 * The nodes whose pod stays because its successor was refused, those of the variants first whose turn it is. The turn passes with the interval of
 * retries, so that each variant is tried again, however many are refused.
 */
export function refusedInTurn(stay: readonly NodeTarget[], now: Instant): readonly NodeTarget[] {
  const byVariant = Map.groupBy(stay, ({ overrides }) => variantOf(overrides));
  if (byVariant.size <= triedAgainAtMost) return stay;
  const groups = [...byVariant.values()];
  const first = (Math.floor(now / refusedRetryMs) * triedAgainAtMost) % groups.length;
  return [...groups.slice(first), ...groups.slice(0, first)].flat();
}
