import type { PoolWorkload } from '@atoll/api';
import {
  conditionOf,
  formatKey,
  type CacheEvent,
  type Deployment,
  type Pod,
  type Reader,
  type Resource,
  type StatefulSet,
  type Stored,
} from '@atoll/kube';
import { isTerminating } from '../children/child.ts';
import { keysForPod } from '../children/pods/keys-for-pod.ts';
import { isManagerOf, yurtAppDaemonsOfYurt } from '../children/ownership/yurt-managers.ts';
import { poolPlaces } from './child.ts';
import { mayBeHeldForConflict } from './take-over/conflicting-controller.ts';

/** A pod of a StatefulSet enqueues the owner of that, when it comes, goes, or its being ready turns. */
export function keysForPoolPod(
  resource: Resource<PoolWorkload>,
  statefulSets: Reader<StatefulSet>,
  event: CacheEvent<Pod>,
): readonly string[] {
  const { object } = event;
  if (event.type === 'updated' && sameReadiness(event.old, object)) return [];
  const { resourceOf } = poolPlaces;
  return keysForPod(resource, object, {
    childKinds: ['StatefulSet'],
    resourceOf,
    readerOf: () => statefulSets,
  });
}

/** OpenYurt's own manager comes, goes or starts other controllers. */
export function keysForYurtManager(
  workloads: Reader<PoolWorkload>,
  { object }: CacheEvent<Deployment>,
): readonly string[] {
  if (!isManagerOf(yurtAppDaemonsOfYurt, object)) return [];
  const held = workloads.list().filter(mayBeHeldForConflict);
  return held.map(({ metadata }) => formatKey(metadata));
}

function sameReadiness(old: Stored<Pod>, pod: Stored<Pod>): boolean {
  return (
    conditionOf(old, 'Ready')?.status === conditionOf(pod, 'Ready')?.status &&
    isTerminating(old) === isTerminating(pod)
  );
}
