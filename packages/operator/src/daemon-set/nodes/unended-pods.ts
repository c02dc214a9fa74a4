import type { Instant } from '@atoll/kube';
import { overdueAt } from '../../causes/cause-of.ts';
import { stuckPodHold } from '../../children/pods-hold.ts';
import { hold, joinHolds, type Hold } from '../../engine/hold.ts';
import { reachableOf } from './awaited-pods.ts';
import type { NodeTarget } from './node-targets.ts';

/**
 * Pods that should be gone, on nodes that are there, with why: until they are, the DaemonSet controller makes no other one, and the rollout may wait for them
 * until a person changes something.
 */
export function unendedHolds(nodes: readonly NodeTarget[], now: Instant): readonly Hold[] {
  const single = reachableOf(nodes).flatMap(({ target: { id }, ending }) => {
    if (ending === undefined) return [];
    const waiting = hold('BeingDeleted', 'health', [id], { waitingUntil: 'the pods are gone' }, false);
    return stuckPodHold(ending, waiting, now) ?? [];
  });
  return joinHolds(single);
}

/** When pods that are ending should be gone. */
export function overdueTimes(nodes: readonly NodeTarget[]): readonly Instant[] {
  return reachableOf(nodes).flatMap(({ ending }) => (ending === undefined ? [] : overdueAt(ending)));
}
