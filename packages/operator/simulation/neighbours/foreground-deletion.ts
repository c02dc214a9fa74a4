import { keyOf } from '@atoll/kube';
import type { KubeObject, Resource } from '@atoll/kube';
import type { Store } from '../store.ts';
import { objectsOf } from '../world.ts';
import type { Move, Neighbour } from '../world.ts';
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
        .flatMap((owner): readonly Move[] => {
          const [first] = dependents.flatMap((resource) => dependentsOf(store, resource, owner));
          return [first ?? letGo(owners, owner, finalizer)];
        }),
  };
}

function dependentsOf(store: Store, resource: Resource<KubeObject>, owner: KubeObject): readonly Move[] {
  const { name: ownersName, uid: ownersUid = '' } = owner.metadata;
  return objectsOf(store, resource)
    .filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === ownersUid) === true)
    .map((object) => {
      const { name, uid = '' } = object.metadata;
      return {
        label: `deletes ${resource.kind} ${name} of ${ownersName}, which is going`,
        operation: {
          verb: 'delete',
          resource,
          key: keyOf(object),
          options: { uid, propagationPolicy: 'Background' },
        },
      };
    });
}
