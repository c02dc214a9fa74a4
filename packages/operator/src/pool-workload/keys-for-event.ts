import type { PoolWorkload } from '@atoll/api';
import type { CacheEvent, Pod, Reader, Resource, StatefulSet, Stored } from '@atoll/kube';
import { isTerminating } from '../children/child.ts';
import { keysForPod } from '../children/pods/keys-for-pod.ts';
import { poolPlaces } from './child.ts';

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

function sameReadiness(old: Stored<Pod>, pod: Stored<Pod>): boolean {
  const readyOf = ({ status }: Pod) => status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  return readyOf(old) === readyOf(pod) && isTerminating(old) === isTerminating(pod);
}
