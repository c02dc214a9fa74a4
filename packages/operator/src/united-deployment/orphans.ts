import { annotations, labels, type UnitedDeployment } from '@atoll/api';
import { compileSelector, selectorMatches, semanticallyEqual } from '@atoll/kube';
import type { Stored } from '@atoll/kube';
import { byService, isTerminating, type ChildWorkload } from '../engine/children/child.ts';
import { childNamePrefix, workloadLabel } from '../engine/children/names.ts';
import { subsetNamedBy, type Child } from './child.ts';
import type { ChildKind } from './child-kind.ts';
import type { SubsetWish } from './observe.ts';
import { childSelector } from './render-child.ts';

/**
 * Children without an owner that were this UnitedDeployment's, or its namesake's before it: whoever deletes one with
 * `--cascade=orphan` and makes it again wants them back. A label alone never makes an object ours: the selector, which
 * nobody can change, must be exactly the one that we would write, the labels must match, and the name must be one that
 * either operator gives. Of several for one subset the one that serves.
 */
export function adoptable(
  owner: Stored<UnitedDeployment>,
  kind: ChildKind,
  open: readonly SubsetWish[],
  found: readonly Stored<ChildWorkload>[],
): readonly Child[] {
  if (isTerminating(owner)) return [];
  const selector = compileSelector(owner.spec.selector);
  const candidates = found
    .filter((object) => !isTerminating(object) && selectorMatches(selector, object.metadata.labels))
    .filter((object) => wasOf(owner, object))
    .map((object): Child => ({ kind, object, subset: subsetNamedBy(object) }))
    .sort(byService);
  return open.flatMap(({ name }) => {
    const wanted = childSelector(owner, name);
    const first = candidates.find(
      ({ subset, object }) => subset === name && semanticallyEqual(object.spec?.selector, wanted),
    );
    return first === undefined ? [] : [first];
  });
}

/** Ours say whose they were; Kruise's carry their owner's name and one of its annotations. */
function wasOf(owner: Stored<UnitedDeployment>, { metadata }: Stored<ChildWorkload>): boolean {
  const said = metadata.labels?.[labels.workload];
  if (said !== undefined) return said === workloadLabel(owner.metadata.name);
  const kruises =
    metadata.annotations?.[annotations.subsetPatch] !== undefined ||
    metadata.labels?.[labels.subsetRevision] !== undefined;
  return kruises && metadata.name.startsWith(childNamePrefix(owner.metadata.name));
}
