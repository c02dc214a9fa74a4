import type { Instant, Pod, Stored } from '@atoll/kube';
import { stuckPodHold } from '../../children/pods-hold.ts';
import { hold, joinHolds, type Hold } from '../../engine/hold.ts';
import type { NodeTarget } from './nodes/node-targets.ts';

/**
 * Pods that are on their way for so long that they are stuck, each with its cause: the rollout may wait for them until a person changes something.
 * `podOf`: the pod that the node waits for; undefined: it waits for another reason. `waits`: what is said beside a cause.
 */
export function stuckHolds(
  targets: readonly NodeTarget[],
  podOf: (pods: NodeTarget['pods']) => Stored<Pod> | undefined,
  waits: Pick<Hold, 'reason'> & { readonly waitingUntil: string },
  now: Instant,
): readonly Hold[] {
  const { reason, waitingUntil } = waits;
  const single = targets.flatMap(({ target: { id }, stuckSince, pods }) => {
    const pod = stuckSince === undefined ? undefined : podOf(pods);
    if (pod === undefined) return [];
    return stuckPodHold(pod, hold(reason, 'health', [id], { waitingUntil }, false), now) ?? [];
  });
  return joinHolds(single);
}
