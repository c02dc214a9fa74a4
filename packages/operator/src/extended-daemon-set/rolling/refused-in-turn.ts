import type { Instant } from '@atoll/kube';
import { refusedRetryMs } from '../../engine/executor/answers/refusals.ts';
import { failuresThatEndAStage } from '../../engine/executor/slow-start.ts';
import { beginningAt, triedAgainAtMost } from '../../engine/rollout/deleted-in-turn.ts';
import type { RefusedNode } from './refused-nodes.ts';

/**
 * Of the nodes whose pod was refused as many as are tried again at a time, those first whose turn it is. No more than end their stage where all are
 * refused again: the last ones would never be sent.
 */
export function madeInTurn(unmade: readonly RefusedNode[], now: Instant): readonly RefusedNode[] {
  return inTurn(unmade, failuresThatEndAStage, now);
}

/** Of unwanted pods that may not be deleted as many as are asked for again at a time, those whose turn it is. */
export function deletedAgainInTurn<T>(undeleted: readonly T[], now: Instant): readonly T[] {
  return inTurn(undeleted, triedAgainAtMost, now);
}

function inTurn<T>(all: readonly T[], atOnce: number, now: Instant): readonly T[] {
  return turned(all, atOnce, now).slice(0, atOnce);
}

/** The turn passes with the interval of retries. */
function turned<T>(all: readonly T[], atOnce: number, now: Instant): readonly T[] {
  if (all.length <= atOnce) return all;
  return beginningAt(all, (Math.floor(now / refusedRetryMs) * atOnce) % all.length);
}

/**
 * The nodes whose pod stays because its successor was refused, those of the variants first whose turn it is. The turn passes with the interval of
 * retries, so that each variant is tried again, however many are refused.
 */
export function refusedInTurn(stay: readonly RefusedNode[], now: Instant): readonly RefusedNode[] {
  const byTrial = [...Map.groupBy(stay, ({ trial }) => trial).values()];
  return turned(byTrial, triedAgainAtMost, now).flat();
}
