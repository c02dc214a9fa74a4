import { compareTexts, scaleIntOrPercent } from '@atoll/kube';
import type { Target } from '../../engine/rollout/target.ts';
import type { NodeTarget } from '../fleet/nodes/node-targets.ts';
import { unresponsiveNodeCountsForMs } from './rolling-limits.ts';

/**
 * Of the nodes that are away, or have a stuck pod, `maxPodSchedulerFailure` tolerates those that have been so the longest: they stop counting after a
 * short time. Of the others, those that are away stop counting after a long one, so that no dead node stops a rollout for good (BUG-19), and many
 * that go away at once do. Those with a stuck pod count for good: the template may be why, and it must not take down one node after another.
 */
export function countingLonger(
  targets: readonly NodeTarget[],
  maxPodSchedulerFailure: number | string,
): readonly Target[] {
  const atMost = scaleIntOrPercent(maxPodSchedulerFailure, targets.length, 'up');
  const unresponsive = targets
    .flatMap(({ target: { id, reach }, stuckSince }) => {
      const since = reach === 'reachable' ? stuckSince : reach.awaySince;
      return since === undefined ? [] : [{ id, since }];
    })
    .sort((a, b) => a.since - b.since || compareTexts(a.id, b.id));
  const tolerated = new Set(unresponsive.slice(0, atMost).map(({ id }) => id));
  const longer = unresponsiveNodeCountsForMs.others - unresponsiveNodeCountsForMs.tolerated;
  return targets.map(({ target, stuckSince }) => {
    const isTolerated = tolerated.has(target.id);
    if (target.reach !== 'reachable') {
      return isTolerated
        ? target
        : { ...target, reach: { ...target.reach, awaySince: target.reach.awaySince + longer } };
    }
    return isTolerated && stuckSince !== undefined ? { ...target, reach: { awaySince: stuckSince } } : target;
  });
}
