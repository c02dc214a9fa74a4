import { unitedDeployments } from '@atoll/api';
import { controllerOf, isReady } from '@atoll/kube';
import type { CacheEvent, Pod, Stored } from '@atoll/kube';
import type { Readers } from '../caches.ts';
import { sameJson } from '../engine/same-meaning.ts';
import { keysForPod } from '../children/pods/keys-for-pod.ts';
import { isActive, stuckAt } from '../children/pods/pod-facts.ts';
import { readerOf, type ChildReaders } from '../places/reader-of.ts';
import { subsetPlaces } from './subsets/child.ts';
import type { ChildKind } from './subsets/child-kind.ts';

type OwnerReaders = ChildReaders<ChildKind> & Pick<Readers, 'unitedDeployments'>;

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
