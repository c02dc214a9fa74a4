import type { Reader } from '@atoll/kube';
import { isTerminating, type ChildWorkload } from '../../children/child.ts';
import type { ChildOwner } from '../../children/ownership/owner.ts';
import { ownedBy } from '../../children/ownership/owned-by.ts';
import type { PlaceChild } from '../place.ts';

/** The children that the object owns by UID, terminating ones included, in the order of the kinds. */
export function ownedChildren<Kind extends string>(
  { object }: Pick<ChildOwner, 'object'>,
  kinds: readonly Kind[],
  readerOf: (kind: Kind) => Reader<ChildWorkload>,
  placeOf: (child: ChildWorkload) => string | undefined,
): readonly PlaceChild<Kind>[] {
  return kinds.flatMap((kind) =>
    ownedBy(readerOf(kind), object).map((child): PlaceChild<Kind> => ({
      kind,
      object: child,
      place: placeOf(child),
    })),
  );
}

/** Whether the child is not being deleted and serves a place. */
export function servesPlace<Kind extends string>(
  child: PlaceChild<Kind>,
): child is PlaceChild<Kind> & { readonly place: string } {
  return child.place !== undefined && !isTerminating(child.object);
}
