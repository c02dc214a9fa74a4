import type { Instant } from '@atoll/kube';
import { failuresThatEndAStage } from '../../../engine/executor/request-waves.ts';
import { beginningAt, triedAgainAtMost, turnAt } from '../../../engine/rollout/deleted-in-turn.ts';
import { variantOf } from '../../overrides/pod-variant.ts';
import { refusedInATurn, type RefusedNode, type RefusedSuccessors } from './refused-successors.ts';

/**
 * Of the nodes whose pod was refused as many as are tried again at a time, those first whose turn it is. No more than end their stage where all are
 * refused again: the last ones would never be sent. What is refused in this turn moves no others: it comes last. Others would be tried with each reconcile
 * that finds one more, before their retry is due.
 */
export function madeInTurn(unmade: readonly RefusedNode[], now: Instant): readonly RefusedNode[] {
  const isNew = isNewAt(now);
  const before = unmade.filter((each) => !isNew(each));
  return [...inTurn(before, failuresThatEndAStage, now), ...unmade.filter(isNew)].slice(
    0,
    failuresThatEndAStage,
  );
}

/** Of unwanted pods that may not be deleted as many as are asked for again at a time, those whose turn it is. */
export function deletedAgainInTurn<T>(undeleted: readonly T[], now: Instant): readonly T[] {
  return inTurn(undeleted, triedAgainAtMost, now);
}

/** The turn passes with the interval of retries. */
function inTurn<T>(all: readonly T[], atOnce: number, now: Instant): readonly T[] {
  if (all.length <= atOnce) return all;
  return beginningAt(all, (turnAt(now) * atOnce) % all.length).slice(0, atOnce);
}

/**
 * Of the nodes whose pod stays because its successor was refused as many as are tried again at a time: a few of each variant, of those variants whose turn
 * it is, and one where other nodes of the variant are still to be tried. However many are refused, each one is tried again. What is refused in this turn
 * moves no others: it comes last.
 */
export function successorsInTurn(
  refused: readonly RefusedNode[],
  { believed }: Pick<RefusedSuccessors, 'believed'>,
  now: Instant,
): readonly RefusedNode[] {
  const variants = [...Map.groupBy(refused, ({ node }) => variantOf(node.overrides))];
  const triedElsewhere = new Set([...believed.values()].map(({ node }) => variantOf(node.overrides)));
  const round = Math.max(variants.length, triedAgainAtMost);
  const share = Math.floor(triedAgainAtMost / Math.max(1, variants.length));
  const begins = turnAt(now) * triedAgainAtMost;
  const isNew = isNewAt(now);
  return variants.flatMap(([variant, nodes], index) => {
    // How often the turn of this variant has come.
    const visit = Math.floor((begins + triedAgainAtMost - 1 - index) / round);
    if (visit * round + index < begins) return [];
    const count = triedElsewhere.has(variant) ? 1 : Math.max(1, Math.min(refusedInATurn, share));
    const before = nodes.filter((each) => !isNew(each));
    const first = before.length <= count ? 0 : (visit * count) % before.length;
    return [...beginningAt(before, first), ...nodes.filter(isNew)].slice(0, count);
  });
}

/** Whether it was refused for the first time in the present turn. */
function isNewAt(now: Instant): (refused: RefusedNode) => boolean {
  const present = turnAt(now);
  return ({ turn }) => turn === present;
}
