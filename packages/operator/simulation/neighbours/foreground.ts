import { keyOf } from '@atoll/kube';
import type { KubeObject, Resource } from '@atoll/kube';
import type { Move, Neighbour } from '../world.ts';
import { objectsOf } from '../world.ts';

/** Whoever holds a finalizer lets go of it, sooner or later: what was being deleted is gone. */
export function foregroundFinishes(resources: readonly Resource<KubeObject>[]): Neighbour {
  return {
    name: 'finalizers',
    moves: (store) =>
      resources.flatMap((resource) =>
        objectsOf(store, resource)
          .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
          .map((object): Move => ({
            label: `let ${resource.kind} ${object.metadata.name} go`,
            operation: {
              verb: 'delete-now',
              resource,
              key: keyOf(object),
              uid: object.metadata.uid ?? '',
            },
          })),
      ),
  };
}
