import {
  extendedDaemonSetReplicaSets,
  extendedDaemonSets,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetReplicaSet,
} from '@atoll/api';
import { controllerOf, formatKey, keyOf } from '@atoll/kube';
import type { OwnerReference, Pod, Reader, Stored } from '@atoll/kube';
import { ownerKey } from '../../children/keys-for-child.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

/**
 * A pod whose label names the object, and whose replica set is not the object's any more, or is gone. It has its node, which gets no second
 * pod: the garbage collector is about to delete it, or the object was deleted with `--cascade=orphan` and made again.
 */
export interface FormerPod {
  readonly pod: Stored<Pod>;
  /** The name of its replica set. */
  readonly of: string;
  /** What has that name now; undefined: nothing, as far as is known. */
  readonly found: ReplicaSet | undefined;
}

/** Of the pods that are labelled as the object's. One that anything else controls is never among them. */
export function formerPods(
  object: Stored<ExtendedDaemonSet>,
  labelled: readonly Stored<Pod>[],
  replicaSets: Pick<Reader<ExtendedDaemonSetReplicaSet>, 'get'>,
): readonly FormerPod[] {
  const { namespace = '' } = object.metadata;
  return labelled.flatMap((pod) => {
    const owner = controllerOf(pod);
    if (owner === undefined || !isReplicaSet(owner)) return [];
    const found = replicaSets.get({ namespace, name: owner.name });
    const isLeft = found?.metadata.uid !== owner.uid || isFormer(found, object);
    return isLeft ? [{ pod, of: owner.name, found }] : [];
  });
}

/** Whether nobody controls the replica set, or an object of the same name that is no more. */
function isFormer(replicaSet: ReplicaSet, object: Stored<ExtendedDaemonSet>): boolean {
  const owner = controllerOf(replicaSet);
  if (owner === undefined) return true;
  const isNamesake = ownerKey(extendedDaemonSets, replicaSet) === formatKey(keyOf(object));
  return isNamesake && owner.uid !== object.metadata.uid;
}

/** Any version of the group: references outlive versions. */
export function isReplicaSet({ apiVersion, kind }: Pick<OwnerReference, 'apiVersion' | 'kind'>): boolean {
  const { group, kind: wanted } = extendedDaemonSetReplicaSets;
  return kind === wanted && apiVersion.startsWith(`${group}/`);
}
