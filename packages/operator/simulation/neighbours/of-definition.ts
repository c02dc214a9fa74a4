import { keyOf } from '@atoll/kube';
import type { KubeObject, Resource } from '@atoll/kube';
import { definitions } from '../model/definitions.ts';
import { objectsOf } from '../world.ts';
import type { Move, Neighbour } from '../world.ts';

/** The API server's part in the deletion of a definition: the objects go first. */
export function ofDefinition(kind: Resource<KubeObject>): Neighbour {
  return {
    name: 'apiextensions',
    moves: (store) =>
      objectsOf(store, definitions)
        .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
        .map((definition): Move => {
          const [first] = objectsOf(store, kind);
          const object = first ?? definition;
          const resource = first === undefined ? (definitions as Resource<KubeObject>) : kind;
          const { name, uid = '' } = object.metadata;
          return {
            label: `removes ${resource.kind} ${name}`,
            operation: { verb: 'delete-now', resource, key: keyOf(object), uid },
          };
        }),
  };
}
