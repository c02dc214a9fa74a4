import { labels } from '@atoll/api';
import {
  compileSelector,
  controllerOf,
  InvalidSelectorError,
  isGeneratedName,
  semanticallyEqual,
  selectorMatches,
  type KubeObject,
  type LabelSelector,
  type Reader,
  type Resource,
  type Selector,
  type Stored,
} from '@atoll/kube';
import { byService, isTerminating, type ChildWorkload } from '../../children/child.ts';
import { workloadLabel } from '../../children/names.ts';
import { adoption } from '../../children/ownership/adoption.ts';
import type { ChildOwner } from '../../children/ownership/owner.ts';
import type { Step } from '../../engine/step.ts';
import type { Place, PlaceChild } from '../place.ts';
import type { PlacesKind } from '../places-kind.ts';

/** An object that keeps a child in each of its places, and selects their pods. */
export interface SelectingOwner extends KubeObject {
  readonly spec: { readonly selector: LabelSelector };
}

/** How a kind recognises what was a child of its objects. */
export interface FormerChildren {
  /** The kinds of objects whose children have that label. */
  readonly kinds: readonly Resource<KubeObject>[];
  /** The label of children that names their place. */
  readonly placeLabel: string;
  readonly placeOf: (child: ChildWorkload) => string | undefined;
  /** What stands in the name of a child of an older operator before the random part; undefined: none made it. */
  readonly oldNamePrefix: (owner: SelectingOwner, child: Stored<ChildWorkload>) => string | undefined;
  /** Whether an older operator may have given such a child the selector of its owner, without the place. */
  readonly mayLackPlace?: (kind: string, child: Stored<ChildWorkload>) => boolean;
}

/** Files what has the label of a place and nobody owns under that label and its namespace, so that it can be adopted. */
export const byOrphanedPlace = {
  orphan: (object: KubeObject): readonly string[] => {
    const { namespace = '', labels: found = {} } = object.metadata;
    const named = [labels.subsetName, labels.poolName].filter((label) => found[label] !== undefined);
    return named.length > 0 && controllerOf(object) === undefined
      ? named.map((label) => orphanKey(label, namespace))
      : [];
  },
};

function orphanKey(placeLabel: string, namespace: string): string {
  return `${placeLabel} ${namespace}`;
}

/**
 * Children without an owner that were this object's, or its namesake's before it: a person who deletes one with `--cascade=orphan` and makes
 * it again wants them back, and so does one whose backup was restored without owners. At most one for a place, for those that no child of
 * the wanted kind serves. `found`: what nobody owns.
 */
export function orphansOf<Kind extends string>(
  owner: Stored<SelectingOwner>,
  kind: Kind,
  places: readonly Place[],
  children: readonly PlaceChild<Kind>[],
  found: readonly Stored<ChildWorkload>[],
  former: FormerChildren,
): readonly PlaceChild<Kind>[] {
  if (found.length === 0) return [];
  const served = new Set(children.filter((child) => child.kind === kind).map(({ place }) => place));
  const open = places.filter(({ name }) => !served.has(name));
  return adoptable(owner, kind, open, found, former);
}

/**
 * Children without an owner that were this object's and that it does not want: another one serves their place, or that is no more. One that
 * waits until a child is gone, or another one is adopted, may still be wanted.
 */
export function orphansLeft<Kind extends string>(
  owner: Stored<SelectingOwner>,
  { kind, places }: { readonly kind: Kind; readonly places: readonly Place[] },
  children: readonly PlaceChild<Kind>[],
  kinds: readonly Kind[],
  foundOf: (kind: Kind) => readonly Stored<ChildWorkload>[],
  former: FormerChildren,
): readonly PlaceChild<Kind>[] {
  const found = kinds.flatMap((each) => formerChildren(owner, each, foundOf(each), former));
  if (found.length === 0) return [];
  const live = children.filter((child) => child.kind === kind && !isTerminating(child.object));
  const served = new Set(live.map(({ place }) => place));
  const open = new Set(places.flatMap(({ name }) => (served.has(name) ? [] : [name])));
  return found.filter((child) => child.kind !== kind || !open.has(child.place ?? ''));
}

/** Objects without an owner that have the label of a place, also those that were never ours. */
export function unowned(
  { metadata: { namespace = '' } }: Stored<SelectingOwner>,
  reader: Reader<ChildWorkload>,
  { placeLabel }: FormerChildren,
): readonly Stored<ChildWorkload>[] {
  return reader.by('orphan', orphanKey(placeLabel, namespace));
}

