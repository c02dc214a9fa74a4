import { annotations, labels, type UnitedDeployment } from '@atoll/api';
import { compileSelector, selectorMatches, semanticallyEqual } from '@atoll/kube';
import type { Stored } from '@atoll/kube';
import { byService, isTerminating, type ChildWorkload } from '../../children/child.ts';
import { workloadLabel } from '../../children/names.ts';
import { subsetNamedBy, type Child } from '../child.ts';
import type { ChildKind } from '../child-kind.ts';
import type { DesiredSubset } from '../observe.ts';
import { childSelector } from '../rendering/render-child.ts';

/** The API server's own limit for what stands before the random part of a name. */
const generatedPrefixLimit = 58;

/**
 * Children without an owner that were this UnitedDeployment's, or its namesake's before it: a person who deletes one with
 * `--cascade=orphan` and makes it again wants them back. A label alone never makes an object ours: the selector, which
 * nobody can change, must be exactly the one that we would write, the labels must match, and the name must be one that
 * either operator gives. Of several for one subset the one that serves.
 */
export function adoptable(
  owner: Stored<UnitedDeployment>,
  kind: ChildKind,
  open: readonly DesiredSubset[],
  found: readonly Stored<ChildWorkload>[],
): readonly Child[] {
  if (isTerminating(owner)) return [];
  const selector = compileSelector(owner.spec.selector);
  const candidates = found
    .filter((object) => !isTerminating(object) && selectorMatches(selector, object.metadata.labels))
    .filter((object) => wasOf(owner, object))
    .map((object): Child => ({ kind, object, place: subsetNamedBy(object) }))
    .sort(byService);
  return open.flatMap(({ name }) => {
    const wanted = childSelector(owner, name);
    const first = candidates.find(
      ({ place, object }) => place === name && semanticallyEqual(object.spec?.selector, wanted),
    );
    return first === undefined ? [] : [first];
  });
}

/** Ours record whose they were; Kruise's carry one of its annotations, and have it in their name alone. */
function wasOf(owner: Stored<UnitedDeployment>, object: Stored<ChildWorkload>): boolean {
  const { metadata } = object;
  const named = metadata.labels?.[labels.workload];
  if (named !== undefined) return named === workloadLabel(owner.metadata.name);
  const kruises =
    metadata.annotations?.[annotations.subsetPatch] !== undefined ||
    metadata.labels?.[labels.subsetRevision] !== undefined;
  return kruises && isNamedByKruise(metadata.name, owner.metadata.name, subsetNamedBy(object) ?? '');
}

/**
 * `<owner>-<subset>-`, or `<owner>-` where a subset's name cannot be a part of names, cut to 58 characters, and 5 random
 * ones (`reference/uniteddeployment.md` 3.5). A beginning alone would take what was `web-2`'s for `web`'s.
 */
function isNamedByKruise(name: string, owner: string, subset: string): boolean {
  const isPart = /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/.test(subset);
  const prefix = (isPart ? `${owner}-${subset}-` : `${owner}-`).slice(0, generatedPrefixLimit);
  return name.startsWith(prefix) && /^[a-z0-9]{5}$/.test(name.slice(prefix.length));
}
