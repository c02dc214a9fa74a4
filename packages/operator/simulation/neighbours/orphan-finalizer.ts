import { keyOf } from '@atoll/kube';
import type { KubeObject, Resource } from '@atoll/kube';
import { objectsOf } from '../world.ts';
import type { Move, Neighbour } from '../world.ts';
import { dependentsOf } from './dependents.ts';
import { letGo } from './let-go.ts';

/**
 * The garbage collector's part in a deletion that orphans: takes the reference from one dependent after the other, and
 * lets the owner go when none is left.
 */
export function orphanFinalizer(
  owners: Resource<KubeObject>,
  dependents: readonly Resource<KubeObject>[],
): Neighbour {
  return {
    name: 'garbage collector',
    moves: (store) =>
      objectsOf(store, owners)
        .filter(({ metadata }) => metadata.finalizers?.includes('orphan') === true)
        .flatMap((owner): readonly Move[] => {
          const { uid } = owner.metadata;
          const [first] = dependentsOf(store, dependents, owner);
          if (first === undefined) return [letGo(owners, owner, 'orphan')];
          const { resource, object } = first;
          const ownerReferences = object.metadata.ownerReferences?.filter((each) => each.uid !== uid) ?? [];
          const label = `takes its owner from ${resource.kind} ${object.metadata.name}`;
          const patch = {
            type: 'merge',
            body: { metadata: { ownerReferences, uid: object.metadata.uid } },
          } as const;
          return [{ label, operation: { verb: 'patch', resource, key: keyOf(object), patch } }];
        }),
  };
}
