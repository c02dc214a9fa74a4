import { annotations } from '@atoll/api';
import type { Instant } from '@atoll/kube';
import { byService, isTerminating } from '../children/child.ts';
import { healthOf, type ChildHealth } from '../children/child-health.ts';
import { lateAt } from '../children/late.ts';
import type { JudgedPod } from '../children/pods/pod-facts.ts';
import { neededRevisions } from '../children/revisions/needed-revisions.ts';
import type { Revision } from '../children/revisions/revision.ts';
import type { Hold } from '../engine/hold.ts';
import { chooseTargets } from '../engine/rollout/choose-targets.ts';
import type { Target } from '../engine/rollout/target.ts';
import type { NameConflict } from './name-conflict.ts';
import type { Place, PlaceChild } from './place.ts';

/** What is known of an object's places when it is decided about them. */
export interface ObservedPlaces<P extends Place, Kind extends string> {
  readonly places: readonly P[];
  /** All that the object owns. */
  readonly children: readonly PlaceChild<Kind>[];
  /** Of the template that the spec gives. */
  readonly update: Revision<Kind>;
  readonly history: readonly Revision<Kind>[];
  /** The name that the status says. */
  readonly currentRevision: string | undefined;
  /** By the uid of the child; nothing where they have not all been read. */
  readonly pods: Readonly<Record<string, readonly JudgedPod[]>>;
  /** By place. */
  readonly nameConflicts: Readonly<Record<string, NameConflict>>;
}

/** What is decided for one place. */
export interface PlaceDecision<P extends Place = Place, Kind extends string = string> {
  readonly place: P;
  readonly target: Target;
  /** The child that serves the place; of several one that has available pods, of those the oldest. */
  readonly child: PlaceChild<Kind> | undefined;
  readonly health: ChildHealth | undefined;
  /** When the child counts as late, because its pods have not become available; undefined: never, or its status says so itself. */
  readonly lateAt: Instant | undefined;
  /**
   * What the child is to be made of. undefined: it runs a revision that is not in the history any more and may not be updated
   * now, so it is left alone.
   */
  readonly revision: Revision<Kind> | undefined;
  readonly nameConflict: NameConflict | undefined;
}

export interface DecidedPlaces<Decision extends PlaceDecision> {
  /** In the order in which they were given. */
  readonly places: readonly Decision[];
  /** Why the rollout does not go on at some places. */
  readonly rolloutHolds: readonly Hold[];
  /** Labels of revisions that the history must keep. */
  readonly needed: ReadonlySet<string>;
}

/**
 * For each place the child that serves it and the revision that it is to have. Which places may be updated now is asked
 * here, for all kinds (`engine/rollout/choose-targets.ts`).
 */
export function decidePlaces<P extends Place, Kind extends string>(
  observed: ObservedPlaces<P, Kind>,
  revisionLabel: string,
  now: Instant,
): DecidedPlaces<PlaceDecision<P, Kind>> {
  const { places, children, update, history, currentRevision, pods, nameConflicts } = observed;
  const serving = servingChildren(children, update.template.kind);
  const targets = places.map((place) => targetOf(place, serving.get(place.name), revisionLabel, update));
  const chosen = chooseTargets(targets);
  const mayMove = new Set(chosen.move);
  const revisions = new Map([...history, update].map((revision) => [revision.label, revision]));
  const decided = places.map((place, index): PlaceDecision<P, Kind> => {
    const child = serving.get(place.name);
    const target = targets[index] as Target;
    const stays =
      target.revision !== undefined && target.revision !== target.wanted && !mayMove.has(target.id);
    const conflict = nameConflicts[place.name];
    return {
      place,
      target,
      child,
      health: child === undefined ? undefined : healthOf(child),
      lateAt: child === undefined ? undefined : lateAt(child, pods[child.object.metadata.uid]),
      revision: revisions.get(stays ? (target.revision ?? '') : target.wanted),
      nameConflict: conflict?.until !== undefined && conflict.until <= now ? undefined : conflict,
    };
  });
  const needed = neededRevisions(update, history, currentRevision, children, revisionLabel);
  return { places: decided, rolloutHolds: chosen.holds, needed };
}

/** By place: its child of the wanted kind. */
function servingChildren<Kind extends string>(
  children: readonly PlaceChild<Kind>[],
  kind: Kind,
): ReadonlyMap<string, PlaceChild<Kind>> {
  const serving = new Map<string, PlaceChild<Kind>>();
  const live = children.filter((child) => child.kind === kind && !isTerminating(child.object));
  for (const child of live.sort(byService)) {
    if (child.place !== undefined && !serving.has(child.place)) serving.set(child.place, child);
  }
  return serving;
}

function targetOf(
  { name, pool, labels = {} }: Place,
  child: PlaceChild | undefined,
  revisionLabel: string,
  update: Revision,
): Target {
  const { labels: found, annotations: noted } = child?.object.metadata ?? {};
  const started = Date.parse(noted?.[annotations.startedAt] ?? '');
  return {
    id: name,
    ...(pool === undefined ? {} : { pool }),
    labels,
    revision: found?.[revisionLabel],
    wanted: update.label,
    healthy: child === undefined ? false : healthOf(child).available,
    reachable: true,
    ...(Number.isNaN(started) ? {} : { startedAt: started }),
  };
}
