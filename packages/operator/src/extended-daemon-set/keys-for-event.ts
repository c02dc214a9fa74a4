import {
  extendedDaemonSetConditions,
  extendedDaemonSetLabels as labels,
  extendedDaemonSets,
  nodeResourcesPrefix,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetReplicaSet,
  type ExtendedDaemonsetSetting,
} from '@atoll/api';
import {
  asLabelValue,
  conditionOf,
  controllerOf,
  formatKey,
  parseKey,
  type CacheEvent,
  type ContainerStatus,
  type DaemonSet,
  type Node,
  type Pod,
  type Reader,
  type Stored,
} from '@atoll/kube';
import { schedulerCause } from '../causes/scheduler-cause.ts';
import { isTerminating } from '../children/child.ts';
import { everyKey } from '../children/every-key.ts';
import { keysForChild, ownerKey } from '../children/keys-for-child.ts';
import { nodeOf } from '../children/pods/placement/node-of-pod.ts';
import type { Urgency } from '../engine/controller.ts';
import { isSameForRollouts } from '../engine/rollout/nodes.ts';
import { isSamePodForRollouts } from '../engine/rollout/pods.ts';
import { sameJson } from '../engine/same-meaning.ts';
import { quietMs } from './another-controller/conflict.ts';
import { foreignWrites, lastForeignWrite } from './another-controller/foreign-write.ts';
import { isDaemonSet, keysOfReplacing, oldName } from './migration/old-daemon-set.ts';
import { referencedBy } from './overrides/setting-reference.ts';
import { unreadableSetting } from './overrides/unreadable-setting.ts';

type ReplicaSet = ExtendedDaemonSetReplicaSet;

/** That another replica set has a role is what plans wait for. */
export function urgencyOfStatus(event: CacheEvent<ExtendedDaemonSet>): Urgency {
  if (event.type !== 'updated') return 'deferred';
  const [old, now] = [event.old.status, event.object.status];
  const failed = ({ status }: Stored<ExtendedDaemonSet>): string | undefined =>
    status?.conditions?.find(({ type }) => type === extendedDaemonSetConditions.canaryFailed)?.status;
  const same =
    old?.activeReplicaSet === now?.activeReplicaSet &&
    sameJson(old?.canary, now?.canary) &&
    failed(event.old) === failed(event.object);
  return same ? 'deferred' : 'immediate';
}

/** A replica set enqueues its object, but not by its counts; one that nobody owns that whose label it carries. */
export function keysForReplicaSet(
  owners: Reader<ExtendedDaemonSet>,
  event: CacheEvent<ReplicaSet>,
): readonly string[] {
  if (event.type === 'updated' && onlyCounts(event.old, event.object)) return [];
  const keys = keysForChild(extendedDaemonSets, owners, event);
  const { namespace = '', labels: found } = event.object.metadata;
  if (controllerOf(event.object) !== undefined) return keys;
  return [...new Set([...keys, ...keysLabelled(owners, namespace, found?.[labels.name])])];
}

function onlyCounts(old: Stored<ReplicaSet>, now: Stored<ReplicaSet>): boolean {
  const conditions = ({ status }: Stored<ReplicaSet>): unknown =>
    status?.conditions?.map(({ type, status: is, reason }) => [type, is, reason]);
  return (
    old.metadata.generation === now.metadata.generation &&
    isTerminating(old) === isTerminating(now) &&
    sameJson(old.metadata.annotations, now.metadata.annotations) &&
    sameJson(old.metadata.labels, now.metadata.labels) &&
    sameJson(old.metadata.ownerReferences, now.metadata.ownerReferences) &&
    sameJson(conditions(old), conditions(now)) &&
    !writesAgain(old, now)
  );
}

/**
 * Another controller writes, and had written nothing for a minute, or wrote by a clock that was ahead. Each further write of it, one for every
 * `reconcileFrequency`, changes nothing.
 */
function writesAgain(old: Stored<ReplicaSet>, now: Stored<ReplicaSet>): boolean {
  const [before, after] = [old, now].map((each) => lastForeignWrite(foreignWrites([each]))?.at ?? 0);
  return Math.abs((after ?? 0) - (before ?? 0)) > quietMs;
}

/**
 * A pod enqueues the object of its replica set when something of it changes that decisions read; one whose replica set is gone or an
 * orphan, or that has none, those whose label it carries.
 */
export function keysForPod(
  owners: Reader<ExtendedDaemonSet>,
  replicaSets: Reader<ReplicaSet>,
  event: CacheEvent<Pod>,
): readonly string[] {
  if (event.type === 'updated' && !isRelevantChange(event.old, event.object)) return [];
  const owner = controllerOf(event.object);
  const { namespace = '', labels: found } = event.object.metadata;
  const replicaSet = owner === undefined ? undefined : replicaSets.get({ namespace, name: owner.name });
  const isOfIt = replicaSet !== undefined && replicaSet.metadata.uid === owner?.uid;
  const key = isOfIt ? ownerKey(extendedDaemonSets, replicaSet) : undefined;
  return key === undefined ? keysLabelled(owners, namespace, found?.[labels.name]) : [key];
}

/** The objects of a namespace whose label this is. */
function keysLabelled(
  owners: Reader<ExtendedDaemonSet>,
  namespace: string,
  label: string | undefined,
): readonly string[] {
  if (label === undefined) return [];
  return owners
    .list()
    .filter(({ metadata }) => metadata.namespace === namespace && asLabelValue(metadata.name) === label)
    .map(({ metadata }) => formatKey(metadata));
}

/** As many nodes as a canary may have for each of them to cost a reconcile of its own. */
const fewNodes = 100;

