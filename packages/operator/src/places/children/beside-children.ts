import type { ChildWorkload } from '../../children/child.ts';
import type { ChildOwner } from '../../children/ownership/owner.ts';
import type { ControllerRevision, Reader } from '@atoll/kube';
import { madeForAnother } from '../adoption/made-for-another.ts';
import {
  orphansLeft,
  orphansOf,
  unowned,
  type FormerChildren,
  type SelectingOwner,
} from '../adoption/orphans.ts';
import { conflictsWithOthers, nameConflicts, type NameConflict } from './name-conflict.ts';
import type { Place, PlaceChild } from '../place.ts';

/** What is not a child of an object and decides whether it makes one. */
export interface BesideChildren<Kind extends string> {
  /** Children that nobody owns and that are to become ours: at most one for a place, which has none. */
  readonly orphans: readonly PlaceChild<Kind>[];
  /** Children that nobody owns, that were ours, and that are not wanted: their pods run on. */
  readonly orphansLeft: readonly PlaceChild<Kind>[];
  /** The uids of objects of the wanted kind without an owner that have the label of a place, also of those that were never ours. */
  readonly unowned: readonly string[];
  /** By place, for those whose child of the wanted kind is absent. */
  readonly nameConflicts: Readonly<Record<string, NameConflict<Kind>>>;
}

export const nothingBeside: BesideChildren<never> = {
  orphans: [],
  orphansLeft: [],
  unowned: [],
  nameConflicts: {},
};

export function besideChildren<Kind extends string>(
  owner: ChildOwner<SelectingOwner>,
  desired: { readonly kind: Kind; readonly places: readonly Place[] },
  children: readonly PlaceChild<Kind>[],
  kinds: readonly Kind[],
  readerOf: (kind: Kind) => Reader<ChildWorkload>,
  revisions: Reader<ControllerRevision>,
  former: FormerChildren,
): BesideChildren<Kind> {
  const { kind, places } = desired;
  const reader = readerOf(kind);
  const unownedOf = (each: Kind) => unowned(owner.object, readerOf(each), former);
  const found = unownedOf(kind);
  const otherOf = madeForAnother(owner, revisions, former, found);
  const free = found.filter((child) => !otherOf.has(child));
  const orphans = orphansOf(owner.object, kind, places, children, free, former);
  const known = [...children, ...orphans];
  // Of those of others only what would be adopted otherwise.
  const others = orphansOf(owner.object, kind, places, known, [...otherOf.keys()], former);
  return {
    orphans,
    orphansLeft: orphansLeft(owner.object, desired, children, kinds, unownedOf, former),
    unowned: found.map(({ metadata }) => metadata.uid),
    nameConflicts: {
      ...conflictsWithOthers(others, otherOf),
      ...nameConflicts(owner, kind, places, known, reader, former.placeOf),
    },
  };
}
