import {
  annotations,
  conditionTypes,
  labels,
  oldEventReasons,
  unitedDaemonSets,
  yurtAppDaemons,
} from '@atoll/api';
import { deployments, statefulSets } from '@atoll/kube';
import type { ChildWorkload } from '../children/child.ts';
import type { FormerChildren } from '../places/adoption/orphans.ts';
import type { PlaceChild } from '../places/place.ts';
import type { PlacesKind } from '../places/places-kind.ts';

/** Of a name in Kubernetes. */
const nameLimit = 253;

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
  eventReason: oldEventReasons.failedUpdateWorkload,
  troubleCondition: { type: conditionTypes.workLoadFailure, status: 'True' },
};

/**
 * The selector of a child cannot be changed by anybody, so it is asked first. The old operator maps by the annotation,
 * and the label is the same.
 */
export function poolNamedBy({ spec, metadata }: ChildWorkload): string | undefined {
  const named =
    spec?.selector?.matchLabels?.[labels.poolName] ??
    metadata.annotations?.[annotations.refNodePool] ??
    metadata.labels?.[labels.poolName];
  return named === '' ? undefined : named;
}

/**
 * The old operator's carry its annotation, and are named `<owner>-<pool>-`, or `<owner>-` where that would be too long for a name, and 5
 * random characters (`reference/openyurt.md` 3.1.4).
 */
export const formerPools: FormerChildren = {
  kinds: [unitedDaemonSets, yurtAppDaemons],
  placeLabel: labels.poolName,
  placeOf: poolNamedBy,
  oldNamePrefix: (owner, child) => {
    const pool = child.metadata.annotations?.[annotations.refNodePool];
    if (pool === undefined) return undefined;
    const prefix = `${owner.metadata.name}-${pool}-`;
    return prefix.length <= nameLimit ? prefix : `${owner.metadata.name}-`;
  },
  // Its render webhook, of v1.4.0 to v1.4.4, copied the template into Deployments, the selector included (`reference/openyurt.md` 3.3).
  mayLackPlace: (kind, { metadata: { labels: found, annotations: noted } }) => {
    const pool = noted?.[annotations.refNodePool];
    return kind === 'Deployment' && pool !== undefined && pool === found?.[labels.poolName];
  },
};