/**
 * A label alone never makes an object ours: the selector, which nobody can change, must be exactly the one that we would write, or that an
 * older operator gave, the labels must match, and the name must be one that we or an older operator give. Of several for one place the one
 * that serves.
 */
export function adoptable<Kind extends string>(
  owner: Stored<SelectingOwner>,
  kind: Kind,
  open: readonly Place[],
  found: readonly Stored<ChildWorkload>[],
  former: FormerChildren,
): readonly PlaceChild<Kind>[] {
  const candidates = formerChildren(owner, kind, found, former);
  return open.flatMap(({ name }) => candidates.find(({ place }) => place === name) ?? []);
}

/** Those that were this object's, the one that serves first. */
function formerChildren<Kind extends string>(
  owner: Stored<SelectingOwner>,
  kind: Kind,
  found: readonly Stored<ChildWorkload>[],
  former: FormerChildren,
): readonly PlaceChild<Kind>[] {
  // Mostly so, and a selector costs more to compile than all else here.
  if (found.length === 0) return [];
  const selector = selectorThatAdopts(owner);
  if (selector === undefined) return [];
  return found
    .filter((object) => !isTerminating(object) && selectorMatches(selector, object.metadata.labels))
    .filter((object) => wasOf(owner, object, former))
    .map((object): PlaceChild<Kind> => ({ kind, object, place: former.placeOf(object) }))
    .filter(({ place, object }) => {
      if (place === undefined) return false;
      const found = object.spec?.selector;
      if (semanticallyEqual(found, childSelector(owner, former.placeLabel, place))) return true;
      return lacksPlace(owner, kind, object, former) && semanticallyEqual(found, owner.spec.selector);
    })
    .sort(byService);
}

/**
 * The owner's own selector is what a person writes, too, so the child must have the name that the older operator gave it, also where it
 * records whose it was: what we make has the place in its selector.
 */
function lacksPlace(
  owner: SelectingOwner,
  kind: string,
  child: Stored<ChildWorkload>,
  { oldNamePrefix, mayLackPlace }: FormerChildren,
): boolean {
  if (mayLackPlace?.(kind, child) !== true) return false;
  const prefix = oldNamePrefix(owner, child);
  return prefix !== undefined && isGeneratedName(child.metadata.name, prefix);
}

/** undefined: nothing is ours but what we own, because the object is going, or its selector is empty or cannot be understood. */
export function selectorThatAdopts(owner: Stored<SelectingOwner>): Selector | undefined {
  const { selector } = owner.spec;
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  if (isTerminating(owner) || Object.keys(matchLabels).length + matchExpressions.length === 0)
    return undefined;
  try {
    return compileSelector(selector);
  } catch (error) {
    if (error instanceof InvalidSelectorError) return undefined;
    throw error;
  }
}

/** What the child of a place selects: the object's own selector, and its place. */
export function childSelector(
  { spec: { selector } }: SelectingOwner,
  placeLabel: string,
  place: string,
): LabelSelector {
  return { ...selector, matchLabels: { ...selector.matchLabels, [placeLabel]: place } };
}

export function adoptStep<Kind extends string>(
  owner: ChildOwner,
  { place: called, resourceOf, eventReason }: PlacesKind<Kind>,
  { kind, object, place }: PlaceChild<Kind>,
): Step {
  const named = `${kind} ${object.metadata.name} of ${called} ${place ?? ''}`;
  const resource: Resource<KubeObject> = resourceOf(kind);
  return {
    ...adoption(owner, resource, object),
    ...(place === undefined ? {} : { target: place }),
    eventReason,
    isPreliminary: true,
    why: { word: 'ChildAdopted', message: `${named} has no owner and is what this ${called} asks for` },
  };
}

/** Ours record whose they were; those of older operators have it in their name alone. A beginning would take what was `web-2`'s for `web`'s. */
function wasOf(
  owner: SelectingOwner,
  child: Stored<ChildWorkload>,
  { oldNamePrefix }: FormerChildren,
): boolean {
  const { name, labels: found } = child.metadata;
  const named = found?.[labels.workload];
  if (named !== undefined) return named === workloadLabel(owner.metadata.name);
  const prefix = oldNamePrefix(owner, child);
  return prefix !== undefined && isGeneratedName(name, prefix);
}
