import { daemonSetUpdate } from '@atoll/api';
import { conditionOf, controllerOf, daemonSets, formatKey, parseKey } from '@atoll/kube';
import type { CacheEvent, DaemonSet, Deployment, Node, Pod, Reader, Stored } from '@atoll/kube';
import { ownerKey } from '../children/keys-for-child.ts';
import { isManagerOf, yurtDaemonSets } from '../children/ownership/yurt-managers.ts';
import type { Urgency } from '../engine/controller.ts';
import { isSameForRollouts } from '../engine/rollout/nodes.ts';
import { isSamePodForRollouts } from '../engine/rollout/pods.ts';
import { isManaged, isRecorded } from './is-managed.ts';
import { hasOffer } from './strategy/need-upgrade.ts';

/** That its controller has seen a template is waited for, and that it is recorded; its controller counts pods all the time. */
export function urgencyOfStatus(event: CacheEvent<DaemonSet>): Urgency {
  if (event.type !== 'updated') return 'deferred';
  const { old, object } = event;
  const isAwaited =
    old.status?.observedGeneration !== object.status?.observedGeneration ||
    isRecorded(old) !== isRecorded(object);
  return isAwaited ? 'immediate' : 'deferred';
}

/** A pod enqueues its DaemonSet, if that is managed or the pod has a condition for the owner of its node, when something of it changes that is counted. */
export function keysForDaemonPod(owners: Reader<DaemonSet>, event: CacheEvent<Pod>): readonly string[] {
  if (event.type === 'updated' && !matters(event.old, event.object) && !turnsOffer(event)) return [];
  const key = ownerKey(daemonSets, event.object);
  if (key === undefined) return [];
  const owner = owners.get(parseKey(key));
  return owner !== undefined && (isManaged(owner) || hasOffer(event.object)) ? [key] : [];
}

function matters(old: Stored<Pod>, pod: Stored<Pod>): boolean {
  return !isSamePodForRollouts(old, pod) || controllerOf(old)?.uid !== controllerOf(pod)?.uid;
}

/** Somebody else changes what is offered to the owner of the node. */
function turnsOffer(event: Extract<CacheEvent<Pod>, { readonly type: 'updated' }>): boolean {
  const { needUpgrade } = daemonSetUpdate.podConditions;
  const [before, now] = [conditionOf(event.old, needUpgrade), conditionOf(event.object, needUpgrade)];
  return event.echo !== true && (before?.status !== now?.status || before?.message !== now?.message);
}

/** A node enqueues all managed DaemonSets when it comes, goes, turns ready or not, or is to run other pods. */
export function keysForNode(owners: Reader<DaemonSet>, event: CacheEvent<Node>): readonly string[] {
  if (event.type === 'updated' && isSameForRollouts(event.old, event.object)) return [];
  return managedKeys(owners);
}

/** OpenYurt's own manager comes or goes. */
export function keysForManager(owners: Reader<DaemonSet>, event: CacheEvent<Deployment>): readonly string[] {
  return isManagerOf(yurtDaemonSets, event.object) ? managedKeys(owners) : [];
}

function managedKeys(owners: Reader<DaemonSet>): readonly string[] {
  return owners
    .list()
    .filter(isManaged)
    .map(({ metadata }) => formatKey(metadata));
}
