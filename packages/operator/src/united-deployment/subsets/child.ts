import { annotations, conditionTypes, kruiseEventReasons, labels, unitedDeployments } from '@atoll/api';
import type { ChildWorkload } from '../../children/child.ts';
import type { FormerChildren } from '../../places/adoption/orphans.ts';
import type { PlaceChild } from '../../places/place.ts';
import type { PlacesKind } from '../../places/places-kind.ts';
import { childKinds, kindFacts, type ChildKind } from './child-kind.ts';

export type Child = PlaceChild<ChildKind>;

export const subsetPlaces: PlacesKind<ChildKind> = {
  place: 'subset',
  places: 'subsets',
  childKinds,
  resourceOf: (kind) => kindFacts[kind].resource,
  placeLabel: labels.subsetName,
  revisionLabel: labels.subsetRevision,
  eventReason: kruiseEventReasons.failedUpdateSubset,
  createEventReason: kruiseEventReasons.failedUpdateSubset,
  troubleCondition: { type: conditionTypes.subsetFailure, status: 'True' },
};

/** The selector of a child cannot be changed by anybody, so it is asked first; the label is the same. */
export function subsetNamedBy({ spec, metadata }: ChildWorkload): string | undefined {
  const named = spec?.selector?.matchLabels?.[labels.subsetName] ?? metadata.labels?.[labels.subsetName];
  return named === '' ? undefined : named;
}

/**
 * Kruise's carry one of its annotations, and are named `<owner>-<subset>-`, or `<owner>-` where a subset's name cannot be a part of names,
 * and 5 random characters (`reference/uniteddeployment.md` 3.5).
 */
export const formerSubsets: FormerChildren = {
  kinds: [unitedDeployments],
  placeLabel: labels.subsetName,
  placeOf: subsetNamedBy,
  oldNamePrefix: (owner, child) => {
    const { annotations: noted, labels: found } = child.metadata;
    const isKruises =
      noted?.[annotations.subsetPatch] !== undefined || found?.[labels.subsetRevision] !== undefined;
    if (!isKruises) return undefined;
    const subset = subsetNamedBy(child) ?? '';
    const isPart = /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/.test(subset);
    return isPart ? `${owner.metadata.name}-${subset}-` : `${owner.metadata.name}-`;
  },
};
