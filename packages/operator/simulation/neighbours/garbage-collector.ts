import { keyOf } from '@atoll/kube';
import type { KubeObject, Resource } from '@atoll/kube';
import type { Store } from '../model/store.ts';
import { objectsOf } from '../world.ts';
import type { Move, Neighbour } from '../world.ts';

/**
 * Deletes what has no owner left: each owner is absent or has another uid (an owner re-created under the same name is
 * another owner). Names the uid.
 */
export function garbageCollector(resources: readonly Resource<KubeObject>[]): Neighbour {
  return {
    name: 'garbage collector',
    moves: (store) => resources.flatMap((resource) => orphansOf(store, resource)),
  };
}

function orphansOf(store: Store, resource: Resource<KubeObject>): readonly Move[] {
  const uids = new Set([...store.objects.values()].map((held) => held.object.metadata.uid));
  return objectsOf(store, resource)
    .filter(({ metadata }) => {
      const owners = metadata.ownerReferences ?? [];
      if (owners.length === 0 || metadata.deletionTimestamp !== undefined) return false;
      return owners.every((owner) => !uids.has(owner.uid));
    })
    .map((object) =>
      deletes(resource, object, `${resource.kind} ${object.metadata.name}, whose owner is gone`),
    );
}

/** A deletion by the garbage collector. `which`: what people are to read of it. */
export function deletes(resource: Resource<KubeObject>, object: KubeObject, which: string): Move {
  const { uid = '' } = object.metadata;
  return {
    label: `deletes ${which}`,
    operation: {
      verb: 'delete',
      resource,
      key: keyOf(object),
      options: { uid, propagationPolicy: 'Background' },
    },
  };
}