/**
 * A pod that is gone from a node of a canary is replaced at once: people wait for the first pods of a new template. All else that happens to
 * pods comes by the thousand.
 */
export function urgencyOfPod(
  owners: Reader<ExtendedDaemonSet>,
  replicaSets: Reader<ReplicaSet>,
  event: CacheEvent<Pod>,
): Urgency {
  if (event.type !== 'deleted') return 'deferred';
  const node = nodeOf(event.object);
  const makesRoom = keysForPod(owners, replicaSets, event).some((key) => {
    const nodes = owners.get(parseKey(key))?.status?.canary?.nodes ?? [];
    return node !== undefined && nodes.length <= fewNodes && nodes.includes(node);
  });
  return makesRoom ? 'immediate' : 'deferred';
}

function isRelevantChange(old: Stored<Pod>, pod: Stored<Pod>): boolean {
  return (
    !isSamePodForRollouts(old, pod) ||
    unplacedIn(old) !== unplacedIn(pod) ||
    !sameJson(containersOf(old), containersOf(pod)) ||
    !sameJson(old.metadata.annotations, pod.metadata.annotations) ||
    !sameJson(old.metadata.ownerReferences, pod.metadata.ownerReferences)
  );
}

/**
 * What conditions show of a pod that is not placed, without its numbers: `0/5000 nodes are available` and what follows change with every node that
 * comes, and the cause does not.
 */
function unplacedIn(pod: Stored<Pod>): string | undefined {
  if (pod.spec?.nodeName !== undefined || conditionOf(pod, 'PodScheduled')?.status !== 'False')
    return undefined;
  return schedulerCause(pod)?.text.replaceAll(/\d+/g, '0');
}

function containersOf({ status }: Pod): unknown {
  const of = (statuses: readonly ContainerStatus[] | undefined): unknown =>
    statuses?.map(({ name, restartCount, state }) => [name, restartCount, state?.waiting?.reason]);
  return [
    of(status?.initContainerStatuses),
    of(status?.containerStatuses),
    of(status?.ephemeralContainerStatuses),
  ];
}

/** A node enqueues all objects when it comes, goes, turns ready or not, or is to run other pods. */
export function keysForNode(owners: Reader<ExtendedDaemonSet>, event: CacheEvent<Node>): readonly string[] {
  if (event.type === 'updated' && isAlike(event.old, event.object)) return [];
  return everyKey(owners);
}

function isAlike(old: Stored<Node>, node: Stored<Node>): boolean {
  return isSameForRollouts(old, node) && sameJson(overridesOf(old), overridesOf(node));
}

function overridesOf({ metadata }: Stored<Node>): unknown {
  return Object.entries(metadata.annotations ?? {}).filter(([key]) => key.startsWith(nodeResourcesPrefix));
}

/** A DaemonSet that comes, changes or goes enqueues the objects that are to replace it. */
export function keysForOldDaemonSet(
  owners: Reader<ExtendedDaemonSet>,
  event: CacheEvent<DaemonSet>,
): readonly string[] {
  const isAlike =
    event.type === 'updated' &&
    event.old.metadata.generation === event.object.metadata.generation &&
    isTerminating(event.old) === isTerminating(event.object);
  return isAlike ? [] : keysOfReplacing(owners, event.object.metadata);
}

/** An object that comes, goes or names another DaemonSet enqueues those that are to replace the same: the oldest of them does. */
export function keysForSameOldDaemonSet(
  owners: Reader<ExtendedDaemonSet>,
  event: CacheEvent<ExtendedDaemonSet>,
): readonly string[] {
  const { object } = event;
  const old = event.type === 'updated' ? event.old : undefined;
  const isAlike =
    old !== undefined && oldName(old) === oldName(object) && isTerminating(old) === isTerminating(object);
  if (isAlike) return [];
  const { namespace = '' } = object.metadata;
  const names = new Set([...(old === undefined ? [] : [oldName(old)]), oldName(object)]);
  return [...names].flatMap((name) =>
    name === undefined ? [] : keysOfReplacing(owners, { namespace, name }),
  );
}

/** A pod of a DaemonSet enqueues the objects that are to replace it, when it comes or its labels change. */
export function keysForReplacedPod(
  owners: Reader<ExtendedDaemonSet>,
  event: CacheEvent<Pod>,
): readonly string[] {
  if (event.type === 'updated' && sameJson(event.old.metadata.labels, event.object.metadata.labels))
    return [];
  const owner = controllerOf(event.object);
  const { namespace } = event.object.metadata;
  return owner === undefined || !isDaemonSet(owner) || namespace === undefined
    ? []
    : keysOfReplacing(owners, { namespace, name: owner.name });
}

/** A setting enqueues the object that it names, and the one that it named; all of its namespace where that cannot be read. */
export function keysForSetting(
  owners: Reader<ExtendedDaemonSet>,
  event: CacheEvent<ExtendedDaemonsetSetting>,
): readonly string[] {
  const { object } = event;
  if (event.type !== 'updated') return keysNamedBy(owners, object);
  const { old } = event;
  const same = sameJson(old.spec, object.spec) && isTerminating(old) === isTerminating(object);
  return same ? [] : [...new Set([...keysNamedBy(owners, old), ...keysNamedBy(owners, object)])];
}

function keysNamedBy(
  owners: Reader<ExtendedDaemonSet>,
  setting: Stored<ExtendedDaemonsetSetting>,
): readonly string[] {
  const { namespace = '' } = setting.metadata;
  const named = formatKey({ namespace, name: referencedBy(setting) });
  if (unreadableSetting(setting)?.unknown !== 'object') return [named];
  const all = owners.list().filter(({ metadata }) => metadata.namespace === namespace);
  return [named, ...all.map(({ metadata }) => formatKey(metadata))];
}
