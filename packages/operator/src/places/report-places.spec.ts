import { deployments } from '@atoll/kube';
import { expect, it } from 'vitest';
import type { PlaceDecision } from './decide-places.ts';
import type { Outcome, Step } from '../engine/step.ts';
import { houses, rooms } from './places.fixture.ts';
import type { PlacesOwner } from './plan-places.ts';
import { reportPlaces, type PlacesReport } from './report-places.ts';

const metadata = {
  name: 'house',
  namespace: 'ns',
  uid: 'u',
  resourceVersion: '3',
  generation: 3,
  creationTimestamp: '2026-01-01T00:00:00Z',
};
const found = { observedGeneration: 2, updatedReplicas: 7 };
const object: PlacesOwner = { metadata, spec: { selector: {} }, status: found } as PlacesOwner;

function conditionsOf(of: PlacesOwner): readonly { readonly type: string }[] {
  const { conditions } = statusOf(true, undefined, { results: [] }, of) as {
    readonly conditions: readonly { readonly type: string }[];
  };
  return conditions;
}

function statusOf(
  certain: boolean,
  decided: PlacesReport<PlaceDecision>['decided'],
  outcome: Outcome = { results: [] },
  of = object,
): object {
  const done = () => ({ reason: 'RolloutComplete', message: 'all rooms are done' }) as const;
  const report = {
    owner: { resource: houses, object: of },
    certain,
    holds: [],
    decided,
    status: found,
    ownTypes: ['RoomsProvisioned'],
    done,
  };
  const stored = { ...report, isComplete: () => true } as unknown as PlacesReport<PlaceDecision>;
  return reportPlaces(rooms, stored, outcome, 0).status;
}

it('a generation does not count as seen before caches are filled, and what was known of the places stays', () => {
  expect(statusOf(false, undefined)).toMatchObject({ observedGeneration: 2, updatedReplicas: 7 });
  expect(statusOf(true, undefined)).toMatchObject({ observedGeneration: 3, updatedReplicas: 7 });
  const all = { places: [], toDelete: [], pendingDeletion: [] };
  expect(statusOf(true, all)).toMatchObject({ observedGeneration: 3 });
});

it.each([
  ['was done', 'done', 'True'],
  ['was not sent, as its child had moved or the status goes first', 'skipped', 'False'],
] as const)(
  'a place whose child looks as wanted is Ready where what was planned for it %s',
  (_, did, ready) => {
    const decided = { places: [{ place: { name: 'kitchen' } }], toDelete: [], pendingDeletion: [] };
    const why = { word: 'ChildUpdated', message: 'the partition of kitchen changed' } as const;
    const step: Step = {
      do: 'apply',
      resource: deployments,
      object: { metadata: { name: 'house-kitchen' } },
      uid: 'k',
      resourceVersion: '1',
      target: 'kitchen',
      why,
    };
    const outcome = { results: [did === 'done' ? { step, did } : { step, did, because: 'plan-outdated' }] };
    expect(statusOf(true, decided as never, outcome as Outcome)).toMatchObject({
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'Ready', status: ready, observedGeneration: 3 }),
      ]) as unknown,
    });
  },
);

it('conditions carry the generation that they are about, and show what was not observed yet', () => {
  expect(statusOf(false, undefined)).toMatchObject({
    conditions: expect.arrayContaining([
      expect.objectContaining({ type: 'Ready', status: 'Unknown', reason: 'NotYetObserved' }),
    ]) as unknown,
  });
});

it('what was paused is not any more where nothing can be decided, and conditions of the kind stay', () => {
  const held = (type: string) => ({ type, status: 'True', reason: 'ChildOverridden' });
  const before = {
    ...object,
    status: { conditions: [held('Paused'), held('Stalled'), held('RoomsProvisioned')] },
  };
  const conditions = conditionsOf(before as PlacesOwner);
  expect(conditions.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['RoomsProvisioned', 'Ready', 'Progressing', 'Degraded']),
  );
  expect(conditions.map(({ type }) => type)).not.toContain('Paused');
});
