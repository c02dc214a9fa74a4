import type { CacheEvent, KubeObject, Stored } from '@atoll/kube';
import type { Waking } from '../engine/controller.ts';
import { sameJson } from '../engine/same-meaning.ts';
import type { ChildWorkload, OwnedChild } from './child.ts';
import { healthOf } from './child-health.ts';

/**
 * What a change of a child tells. `counts`: only numbers of its status move, or somebody made it whom its own controller
 * has not seen yet. `completion`: it has become complete, or is no longer so. `other`: anything else.
 */
export type ChildNews = 'counts' | 'completion' | 'other';

export function newsOf<Kind extends string>(kind: Kind, event: CacheEvent<ChildWorkload>): ChildNews {
  if (event.type === 'deleted') return 'other';
  const { object } = event;
  if (event.type === 'added') return object.status?.observedGeneration === undefined ? 'counts' : 'other';
  const { old } = event;
  const [before, after] = [healthOf({ kind, object: old }), healthOf({ kind, object })];
  if (!differsInStatusOnly(old, object) || before.stuck !== after.stuck) return 'other';
  return isComplete({ kind, object: old }) === isComplete({ kind, object }) &&
    before.availableCondition === after.availableCondition
    ? 'counts'
    : 'completion';
}

/** Whether a child came, went or was changed, as opposed to what its controller counts: a quota may have room again. */
export function changesChild(event: CacheEvent<ChildWorkload>): boolean {
  return event.type !== 'updated' || !differsInStatusOnly(event.old, event.object);
}

function differsInStatusOnly(old: Stored<ChildWorkload>, object: Stored<ChildWorkload>): boolean {
  return (
    old.metadata.uid === object.metadata.uid &&
    old.metadata.generation === object.metadata.generation &&
    old.metadata.deletionTimestamp === object.metadata.deletionTimestamp &&
    sameJson(old.metadata.ownerReferences, object.metadata.ownerReferences) &&
    sameJson(old.metadata.labels, object.metadata.labels) &&
    sameNotes(old, object)
  );
}

/**
 * How it wakes the owner, where what a child counts decides nothing. That one is complete, or no longer so, counts too, unless
 * something waits for that.
 */
export function wakesByNews(news: ChildNews, isAwaited: () => boolean): Waking {
  switch (news) {
    case 'counts':
      return 'counted';
    case 'completion':
      return isAwaited() ? 'in-time' : 'counted';
    case 'other':
      return 'in-time';
  }
}

/** Children of one kind that one owner has. */
export interface Siblings {
  readonly kind: string;
  readonly objects: readonly Stored<ChildWorkload>[];
}

/** Whether all children but this one are complete. */
export function areOthersComplete(
  all: readonly Siblings[],
  { metadata: { uid } }: Stored<KubeObject>,
): boolean {
  return all.every(({ kind, objects }) =>
    objects.every((object) => object.metadata.uid === uid || isComplete({ kind, object })),
  );
}

/** All its pods are of its present template, and available. */
export function isComplete(child: OwnedChild): boolean {
  const { updated, available } = healthOf(child);
  return updated && available;
}

/** The Deployment controller numbers what it rolls out; everything else that is noted may be somebody's wish. */
const deploymentRevision = 'deployment.kubernetes.io/revision';

/** Whether two versions of a child carry the same annotations, besides what its own controller notes. */
export function sameNotes(a: Stored<ChildWorkload>, b: Stored<ChildWorkload>): boolean {
  const [left, right] = [a.metadata.annotations, b.metadata.annotations];
  return left === right || sameJson(withoutRevision(left), withoutRevision(right));
}

function withoutRevision(annotations: Readonly<Record<string, string>> = {}): object {
  const { [deploymentRevision]: _its, ...rest } = annotations;
  return rest;
}
