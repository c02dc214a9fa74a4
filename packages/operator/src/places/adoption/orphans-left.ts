import { hold, joinHolds, type Hold } from '../../engine/hold.ts';
import type { BesideChildren } from '../children/beside-children.ts';
import type { PlaceChild } from '../place.ts';
import type { PlacesKind } from '../places-kind.ts';

/** Children that were ours and that nobody owns are left as they are; their pods run beside those that are wanted. */
export function holdsOfOrphans<Kind extends string>(
  { orphansLeft }: Pick<BesideChildren<Kind>, 'orphansLeft'>,
  { placeLabel }: Pick<PlacesKind<Kind>, 'placeLabel'>,
): readonly Hold[] {
  const holdOf = ({ kind, object: { metadata }, place }: PlaceChild): Hold => {
    const problem =
      `the ${kind} ${metadata.name} has no owner and is not needed, and its pods run. Delete it, or take its label ${placeLabel} off, ` +
      'so that it runs on by itself';
    return hold('OrphanLeft', 'person', [place ?? metadata.name], { problem }, false);
  };
  return joinHolds(orphansLeft.map(holdOf));
}
