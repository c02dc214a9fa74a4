import { conditionTypes, labels } from '@atoll/api';
import { deployments, statefulSets } from '@atoll/kube';
import type { PlaceChild } from '../places/place.ts';
import type { PlacesKind } from '../places/places-kind.ts';

/** The kinds that a template can be of: the values of `status.templateType`. */
export type ChildKind = 'Deployment' | 'StatefulSet';

export type Child = PlaceChild<ChildKind>;

export const poolPlaces: PlacesKind<ChildKind> = {
  place: 'pool',
  places: 'pools',
  childKinds: ['Deployment', 'StatefulSet'],
  resourceOf: (kind) => (kind === 'Deployment' ? deployments : statefulSets),
  placeLabel: labels.poolName,
  revisionLabel: labels.controllerRevisionHash,
  eventReason: 'Failed UpdateWorkload',
  troubleCondition: { type: conditionTypes.workLoadFailure, status: 'True' },
};
