import { byAge, type KubeObject } from '@atoll/kube';
import { byService, isServing, isTerminating } from '../../children/child.ts';
import { deletion } from '../../engine/steps/deletion.ts';
import { seenInSpec } from '../../engine/steps/seen.ts';
import type { Reason, Seen, Step } from '../../engine/step.ts';
import type { PlaceDecision } from '../decide-places.ts';
import type { Place, PlaceChild } from '../place.ts';
import type { PlacesKind } from '../places-kind.ts';

/** Why and how the child of a place goes that the object does not have any more. */
export interface PlaceLeft {
  readonly why: Reason;
  /** What is read live before the child is deleted. */
  readonly restsOn?: readonly Seen[];
  /** Names of children that are made before, and uids of those that are written. */
  readonly dependsOn?: readonly string[];
  /** Whether the object is read live once more before the child is deleted. */
  readonly irreversible?: true;
}

/** A child that is to be deleted. */
export interface ChildToDelete<Kind extends string = string> {
  readonly child: PlaceChild<Kind>;
  readonly because:
    | { readonly left: PlaceLeft }
    /** `byStatus`: it is older, but has no available pods while the other has, or has an older template. */
    | { readonly duplicateOf: PlaceChild<Kind>; readonly byStatus: boolean }
    /** It served the place before the template became one of another kind. `isAvailable`: this was waited for. */
    | { readonly replacedBy: PlaceChild<Kind>; readonly isAvailable: boolean };
}

/** The rules of a kind for children that serve their place no longer. */
export interface DeletionRules<P extends Place, Kind extends string> {
  /** What becomes of the child of a place that the object does not have any more. */
  readonly ifLeft: (place: string, child: PlaceChild<Kind>) => PlaceLeft | 'pending' | 'stays';
  /** When a child of another kind is deleted, for the place that it serves: the one that replaces it has to be there, or available. */
  readonly replacement: (decision: PlaceDecision<P, Kind>) => 'missing' | 'present' | 'available';
}

/**
 * The children that are too many: duplicates always, those of places that the object does not have any more, and those of
 * another kind when they are replaced. `pendingDeletion`: will be deleted, and stay until others have taken their place.
 */
export function childrenToDelete<P extends Place, Kind extends string>(
  children: readonly PlaceChild<Kind>[],
  decisions: readonly PlaceDecision<P, Kind>[],
  rules: DeletionRules<P, Kind>,
): {
  readonly toDelete: readonly ChildToDelete<Kind>[];
  readonly pendingDeletion: readonly PlaceChild<Kind>[];
} {
  const toDelete: ChildToDelete<Kind>[] = [];
  const pendingDeletion: PlaceChild<Kind>[] = [];
  const byPlace = new Map(decisions.map((decision) => [decision.place.name, decision]));
  for (const child of children.filter(({ object }) => !isTerminating(object)).sort(byService)) {
    if (child.place === undefined) continue;
    const decision = byPlace.get(child.place);
    if (decision === undefined) {
      const left = rules.ifLeft(child.place, child);
      if (left === 'pending') pendingDeletion.push(child);
      else if (left !== 'stays') toDelete.push({ child, because: { left } });
      continue;
    }
    const { child: serving } = decision;
    if (child === serving) continue;
    if (serving !== undefined && child.kind === serving.kind) {
      const byStatus = byAge(child.object, serving.object) < 0;
      toDelete.push({ child, because: { duplicateOf: serving, byStatus } });
      continue;
    }
    const replacement = rules.replacement(decision);
    if (serving === undefined || replacement === 'missing') pendingDeletion.push(child);
    else {
      const isAvailable = replacement === 'available';
      toDelete.push({ child, because: { replacedBy: serving, isAvailable } });
    }
  }
  return { toDelete, pendingDeletion };
}

/**
 * Each must still be as it was seen. A person may have let it go meanwhile, so that it stays; and which of two duplicates goes depends on the
 * status of both. What another child serves instead goes only while that one is there: somebody may have deleted it meanwhile, and the
 * place would have none.
 */
export function deleteStep<Kind extends string>(
  { child, because }: ChildToDelete<Kind>,
  kind: PlacesKind<Kind>,
): Step {
  const left = 'left' in because ? because.left : leftTo(child, because, kind);
  return {
    ...deletion(kind.resourceOf(child.kind), child.object, { asSeen: true }),
    ...left,
    ...(child.place === undefined ? {} : { target: child.place }),
  };
}

function leftTo<Kind extends string>(
  child: PlaceChild<Kind>,
  because: Exclude<ChildToDelete<Kind>['because'], { readonly left: PlaceLeft }>,
  kind: PlacesKind<Kind>,
): PlaceLeft {
  const serving = 'duplicateOf' in because ? because.duplicateOf : because.replacedBy;
  return { why: reasonToDelete(child, because, kind.place), restsOn: [seenServing(serving, kind)] };
}

/** A child for whose sake another one goes: the same, with the spec that was seen, and not being deleted. */
export function seenServing<Kind extends string>(
  { kind, object }: PlaceChild<Kind>,
  { resourceOf }: Pick<PlacesKind<Kind>, 'resourceOf'>,
): Seen {
  return seenInSpec<KubeObject>(resourceOf(kind), object);
}

function whichStays(
  child: PlaceChild,
  { duplicateOf, byStatus }: { readonly duplicateOf: PlaceChild; readonly byStatus: boolean },
): string {
  if (!byStatus) return 'an older child';
  return isServing(duplicateOf) && !isServing(child)
    ? 'another child, whose pods are available'
    : 'another child, which has the current template';
}

function reasonToDelete(
  child: PlaceChild,
  because: Exclude<ChildToDelete['because'], { readonly left: PlaceLeft }>,
  called: string,
): Reason {
  const { place = '' } = child;
  if ('duplicateOf' in because) {
    const { name } = because.duplicateOf.object.metadata;
    const message = `${called} ${place} has ${whichStays(child, because)}: ${name}`;
    return { word: 'DuplicateChild', message };
  }
  const { kind, object } = because.replacedBy;
  const available = because.isAvailable ? ' and is available' : '';
  return {
    word: 'ChildDeleted',
    message: `${kind} ${object.metadata.name} serves ${called} ${place} now${available}`,
  };
}
