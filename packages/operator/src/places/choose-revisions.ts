import type { Instant } from '@atoll/kube';
import { healthOf } from '../children/child-health.ts';
import { byServiceAmong, isTerminating, type OwnedChild } from '../children/child.ts';
import { sameTemplate, type Revision } from '../children/revisions/revision.ts';
import type { Hold } from '../engine/hold.ts';
import { chooseTargets } from '../engine/rollout/choose-targets.ts';
import type { RolloutPolicy } from '../engine/rollout/rollout-policy.ts';
import { joinTargetHolds, type TargetHold } from '../engine/rollout/target-hold.ts';
import { revisionAt, type At, type Target } from '../engine/rollout/target.ts';
import type { Place, PlaceChild } from './place.ts';

export interface RevisionsInput<P extends Place, Kind extends string> {
  readonly places: readonly P[];
  /** All that the object owns. */
  readonly children: readonly PlaceChild<Kind>[];
  /** Of the template that the spec gives: the newest. */
  readonly update: Revision<Kind>;
  readonly history: readonly Revision<Kind>[];
  readonly policy: RolloutPolicy;
}

export interface ChosenRevision<P extends Place, Kind extends string> {
  readonly place: P;
  readonly target: Target;
  /**
   * What the child is to be made of now: an older revision where the place is held. undefined: nothing is made here now, or
   * what runs is not in the history any more and may not be updated, so it is left alone.
   */
  readonly revision: Revision<Kind> | undefined;
  /** The child that serves the place, of the kind of `revision`; of several one that has available pods, of those one that needs no new ones, of those the oldest. */
  readonly child: PlaceChild<Kind> | undefined;
}

/**
 * For each place the revision that its child is to be made of now, and that child. A place that is held keeps the revision and
 * the kind of child that it has; during a change of kind the old child is what runs until it is started.
 */
export function chooseRevisions<P extends Place, Kind extends string>(
  { places, children, update, history, policy }: RevisionsInput<P, Kind>,
  revisionLabel: string,
  now: Instant,
): {
  readonly chosen: readonly ChosenRevision<P, Kind>[];
  readonly holds: readonly Hold[];
  readonly requeueAt: Instant | undefined;
} {
  const revisions = new Map([...history, update].map((revision) => [revision.label, revision]));
  const serving = byPlaceOf(children, (child) => {
    const runs = revisions.get(revisionAt(atOf(child, revisionLabel)) ?? '');
    return runs === update || (runs !== undefined && sameTemplate(runs.template, update.template));
  });
  const listed = places.map((place) => {
    const { name: id, labels = {} } = place;
    const own = serving.get(id) ?? [];
    const runs = own.find(({ kind }) => kind === update.template.kind) ?? own[0];
    return { place, own, runs, target: targetOf({ id, labels }, update.label, runs, revisionLabel) };
  });
  const targets = listed.map(({ target }) => target);
  const { byTarget, requeueAt } = chooseTargets({ targets, limits: policy, now });
  const held: [string, TargetHold][] = [];
  const chosen = listed.map(({ place, own, runs, target }): ChosenRevision<P, Kind> => {
    const answer = byTarget.get(target.id);
    if (answer?.do === 'hold') held.push([target.id, answer]);
    const label = answer?.do === 'hold' ? revisionAt(target.at) : answer?.revision;
    const revision = label === undefined ? undefined : revisions.get(label);
    const child = revision === undefined ? runs : own.find(({ kind }) => kind === revision.template.kind);
    return { place, target, revision, child };
  });
  return { chosen, holds: joinTargetHolds(held), requeueAt };
}

/** Those that serve a place, the one that serves it best first. */
function byPlaceOf<Kind extends string>(
  children: readonly PlaceChild<Kind>[],
  isWanted: (child: OwnedChild) => boolean,
): ReadonlyMap<string, readonly PlaceChild<Kind>[]> {
  const byPlace = new Map<string, PlaceChild<Kind>[]>();
  for (const child of children) {
    if (child.place === undefined || isTerminating(child.object)) continue;
    const found = byPlace.get(child.place);
    if (found === undefined) byPlace.set(child.place, [child]);
    else found.push(child);
  }
  for (const several of byPlace.values())
    if (several.length > 1) several.sort(byServiceAmong(several, isWanted));
  return byPlace;
}

function targetOf(
  about: Pick<Target, 'id' | 'labels'>,
  wanted: string,
  child: PlaceChild | undefined,
  revisionLabel: string,
): Target {
  if (child === undefined) return { ...about, at: 'nothing', wanted, health: 'gone', reach: 'reachable' };
  const { available, stuck } = healthOf(child);
  return {
    ...about,
    at: atOf(child, revisionLabel),
    wanted,
    health: available ? 'healthy' : stuck === undefined ? 'starting' : 'broken',
    reach: 'reachable',
  };
}

function atOf({ kind, object }: OwnedChild, revisionLabel: string): At {
  const revision = object.metadata.labels?.[revisionLabel];
  return revision === undefined ? 'unknown' : { revision, kind };
}
