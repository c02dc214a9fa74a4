import type { Instant, Stored } from '@atoll/kube';
import type { ChildWorkload } from '../engine/children/child.ts';
import { compareChild, type Difference } from '../engine/children/compare-child.ts';
import { finishChild } from './finish-child.ts';
import type { Place } from './render-child.ts';

/** What is to be written so that the child is what its place asks for; undefined: nothing. */
export function comparePoolChild(
  place: Place,
  live: Stored<ChildWorkload>,
  now: Instant,
): Difference | undefined {
  const { owner, pool, revision, replicas, knownToOldOperator } = place;
  const { uid, name } = owner.object.metadata;
  const asked = {
    ownerUid: uid,
    ownerName: name,
    selector: owner.object.spec.selector,
    pool: pool.name,
    taints: pool.taints,
    revision: revision.label,
    replicas,
    knownToOldOperator,
  };
  return compareChild(revision.template, asked, live, () => finishChild(place, live, now));
}
