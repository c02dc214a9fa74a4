import { labels, unitedDeployments, type UnitedDeployment } from '@atoll/api';
import { controllerOf, formatKey } from '@atoll/kube';
import type { CacheEvent, KubeObject, Pod, Reader, ReplicaSet, Stored } from '@atoll/kube';
import type { Readers } from '../caches.ts';
import { childNamePrefix, revisionName } from '../engine/children/names.ts';
import { keysForChild, ownerKey } from '../engine/children/wake-owner.ts';
import { sameJson } from '../engine/same-meaning.ts';
import { childKinds, kindFacts } from './child-kind.ts';
import { stuckAt } from './scheduling/pod-facts.ts';
import { readerOf, type ChildReaders } from './reader-of.ts';
import { isActive, isReady } from './subset-pods.ts';

type PodReaders = ChildReaders & Pick<Readers, 'subsetReplicaSets' | 'subsetPods'>;

/** A spec that changed has another generation; of the rest only what people say in the metadata counts. */
export function changesOnlyStatus(event: CacheEvent<UnitedDeployment>): boolean {
  if (event.type !== 'updated') return false;
  const [old, now] = [event.old.metadata, event.object.metadata];
  return (
    old.uid === now.uid &&
    old.generation === now.generation &&
    old.deletionTimestamp === now.deletionTimestamp &&
    sameJson(old.annotations, now.annotations) &&
    sameJson(old.labels, now.labels)
  );
}

/** A child wakes its owner; one that nobody owns wakes those who may want it. */
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

/** A ReplicaSet is only the way from pods to their Deployment; it matters when pods were known before it, and when it goes. */
export function keysForReplicaSet(readers: PodReaders, event: CacheEvent<ReplicaSet>): readonly string[] {
  const { metadata } = event.object;
  if (event.type === 'added' && readers.subsetPods.by('owner', metadata.uid).length === 0) return [];
  if (event.type === 'updated' && controllerOf(event.old)?.uid === controllerOf(event.object)?.uid) return [];
  return keyByController(readers, event.object);
}

/** A pod wakes the owner of its child when something of it changes that is counted or judged. */
export function keysForPod(readers: PodReaders, event: CacheEvent<Pod>): readonly string[] {
  if (event.type === 'updated' && !matters(event.old, event.object)) return [];
  const { object } = event;
  const controller = controllerOf(object);
  if (controller?.kind !== 'ReplicaSet') return keyByController(readers, object);
  const { namespace = '' } = object.metadata;
  const replicaSet = readers.subsetReplicaSets.get({ namespace, name: controller.name });
  return replicaSet === undefined ? [] : keyByController(readers, replicaSet);
}

/** Of a pod that finds its way, only that it is there and that it becomes ready: those are counted. */
function matters(old: Stored<Pod>, pod: Stored<Pod>): boolean {
  return (
    old.metadata.deletionTimestamp !== pod.metadata.deletionTimestamp ||
    isActive(old) !== isActive(pod) ||
    isReady(old) !== isReady(pod) ||
    isHomeless(old) !== isHomeless(pod) ||
    controllerOf(old)?.uid !== controllerOf(pod)?.uid ||
    !sameJson(old.metadata.labels, pod.metadata.labels)
  );
}

/** The scheduler found no node for it. */
function isHomeless(pod: Stored<Pod>): boolean {
  return stuckAt(pod, 0) !== undefined;
}

/** The key of the UnitedDeployment that owns the child which controls the object. */
function keyByController(readers: PodReaders, object: Stored<KubeObject>): readonly string[] {
  const controller = controllerOf(object);
  if (controller === undefined) return [];
  const { namespace = '' } = object.metadata;
  for (const kind of childKinds) {
    if (kindFacts[kind].resource.kind !== controller.kind) continue;
    const child = readerOf(readers, kind).get({ namespace, name: controller.name });
    if (child?.metadata.uid !== controller.uid) continue;
    const key = ownerKey(unitedDeployments, child);
    return key === undefined ? [] : [key];
  }
  return [];
}
