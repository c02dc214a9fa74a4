import type { KubeObject, Resource, Stored } from '@atoll/kube';
import type { Step } from '../step.ts';
import { ownerReference, type ChildOwner } from './owner.ts';

/** How an object that nobody owns becomes the owner's: the request of the step, its preconditions included. */
export type Adoption = Pick<
  Extract<Step, { readonly do: 'patch' }>,
  'do' | 'resource' | 'key' | 'uid' | 'resourceVersion' | 'patch' | 'irreversible'
>;

/** Only with the object as it was seen, because somebody else may have taken it meanwhile, and for a live owner. */
export function adoption(
  owner: ChildOwner,
  resource: Resource<KubeObject>,
  { metadata }: Stored<KubeObject>,
): Adoption {
  const { name, namespace = '', uid, resourceVersion, ownerReferences = [] } = metadata;
  const body = { metadata: { ownerReferences: [...ownerReferences, ownerReference(owner)] } };
  return {
    do: 'patch',
    resource,
    key: { namespace, name },
    uid,
    resourceVersion,
    patch: { type: 'merge', body },
    irreversible: true,
  };
}
