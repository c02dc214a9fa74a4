import { conditionTypes, kruiseEventReasons, labels } from '@atoll/api';
import type { ChildWorkload } from '../children/child.ts';
import type { PlaceChild } from '../places/place.ts';
import type { PlacesKind } from '../places/places-kind.ts';
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
