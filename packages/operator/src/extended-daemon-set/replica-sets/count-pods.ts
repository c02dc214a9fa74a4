import { extendedDaemonSetLabels as labels, type ExtendedDaemonSetReplicaSet } from '@atoll/api';
import { controllerOf, type Pod, type Stored } from '@atoll/kube';
import type { NodePods } from '../fleet/pods-by-node.ts';
import { sameMeaning } from './find-replica-set.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

/** How many nodes have a pod that a replica set of the same template controls. */
export function countControlled(
  replicaSet: ReplicaSet,
  live: readonly ReplicaSet[],
  pods: ReadonlyMap<string, NodePods>,
): number {
  const uids = sameMeaning(replicaSet, live);
  return countNodes(pods, (pod) => uids.has(controllerOf(pod)?.uid ?? ''));
}

/** {@link countControlled}, and pods that a tool restores: they have no owner, and the label with the name of such a replica set. */
export function countWithRestored(
  replicaSet: ReplicaSet,
  live: readonly ReplicaSet[],
  pods: ReadonlyMap<string, NodePods>,
): number {
  const uids = sameMeaning(replicaSet, live);
  const names = new Set(live.flatMap(({ metadata }) => (uids.has(metadata.uid) ? [metadata.name] : [])));
  return countNodes(pods, (pod) => {
    const owner = controllerOf(pod);
    return owner === undefined
      ? names.has(pod.metadata.labels?.[labels.replicaSet] ?? '')
      : uids.has(owner.uid);
  });
}

function countNodes(pods: ReadonlyMap<string, NodePods>, isCounted: (pod: Stored<Pod>) => boolean): number {
  return [...pods.values()].filter(({ kept }) => kept !== undefined && isCounted(kept)).length;
}
