import { controllerOf, type Instant, type OwnerReference, type Reader, type Stored } from '@atoll/kube';
import { isTerminating, type ChildWorkload } from '../../children/child.ts';
import { childName } from '../../children/names.ts';
import type { ChildOwner } from '../../children/ownership/owner.ts';
import { hold, type Hold } from '../../engine/hold.ts';
import { predecessorsChild } from '../adoption/predecessor.ts';
import type { Place, PlaceChild } from '../place.ts';

/** An object that has the name which a new child would get, or the place of one. */
export interface NameConflict<Kind extends string = string> {
  readonly kind: Kind;
  readonly name: string;
  /** It is being deleted, or is to become ours or go soon; otherwise it stays. */
  readonly goes: boolean;
  readonly holder: string;
  /** It has no controller and is the child of this object of another kind, which may take it back. */
  readonly madeFor?: string;
  /** What is being deleted and is no child of ours. */
  readonly going?: PlaceChild<Kind>;
  /** The child that may become ours. */
  readonly child?: PlaceChild<Kind>;
  /** After that it is not waited for. */
  readonly until?: Instant;
}

/** By place, for those that no child of the wanted kind serves. `children`: those that are to become ours included. */
export function nameConflicts<Kind extends string>(
  owner: ChildOwner,
  kind: Kind,
  places: readonly Place[],
  children: readonly PlaceChild<Kind>[],
  reader: Reader<ChildWorkload>,
  placeOf: (child: ChildWorkload) => string | undefined,
): Readonly<Record<string, NameConflict<Kind>>> {
  const { namespace = '' } = owner.object.metadata;
  const live = children.filter((child) => child.kind === kind && !isTerminating(child.object));
  const served = new Set(live.map((child) => child.place));
  const conflicts: Record<string, NameConflict<Kind>> = {};
  for (const { name } of places) {
    if (served.has(name)) continue;
    const found = reader.get({ namespace, name: childName(owner.object.metadata, name) });
    const conflict =
      found === undefined
        ? predecessorsChild(owner, kind, reader, name, placeOf)
        : nameConflictWith(found, owner, kind, name);
    if (conflict !== undefined) conflicts[name] = conflict;
  }
  return conflicts;
}

function nameConflictWith<Kind extends string>(
  found: Stored<ChildWorkload>,
  { object }: ChildOwner,
  kind: Kind,
  place: string,
): NameConflict<Kind> {
  const controller = controllerOf(found);
  const goes = isTerminating(found);
  const isOurs = controller?.uid === object.metadata.uid;
  return {
    kind,
    name: found.metadata.name,
    goes,
    holder: controller === undefined ? 'nobody' : `${controller.kind} ${controller.name}`,
    ...(goes && !isOurs ? { going: { kind, object: found, place } } : {}),
  };
}

/** By place, for children without an owner that were made for objects of another kind: neither adopted nor made a second time. */
export function conflictsWithOthers<Kind extends string>(
  found: readonly PlaceChild<Kind>[],
  otherOf: ReadonlyMap<Stored<ChildWorkload>, OwnerReference>,
): Readonly<Record<string, NameConflict<Kind>>> {
  return Object.fromEntries(
    found.flatMap(({ kind, object, place }) => {
      const other = otherOf.get(object);
      if (place === undefined || other === undefined) return [];
      const madeFor = `${other.kind} ${other.name}`;
      return [[place, { kind, name: object.metadata.name, goes: false, holder: 'nobody', madeFor }]];
    }),
  );
}

/** Why no child is made at the place. */
export function nameConflictHold({ kind, name, goes, holder, madeFor }: NameConflict, place: string): Hold {
  if (goes) {
    const waitingUntil = `the old ${kind} ${name}, which is being deleted, is gone`;
    return hold('NameTaken', 'time', [place], { waitingUntil }, false);
  }
  if (madeFor !== undefined) {
    const problem =
      `the ${kind} ${name} has no controller and was made for ${madeFor}, so it is not adopted, and no other one is made beside it. ` +
      'Delete it if it is not needed, or give this object another name';
    return { ...hold('NameTaken', 'person', [place], { problem }, true), mayPass: true };
  }
  const owner = holder === 'nobody' ? 'has no controller' : `is controlled by ${holder}`;
  const problem = `the ${kind} ${name} exists already and ${owner}. Delete it if it is not needed, or give this object another name`;
  return hold('NameTaken', 'person', [place], { problem }, true);
}
