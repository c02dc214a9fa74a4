import { annotations } from '@atoll/api';
import type { Instant, Stored } from '@atoll/kube';
import type { ChildWorkload, RenderedChild } from '../../children/child.ts';
import { compareChild, newChild, type Asked, type Difference } from '../../children/compare-child.ts';
import { finishChild } from './finish-child.ts';
import type { RenderInput } from './render-child.ts';

const { applyTemplate, discardOverrides } = annotations;

/** The child of a pool that has none. */
export function newPoolChild(input: RenderInput, now: Instant): RenderedChild {
  const asked = askedOf(input);
  return newChild(
    input.revision.template,
    () => finishChild(input, undefined, now),
    () => asked,
  );
}

/** What is to be written so that the child is what is asked for; undefined: nothing. */
export function comparePoolChild(
  input: RenderInput,
  live: Stored<ChildWorkload>,
  now: Instant,
): Difference | undefined {
  const { template } = input.revision;
  return compareChild(template, askedOf(input), live, () => finishChild(input, live, now));
}

function askedOf({ owner, pool, revision, replicas, knownToOldOperator }: RenderInput): Asked {
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
