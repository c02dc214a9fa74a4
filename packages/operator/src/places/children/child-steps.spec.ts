import { fieldManagers } from '@atoll/api';
import { describe, expect, it } from 'vitest';
import type { RenderedChild } from '../../children/child.ts';
import type { ChildOwner } from '../../children/ownership/owner.ts';
import { childSteps, type ChildRendering } from './child-steps.ts';
import { decidePlaces, type ObservedPlaces, type PlaceDecision } from '../decide-places.ts';
import type { Place } from '../place.ts';
import { childAt, houses, observedRooms, revisionOf, rooms, type RoomKind } from '../places.fixture.ts';

type RoomDecision = PlaceDecision<Place, RoomKind>;

const metadata = { name: 'house', namespace: 'ns', uid: 'uid-house' };
const house = {
  resource: houses,
  object: { metadata: { ...metadata, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' } },
} as ChildOwner;

const object = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'x', namespace: 'ns' },
  spec: { template: {} },
} satisfies RenderedChild;

const rendering: ChildRendering<RoomKind, RoomDecision> = {
  create: (_decision, _revision, name) => ({ ...object, metadata: { ...object.metadata, name } }),
  compare: () => undefined,
  replicas: () => undefined,
  templateField: () => undefined,
  whyCreate: ({ place }) => `room ${place.name} has none`,
  follows: 'its room',
};

function stepsFor(
  observed: Partial<ObservedPlaces<Place, RoomKind>>,
  how: Partial<ChildRendering<RoomKind, RoomDecision>> = {},
) {
  const { places } = decidePlaces(
    observedRooms({ update: revisionOf('v2'), ...observed }),
    rooms.revisionLabel,
    0,
  );
  return childSteps(house, rooms, places, { ...rendering, ...how }, 0);
}

describe('the steps for children', () => {
  it('create what is missing, with a name of its own and the label that identifies it', () => {
    const { creates, applies, owners } = stepsFor({});
    expect([applies, owners]).toEqual([[], []]);
    expect(creates).toMatchObject([
      {
        do: 'create',
        target: 'a',
        managed: 'apply',
        identity: ['room'],
        why: { message: 'room a has none' },
      },
      { do: 'create', target: 'b' },
    ]);
    const names = creates.flatMap((step) => (step.do === 'create' ? [step.object.metadata.name] : []));
    expect(new Set(names).size).toBe(2);
  });

  it('create nothing where the name is taken', () => {
    const conflict = { kind: 'Deployment' as const, name: 'x', goes: false, holder: 'nobody' };
    expect(stepsFor({ nameConflicts: { a: conflict } }).creates).toMatchObject([{ target: 'b' }]);
  });

  it('apply what differs, to the child and the version that were seen', () => {
    const children = [childAt('a', 'one'), childAt('b', 'two', { revision: 'v2' })];
    const { applies, unchanged } = stepsFor(
      { children },
      {
        compare: ({ place }) => (place.name === 'a' ? { object, kind: 'outdated' } : undefined),
      },
    );
    expect(applies).toMatchObject([
      {
        do: 'apply',
        target: 'a',
        uid: 'uid-one',
        resourceVersion: '1',
        why: { word: 'ChildUpdated', message: 'Deployment one of room a goes from v1 to v2' },
      },
    ]);
    expect(unchanged.map(({ place }) => place.name)).toEqual(['b']);
  });

  it.each([
    ['that somebody changed', 'drifted', undefined, 'ChildDrifted', 'was changed by somebody else'],
    ['that follows its place', 'outdated', undefined, 'ChildUpdated', 'follows its room'],
    ['for a reason of the kind', 'outdated', 'grows', 'SubsetScaled', 'grows'],
  ] as const)(
    'report why a child of the wanted revision is applied: one %s',
    (_, kind, own, word, message) => {
      const children = [childAt('a', 'one', { revision: 'v2' })];
      const { applies } = stepsFor(
        { places: [{ name: 'a' }], children },
        {
          compare: () => ({ object, kind }),
          ...(own === undefined ? {} : { whyApply: () => ({ word: 'SubsetScaled', message: own }) as const }),
        },
      );
      expect(applies).toMatchObject([{ why: { word, message: expect.stringContaining(message) } }]);
    },
  );

  it('change who owns fields before the child is written, and not in the same reconcile', () => {
    const child = childAt('a', 'one', { revision: 'v1' });
    const managedFields = [
      {
        manager: 'yurt-manager',
        operation: 'Update',
        apiVersion: 'apps/v1',
        fieldsV1: { 'f:spec': { 'f:selector': {} } },
      },
    ] as const;
    const left = {
      ...child,
      object: { ...child.object, metadata: { ...child.object.metadata, managedFields } },
    };
    const { owners, applies, unchanged } = stepsFor(
      { places: [{ name: 'a' }], children: [left] },
      { compare: () => ({ object, kind: 'outdated' }) },
    );
    expect(owners).toMatchObject([{ do: 'patch', target: 'a', uid: 'uid-one' }]);
    expect([applies, unchanged]).toEqual([[], []]);
  });

  it('own what the API server filled in before they write a child without it', () => {
    const rollingUpdate = { maxUnavailable: '25%' };
    const managedFields = [
      { manager: fieldManagers.atoll, operation: 'Apply', fieldsV1: { 'f:spec': {} } },
    ] as const;
    const { object: found, ...child } = childAt('a', 'one');
    const rolls = {
      ...found,
      metadata: { ...found.metadata, managedFields },
      spec: { ...found.spec, strategy: { rollingUpdate } },
    };
    const recreated = { ...object, spec: { ...object.spec, strategy: { type: 'Recreate' } } };
    const { owners, applies, unchanged } = stepsFor(
      { places: [{ name: 'a' }], children: [{ ...child, object: rolls }] },
      { compare: () => ({ object: recreated, kind: 'outdated' }) },
    );
    expect(owners).toMatchObject([
      { do: 'patch', target: 'a', isPreliminary: true, why: { word: 'ChildUpdated' } },
    ]);
    expect([applies, unchanged]).toEqual([[], []]);
  });
});
