import { ownField, type Instant } from '@atoll/kube';
import type { Finding } from '../causes/finding.ts';
import { healthOf, type ChildHealth } from '../children/child-health.ts';
import { isTerminating } from '../children/child.ts';
import { lateAt } from '../children/late.ts';
import type { JudgedPod } from '../children/pods/pod-facts.ts';
import { neededRevisions } from '../children/revisions/needed-revisions.ts';
import type { Hold } from '../engine/hold.ts';
import { isAtWanted, revisionAt } from '../engine/rollout/target.ts';
import { chooseRevisions, type ChosenRevision, type RevisionsInput } from './choose-revisions.ts';
import type { NameConflict } from './children/name-conflict.ts';
import type { Place, PlaceChild } from './place.ts';

/** What is known of an object's places when it is decided about them. */
export interface ObservedPlaces<P extends Place, Kind extends string> extends RevisionsInput<P, Kind> {
  /** The name in the status. */
  readonly currentRevision: string | undefined;
  /** By the uid of the child; nothing where they have not all been read. */
  readonly pods: Readonly<Record<string, readonly JudgedPod[]>>;
  /** Why children are not healthy, by the uid of the child, as far as that was found. */
  readonly findings: Readonly<Record<string, Finding>>;
  /** By place. */
  readonly nameConflicts: Readonly<Record<string, NameConflict<Kind>>>;
  /** Children that nobody owns and that are to become ours: at most one for a place, which has none. */
  readonly orphans: readonly PlaceChild<Kind>[];
}

/** What is decided for one place. */
export interface PlaceDecision<P extends Place = Place, Kind extends string = string> extends ChosenRevision<
  P,
  Kind
> {
  readonly health: ChildHealth | undefined;
  /** When the child counts as late, because its pods have not become available; undefined: never, or its own status shows it. */
  readonly lateAt: Instant | undefined;
  readonly nameConflict: NameConflict<Kind> | undefined;
  /** A child that nobody owns and that becomes ours before another is made. */
  readonly orphan: PlaceChild<Kind> | undefined;
  /** Why the child is not healthy, as far as that was found in its pods. */
  readonly finding: Finding | undefined;
}

export interface DecidedPlaces<Decision extends PlaceDecision> {
  /** In the order in which they were given. */
  readonly places: readonly Decision[];
  /** Why the rollout does not go on at some places. */
  readonly rolloutHolds: readonly Hold[];
  /** When time alone may let it go on. */
  readonly rolloutGoesOnAt: Instant | undefined;
  /** Labels of revisions that the history must keep. */
  readonly needed: ReadonlySet<string>;
  /** Children that are being deleted, and others that have the name of one. */
  readonly going: readonly PlaceChild[];
}

/**
 * For each place the child that serves it and the revision that it is to have. Which places may be updated now is asked
 * here, for all kinds (`choose-revisions.ts`).
 */
export function decidePlaces<P extends Place, Kind extends string>(
  observed: ObservedPlaces<P, Kind>,
  revisionLabel: string,
  now: Instant,
): DecidedPlaces<PlaceDecision<P, Kind>> {
  const { children, update, history, currentRevision, pods, nameConflicts, findings, orphans } = observed;
  const { chosen, holds, requeueAt } = chooseRevisions(observed, revisionLabel, now);
  const decided = chosen.map((each): PlaceDecision<P, Kind> => {
    const { place, child } = each;
    const conflict = ownField(nameConflicts, place.name);
    return {
      ...each,
      health: child === undefined ? undefined : healthOf(child),
      lateAt: child === undefined ? undefined : lateAt(child, pods[child.object.metadata.uid]),
      nameConflict: conflict?.until !== undefined && conflict.until <= now ? undefined : conflict,
      orphan: child === undefined ? orphans.find((found) => found.place === place.name) : undefined,
      finding: findings[child?.object.metadata.uid ?? ''],
    };
  });
  const needed = neededRevisions(update, history, currentRevision, children, revisionLabel);
  const rendered = decided.flatMap(({ revision }) => revision?.label ?? []);
  return {
    places: decided,
    rolloutHolds: holds,
    rolloutGoesOnAt: requeueAt,
    needed: new Set([...needed, ...rendered]),
    going: [
      ...children.filter(({ object }) => isTerminating(object)),
      ...decided.flatMap(({ nameConflict }) => nameConflict?.going ?? []),
    ],
  };
}

/** Whether the child is made of what it is to be made of now, and its pods are waited for. */
export function awaitsPods({ target, revision, health }: PlaceDecision): boolean {
  if (health === undefined || revisionAt(target.at) !== revision?.label) return false;
  return isAtWanted(target) || !health.updated || !health.available;
}
