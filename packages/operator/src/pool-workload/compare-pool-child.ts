import { annotations } from '@atoll/api';
import type { Instant, Stored } from '@atoll/kube';
import type { ChildWorkload, RenderedChild } from '../children/child.ts';
import { compareChild, newChild, type Asked, type Difference } from '../children/compare-child.ts';
import { finishChild } from './finish-child.ts';
import type { Place } from './render-child.ts';

const { applyTemplate, discardOverrides } = annotations;

/** The child of a pool that has none. */
export function newPoolChild(place: Place, now: Instant): RenderedChild {
  const asked = askedOf(place);
  return newChild(
    place.revision.template,
    () => finishChild(place, undefined, now),
    () => asked,
  );
}

/** What is to be written so that the child is what its place asks for; undefined: nothing. */
export function comparePoolChild(
  place: Place,
  live: Stored<ChildWorkload>,
  now: Instant,
): Difference | undefined {
  const { template } = place.revision;
  return compareChild(template, askedOf(place), live, () => finishChild(place, live, now));
}

function askedOf({ owner, pool, revision, replicas, knownToOldOperator }: Place): Asked {
  const {
    uid,
    name,
    annotations: { [applyTemplate]: applied, [discardOverrides]: discarded } = {},
  } = owner.object.metadata;
  return {
    ownerUid: uid,
    ownerName: name,
    selector: owner.object.spec.selector,
    pool: pool.name,
    taints: pool.taints,
    revision: revision.label,
    replicas,
    knownToOldOperator,
    applied,
    discarded,
  };
}
