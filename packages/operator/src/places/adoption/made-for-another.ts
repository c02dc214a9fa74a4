import { controllerOf } from '@atoll/kube';
import type { ControllerRevision, OwnerReference, Reader, Stored } from '@atoll/kube';
import type { ChildWorkload } from '../../children/child.ts';
import { childName } from '../../children/names.ts';
import type { ChildOwner } from '../../children/ownership/owner.ts';
import type { FormerChildren } from './orphans.ts';
import { ofNamesakes } from './predecessor.ts';

/**
 * Of children without an owner, those that were made for an object of another kind with the name of the owner, and that object.
 *
 * Two kinds may have objects of one name and one selector, and their children differ in nothing but their names, which stand for the uid of
 * the object that they were made for. Which uids there are is in the revisions: an object that is there controls its own. Those of one that was
 * deleted with `--cascade=orphan`, or restored from a backup without owners, nobody controls: then nothing is known, and the child may be
 * adopted by either.
 */
export function madeForAnother(
  owner: ChildOwner,
  revisions: Reader<ControllerRevision>,
  { kinds, placeOf }: FormerChildren,
  found: readonly Stored<ChildWorkload>[],
): ReadonlyMap<Stored<ChildWorkload>, OwnerReference> {
  if (found.length === 0) return new Map();
  const others = kinds.filter(({ kind }) => kind !== owner.resource.kind);
  const controllers = others.flatMap((resource) =>
    ofNamesakes({ resource, object: owner.object }, revisions).flatMap((each) => controllerOf(each) ?? []),
  );
  return new Map(
    found.flatMap((child) => {
      const place = placeOf(child);
      if (place === undefined) return [];
      const other = controllers.find((each) => childName(each, place) === child.metadata.name);
      return other === undefined ? [] : [[child, other] as const];
    }),
  );
}
