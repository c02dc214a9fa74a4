import { conditionTypes, labels, unitedDeployments, type UnitedDeployment } from '@atoll/api';
import { controllerOf, formatKey, parseKey } from '@atoll/kube';
import type { CacheEvent, KubeObject, Pod, Reader, Stored } from '@atoll/kube';
import type { Readers } from '../caches.ts';
import type { ChildWorkload, OwnedChild } from '../children/child.ts';
import { areOthersComplete, isComplete, newsOf, wakesByNews } from '../children/child-news.ts';
import { childNamePrefix, revisionName } from '../children/names.ts';
import { leavesRevision } from '../children/revisions/needed-revisions.ts';
import { keysForChild, ownerKey } from '../children/wake-owner.ts';
import { conditionSince } from '../engine/status/conditions.ts';
import type { Waking } from '../engine/controller.ts';
import { sameJson } from '../engine/same-meaning.ts';
import { childKinds, kindFacts, type ChildKind } from './child-kind.ts';
import { deploymentOf } from './scheduling/deployment-of-pod.ts';
import { stuckAt } from '../children/pods/pod-facts.ts';
import { readerOf, type ChildReaders } from './reader-of.ts';
import { isActive, isReady } from './scheduling/subset-pods.ts';

type OwnerReaders = ChildReaders & Pick<Readers, 'unitedDeployments'>;

/**
 * What a plan reads of the status that the pass before wrote: which revision must not be trimmed, when trouble and an update
 * began, and what is known of each subset.
 */
export function leadsOn(old: UnitedDeployment, object: UnitedDeployment): boolean {
  return leavesRevision(old, object) || !sameJson(recalled(old), recalled(object));
}

function recalled({ status = {} }: UnitedDeployment): unknown {
  const { conditions, subsetStatuses = [] } = status;
  const { subsetFailure, unitedDeploymentUpdated } = conditionTypes;
  return [
    conditionSince(conditions, subsetFailure, 'True'),
    conditionSince(conditions, unitedDeploymentUpdated, 'False'),
    subsetStatuses.flatMap(({ name, conditions: found }) => (found === undefined ? [] : [[name, found]])),
  ];
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

/**
 * What a child counts decides nothing while the UnitedDeployment does not follow where its pods find room. That it is
 * complete, or no longer so, counts when it is the last, or the first; and while there are more children than subsets,
 * some of which wait for that.
 */
export function wakesByChild(
  readers: OwnerReaders,
  kind: ChildKind,
  event: CacheEvent<ChildWorkload>,
): Waking {
  const owner = ownerOf(readers.unitedDeployments, event.object);
  if (owner === undefined || followsItsPods(owner)) return 'in-time';
  return wakesByNews(newsOf(kind, event), () => isAwaited(readers, owner, event.object));
}

/** Whether everything else is complete, or more than that depends on it. */
function isAwaited(
  readers: ChildReaders,
  { metadata, spec }: Stored<UnitedDeployment>,
  child: Stored<KubeObject>,
): boolean {
  const all = childKinds.map((kind) => ({
    kind,
    objects: readerOf(readers, kind).by('owner', metadata.uid),
  }));
  const count = all.reduce((sum, { objects }) => sum + objects.length, 0);
  return count > (spec.topology?.subsets ?? []).length || areOthersComplete(all, child);
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

/** That one came is the echo of our own write, as good as always. */
export function wakesByRevision({ type, object }: CacheEvent<KubeObject>): Waking {
  return type === 'added' && controllerOf(object) !== undefined ? 'counted' : 'in-time';
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

/** A pod wakes the owner of its child when something of it changes that is counted or judged. */
export function keysForPod(readers: OwnerReaders, event: CacheEvent<Pod>): readonly string[] {
  if (event.type === 'updated' && !matters(event.old, event.object)) return [];
  return keyOf(childOfPod(readers, event.object));
}

/**
 * The same for a pod. Its child counts it and tells when it is complete; a pod of whom we hear after that is what the
 * status still waits for.
 */
export function wakesByPod(readers: OwnerReaders, event: CacheEvent<Pod>): Waking {
  const child = childOfPod(readers, event.object);
  const owner = child === undefined ? undefined : ownerOf(readers.unitedDeployments, child.object);
  if (child === undefined || owner === undefined || followsItsPods(owner)) return 'in-time';
  return isHomeless(event.object) || isComplete(child) ? 'in-time' : 'counted';
}

function followsItsPods({ spec }: UnitedDeployment): boolean {
  return spec.topology?.scheduleStrategy?.type === 'Adaptive';
}

function ownerOf(owners: Reader<UnitedDeployment>, child: KubeObject): Stored<UnitedDeployment> | undefined {
  const key = ownerKey(unitedDeployments, child);
  return key === undefined ? undefined : owners.get(parseKey(key));
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

/** The child that controls the pod, directly or by way of a ReplicaSet. */
function childOfPod(readers: ChildReaders, pod: Stored<Pod>): OwnedChild<ChildKind> | undefined {
  const { namespace = '' } = pod.metadata;
  const deployment = deploymentOf(pod);
  if (deployment !== undefined) {
    const object = readers.deployments.get({ namespace, name: deployment });
    return object === undefined ? undefined : { kind: 'Deployment', object };
  }
  const controller = controllerOf(pod);
  if (controller === undefined) return undefined;
  for (const kind of childKinds) {
    if (kindFacts[kind].resource.kind !== controller.kind) continue;
    const child = readerOf(readers, kind).get({ namespace, name: controller.name });
    if (child?.metadata.uid === controller.uid) return { kind, object: child };
  }
  return undefined;
}

/** Of the UnitedDeployment that owns it. */
function keyOf(child: OwnedChild<ChildKind> | undefined): readonly string[] {
  const key = child === undefined ? undefined : ownerKey(unitedDeployments, child.object);
  return key === undefined ? [] : [key];
}
