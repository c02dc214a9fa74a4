import type { KubeObject, Resource, Stored } from '@atoll/kube';
import { patchAsSeen, type PatchAsSeen } from '../../engine/steps/patch-as-seen.ts';
import { ownerReference, type ChildOwner } from './owner.ts';

/** How an object that nobody owns becomes the owner's: the request of the step, its preconditions included. */
export type Adoption = PatchAsSeen & { readonly irreversible: true };

/** Only with the object as it was seen, because somebody else may have taken it meanwhile, and for a live owner. */
export function adoption(
  owner: ChildOwner,
  resource: Resource<KubeObject>,
  object: Stored<KubeObject>,
): Adoption {
  const { ownerReferences = [] } = object.metadata;
  const others = ownerReferences.filter(({ uid }) => uid !== owner.object.metadata.uid);
  const body = { metadata: { ownerReferences: [...others, ownerReference(owner)] } };
  return { ...patchAsSeen(resource, object, { type: 'merge', body }), irreversible: true };
}
