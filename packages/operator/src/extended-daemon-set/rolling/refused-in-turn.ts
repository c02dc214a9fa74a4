import type { Instant } from '@atoll/kube';
import { refusedRetryMs } from '../../engine/executor/refusals.ts';
import type { RefusedNode } from './decide-rolling.ts';

/** So many variants that were refused are tried again at a time: they may stay refused for long. */
export const triedAgainAtMost = 20;

/** Of what was refused as many as are tried again at a time, those first whose turn it is. */
export function inTurn<T>(all: readonly T[], now: Instant): readonly T[] {
  return turned(all, now).slice(0, triedAgainAtMost);
}

/** The turn passes with the interval of retries. */
function turned<T>(all: readonly T[], now: Instant): readonly T[] {
  if (all.length <= triedAgainAtMost) return all;
  const first = (Math.floor(now / refusedRetryMs) * triedAgainAtMost) % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
}

/**
 * The nodes whose pod stays because its successor was refused, those of the variants first whose turn it is. The turn passes with the interval of
 * retries, so that each variant is tried again, however many are refused.
 */
export function refusedInTurn(stay: readonly RefusedNode[], now: Instant): readonly RefusedNode[] {
  return turned([...Map.groupBy(stay, ({ trial }) => trial).values()], now).flat();
}

/** The place of each pod whose deletion was refused among those that are deleted: one after the other is first, because there may be one place for all. */
export function deletedInTurn(nodes: readonly string[], now: Instant): ReadonlyMap<string, number> {
  const first = Math.floor(now / refusedRetryMs) % Math.max(1, nodes.length);
  const turn = [...nodes].sort();
  return new Map([...turn.slice(first), ...turn.slice(0, first)].map((node, index) => [node, index]));
}
