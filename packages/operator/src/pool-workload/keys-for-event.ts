import type { PoolWorkload } from '@atoll/api';
import { controllerOf } from '@atoll/kube';
import type { CacheEvent, Pod, Reader, Resource, StatefulSet, Stored } from '@atoll/kube';
import { isTerminating } from '../children/child.ts';
import { ownerKey } from '../children/keys-for-child.ts';

/** A pod of a StatefulSet enqueues whoever owns that, when it comes, goes, or its being ready turns. */
export function keysForPod(
  resource: Resource<PoolWorkload>,
  statefulSets: Reader<StatefulSet>,
  event: CacheEvent<Pod>,
): readonly string[] {
  const { object } = event;
  if (event.type === 'updated' && sameReadiness(event.old, object)) return [];
  const controller = controllerOf(object);
  if (controller?.kind !== 'StatefulSet') return [];
  const { namespace = '' } = object.metadata;
  const child = statefulSets.get({ namespace, name: controller.name });
  if (child?.metadata.uid !== controller.uid) return [];
  const key = ownerKey(resource, child);
  return key === undefined ? [] : [key];
}

function sameReadiness(old: Stored<Pod>, pod: Stored<Pod>): boolean {
  const readyOf = ({ status }: Pod) => status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  return readyOf(old) === readyOf(pod) && isTerminating(old) === isTerminating(pod);
}
