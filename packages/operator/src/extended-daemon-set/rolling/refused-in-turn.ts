import type { Instant } from '@atoll/kube';
import { refusedRetryMs } from '../../engine/executor/answers/refusals.ts';
import { failuresThatEndAStage } from '../../engine/executor/slow-start.ts';
import type { RefusedNode } from './decide-rolling.ts';

/** So many variants that were refused are tried again at a time: they may stay refused for long. */
export const triedAgainAtMost = 20;

/**
 * Of the nodes whose pod was refused as many as are tried again at a time, those first whose turn it is. No more than end their stage where all are
 * refused again: the last ones would never be sent.
 */
export function madeInTurn(unmade: readonly RefusedNode[], now: Instant): readonly RefusedNode[] {
  return turned(unmade, failuresThatEndAStage, now).slice(0, failuresThatEndAStage);
}

/** The turn passes with the interval of retries. */
function turned<T>(all: readonly T[], atOnce: number, now: Instant): readonly T[] {
  if (all.length <= atOnce) return all;
  return beginningAt(all, (Math.floor(now / refusedRetryMs) * atOnce) % all.length);
}

function beginningAt<T>(all: readonly T[], first: number): readonly T[] {
  return [...all.slice(first), ...all.slice(0, first)];
}

/**
 * The nodes whose pod stays because its successor was refused, those of the variants first whose turn it is. The turn passes with the interval of
 * retries, so that each variant is tried again, however many are refused.
 */
export function refusedInTurn(stay: readonly RefusedNode[], now: Instant): readonly RefusedNode[] {
  const byTrial = [...Map.groupBy(stay, ({ trial }) => trial).values()];
  return turned(byTrial, triedAgainAtMost, now).flat();
}

/**
 * The place of each pod whose deletion was refused among those that are deleted. As many are passed with each turn as are tried at a time, and with each
 * round one more: where there is one place for all, each one is first in one of the rounds.
 */
export function deletedInTurn(nodes: readonly string[], now: Instant): ReadonlyMap<string, number> {
  const turns = Math.max(1, Math.ceil(nodes.length / triedAgainAtMost));
  const passed = Math.floor(now / refusedRetryMs);
  const first =
    ((passed % turns) * triedAgainAtMost + Math.floor(passed / turns)) % Math.max(1, nodes.length);
  return new Map(beginningAt([...nodes].sort(), first).map((node, index) => [node, index]));
}
