import { isTerminating } from '../../children/child.ts';
import { hold, joinHolds, type Hold } from '../../engine/hold.ts';
import type { PlaceChild } from '../place.ts';
import type { PlacesKind } from '../places-kind.ts';

/**
 * Children that name no place are left as they are, because nothing shows what they are for: somebody gave them the owner. Their pods run
 * beside those that are wanted.
 */
export function holdsOfUnknown(
  { children }: { readonly children: readonly PlaceChild[] },
  { place: called }: Pick<PlacesKind, 'place'>,
): readonly Hold[] {
  const unknown = children.filter(({ object, place }) => place === undefined && !isTerminating(object));
  const holdOf = ({ kind, object: { metadata } }: PlaceChild): Hold => {
    const problem =
      `the ${kind} ${metadata.name}, which this object controls, names no ${called}, and its pods run. Delete it, or take this object out ` +
      'of its ownerReferences, so that it runs on by itself';
    return hold('UnknownChild', 'person', [metadata.name], { problem }, false);
  };
  return joinHolds(unknown.map(holdOf));
}
