import { labels, unitedDeployments, type UnitedDeployment } from '@atoll/api';
import { controllerOf, formatKey, isReady } from '@atoll/kube';
import type { CacheEvent, KubeObject, Pod, Reader, Stored } from '@atoll/kube';
import type { Readers } from '../caches.ts';
import { childNamePrefix, revisionName } from '../children/names.ts';
import { keysForChild } from '../children/keys-for-child.ts';
import { sameJson } from '../engine/same-meaning.ts';
import { keysForPod } from '../children/pods/keys-for-pod.ts';
import { stuckAt } from '../children/pods/pod-facts.ts';
import { subsetPlaces } from './child.ts';
import type { ChildKind } from './child-kind.ts';
import { readerOf, type ChildReaders } from './reader-of.ts';
import { isActive } from './scheduling/subset-pods.ts';

type OwnerReaders = ChildReaders & Pick<Readers, 'unitedDeployments'>;

/** A child enqueues its owner; one that nobody owns enqueues those who may want it. */
export function keysForSubsetChild(
  owners: Reader<UnitedDeployment>,
  event: CacheEvent<KubeObject>,
): readonly string[] {
  const keys = keysForChild(unitedDeployments, owners, event);
  const { object, type } = event;
  const isOrphan =
    controllerOf(object) === undefined && object.metadata.labels?.[labels.subsetName] !== undefined;
  if (keys.length > 0 || type === 'deleted' || !isOrphan) return keys;
  return keysForOrphan(owners, object, childNamePrefix);
}

/** So does a revision. */
export function keysForRevision(
  owners: Reader<UnitedDeployment>,
  event: CacheEvent<KubeObject>,
): readonly string[] {
  const keys = keysForChild(unitedDeployments, owners, event);
  const { object, type } = event;
  const hash = object.metadata.labels?.[labels.revisionHash];
  if (keys.length > 0 || type === 'deleted' || controllerOf(object) !== undefined || hash === undefined) {
    return keys;
  }
  return keysForOrphan(owners, object, (name) => revisionName(name, hash));
}

function keysForOrphan(
  owners: Reader<UnitedDeployment>,
  { metadata: { namespace, name } }: KubeObject,
  prefixOf: (ownerName: string) => string,
): readonly string[] {
  return owners
    .list()
    .filter(({ metadata }) => metadata.namespace === namespace && name.startsWith(prefixOf(metadata.name)))
    .map(({ metadata }) => formatKey(metadata));
}

/** A pod enqueues the owner of its child when something of it changes that is counted or judged. */
export function keysForSubsetPod(readers: OwnerReaders, event: CacheEvent<Pod>): readonly string[] {
  if (event.type === 'updated' && !matters(event.old, event.object)) return [];
  const readerOfKind = (kind: ChildKind) => readerOf(readers, kind);
  return keysForPod(unitedDeployments, event.object, { ...subsetPlaces, readerOf: readerOfKind });
}

/** Of a pod that finds its way, only that it is there and that it becomes ready: those are counted. */
function matters(old: Stored<Pod>, pod: Stored<Pod>): boolean {
  return (
    old.metadata.deletionTimestamp !== pod.metadata.deletionTimestamp ||
    isActive(old) !== isActive(pod) ||
    isReady(old) !== isReady(pod) ||
    isUnschedulable(old) !== isUnschedulable(pod) ||
    controllerOf(old)?.uid !== controllerOf(pod)?.uid ||
    !sameJson(old.metadata.labels, pod.metadata.labels)
  );
}

/** The scheduler found no node for it. */
function isUnschedulable(pod: Stored<Pod>): boolean {
  return stuckAt(pod, 0) !== undefined;
}
