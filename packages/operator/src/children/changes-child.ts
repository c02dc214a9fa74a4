import type { CacheEvent, Stored } from '@atoll/kube';
import { sameJson } from '../engine/same-meaning.ts';
import type { ChildWorkload } from './child.ts';

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
