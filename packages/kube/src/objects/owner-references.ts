import type { KubeObject, OwnerReference, Stored } from './object.ts';
import { apiVersionOf, type Resource } from './resource.ts';

/**
 * The owner reference by which an object is the one controller of another: the other is deleted with it, and no second
 * controller takes it. Both must be in one namespace, or the owner in none.
 */
export function controllerReference(
  resource: Resource<KubeObject>,
  owner: Pick<Stored<KubeObject>, 'metadata'>,
): OwnerReference {
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}
