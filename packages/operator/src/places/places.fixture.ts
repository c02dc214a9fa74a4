import { deployments, statefulSets } from '@atoll/kube';
import type { KubeObject, Resource, Stored } from '@atoll/kube';
import type { ChildWorkload } from '../children/child.ts';
import type { Revision } from '../children/revisions/revision.ts';
import type { ObservedPlaces } from './decide-places.ts';
import type { Place, PlaceChild } from './place.ts';
import type { PlacesKind } from './places-kind.ts';

export type RoomKind = 'Deployment' | 'StatefulSet';

/** The kind of the objects that have rooms. */
export const houses: Resource<KubeObject> = {
  group: 'example',
  version: 'v1',
  kind: 'House',
  plural: 'houses',
  namespaced: true,
};

/** A kind that keeps a child in each room. */
export const rooms: PlacesKind<RoomKind> = {
  place: 'room',
  places: 'rooms',
  childKinds: ['Deployment', 'StatefulSet'],
  resourceOf: (kind) => (kind === 'Deployment' ? deployments : statefulSets),
  placeLabel: 'room',
  revisionLabel: 'revision',
  eventReason: 'Failed',
  troubleCondition: { type: 'Ready', status: 'False' },
};

export function revisionOf(label: string, kind: RoomKind = 'Deployment'): Revision<RoomKind> {
  const template = { kind, labels: {}, annotations: {}, spec: {} };
  return { name: label, label, number: 1, template, stored: undefined };
}

/** A child that has all its pods, of the revision. */
export function childAt(
  place: string | undefined,
  name: string,
  {
    kind = 'Deployment',
    revision = 'v1',
    replicas = 1,
    available = 1,
    age = 0,
    going = false,
  }: {
    readonly kind?: RoomKind;
    readonly revision?: string;
    readonly replicas?: number;
    readonly available?: number;
    /** In seconds. */
    readonly age?: number;
    readonly going?: boolean;
  } = {},
): PlaceChild<RoomKind> {
  const object: Stored<ChildWorkload> = {
    metadata: {
      name,
      namespace: 'ns',
      uid: `uid-${name}`,
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: `2026-01-01T00:00:${String(59 - age).padStart(2, '0')}Z`,
      labels: { revision },
      ...(going ? { deletionTimestamp: '2026-01-01T00:01:00Z' } : {}),
    },
    spec: { replicas },
    status: {
      observedGeneration: 1,
      replicas,
      updatedReplicas: replicas,
      readyReplicas: available,
      availableReplicas: available,
    },
  };
  return { kind, object, place };
}

/** What is observed of places `a` and `b` where nothing is there yet, but for what is given. */
export function observedRooms<Kind extends string = RoomKind>(
  given: Partial<ObservedPlaces<Place, Kind>> & Pick<ObservedPlaces<Place, Kind>, 'update'>,
): ObservedPlaces<Place, Kind> {
  return {
    places: [{ name: 'a' }, { name: 'b' }],
    children: [],
    history: [],
    currentRevision: undefined,
    pods: {},
    nameConflicts: {},
    findings: {},
    orphans: [],
    policy: 'all',
    ...given,
  };
}
