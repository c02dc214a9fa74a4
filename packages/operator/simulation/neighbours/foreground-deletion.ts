import type { KubeObject, Resource } from '@atoll/kube';
import { objectsOf } from '../world.ts';
import type { Neighbour } from '../world.ts';
import { dependentsOf } from './dependents.ts';
import { deletes } from './garbage-collector.ts';
import { letGo } from './let-go.ts';

const finalizer = 'foregroundDeletion';

/**
 * The garbage collector's part in a deletion in the foreground: deletes one dependent after the other, and lets the owner
 * go when none is left. Whatever is made for the owner meanwhile keeps it from going.
 */
export function foregroundDeletion(
  owners: Resource<KubeObject>,
  dependents: readonly Resource<KubeObject>[],
): Neighbour {
  return {
    name: 'garbage collector',
    moves: (store) =>
      objectsOf(store, owners)
        .filter(({ metadata }) => metadata.finalizers?.includes(finalizer) === true)
        .map((owner) => {
          const [first] = dependentsOf(store, dependents, owner);
          if (first === undefined) return letGo(owners, owner, finalizer);
          const { resource, object } = first;
          const which = `${resource.kind} ${object.metadata.name} of ${owner.metadata.name}, which is going`;
          return deletes(resource, object, which);
        }),
  };
}
