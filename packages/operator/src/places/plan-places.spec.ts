import { describe, expect, it } from 'vitest';
import { conditionTypes } from '@atoll/api';
import { deployments, type KubeObject, type LabelSelector, type Resource } from '@atoll/kube';
import type { ChildOwner } from '../children/ownership/owner.ts';
import { degradedAfterMs } from '../engine/status/conditions.ts';
import type { Step } from '../engine/step.ts';
import { decidePlaces } from './decide-places.ts';
import { planPlaces, type PlacesOwner, type PlacesToPlan } from './plan-places.ts';
import type { Place, PlaceChild } from './place.ts';
import { childAt, houses, observedRooms, revisionOf, rooms, type RoomKind } from './places.fixture.ts';

function house(
  status: PlacesOwner['status'] = {},
  selector: LabelSelector = { matchLabels: { app: 'house' } },
): ChildOwner<PlacesOwner> {
  const metadata = { name: 'house', namespace: 'ns', uid: 'uid-house', resourceVersion: '1', generation: 3 };
  const spec = { selector };
  return {
    resource: houses,
    object: { metadata: { ...metadata, creationTimestamp: '2026-01-01T00:00:00Z' }, spec, status },
  };
}

function note(name: string): Step {
  return {
    do: 'delete',
    resource: houses,
    key: { namespace: 'ns', name },
    uid: name,
    propagation: 'Background',
    why: { word: 'ChildDeleted', message: name },
  };
}

function decidedWith(children: readonly PlaceChild<RoomKind>[], now = 0) {
  return decidePlaces(
    observedRooms({ places: [{ name: 'a' }], children, update: revisionOf('v2') }),
    rooms.revisionLabel,
    now,
  );
}

function planned(change: Partial<PlacesToPlan<Place, RoomKind>> = {}, owner = house(), now = 0) {
  const decided = decidedWith([], now);
  const steps = { creates: [note('create')], owners: [note('owner')], applies: [note('apply')] };
  const nothing = { holds: [], inspect: [], unowned: [], stuckPods: [] };
  const asked = { decided: { ...decided, toDelete: [] }, ...nothing, steps, revisions: recorded, ...change };
  return planPlaces(owner, rooms, asked, now);
}

const decision = { update: revisionOf('v2'), write: 'none', collisionCount: 0 } as const;
const data = { write: () => ({}), read: () => undefined };
const recorded = { decision, history: [], orphaned: [], data };

const nothingDecided = {
  places: [],
  rolloutHolds: [],
  rolloutGoesOnAt: undefined,
  needed: new Set<string>(),
  going: [],
};

describe('the plan of an object with places', () => {
  it('makes what is missing before it changes what is there, and deletes last', () => {
    const child = childAt('gone', 'left');
    const left = { why: { word: 'ChildDeleted', message: 'it left' } } as const;
    const plan = planned({
      decided: { ...nothingDecided, toDelete: [{ child, because: { left } }] },
      stuckPods: [{ step: note('pod') }, { requeueAt: 9 }],
      also: {
        beforeCreates: [{ name: 'first', steps: [note('first')] }],
        afterApplies: { name: 'dependent', steps: [note('dependent')] },
        last: [{ name: 'nothing', steps: [] }],
      },
    });
    expect(plan.stages.map(({ name }) => name)).toEqual([
      'first',
      'create children',
      'change owners of fields',
      'apply children',
      'dependent',
      'delete stuck pods',
      'delete children',
    ]);
    expect(plan.requeueAt).toBe(9);
  });

  it('writes no child before the revision that it names', () => {
    const isNew = { ...decision, write: 'create' } as const;
    const also = { afterApplies: { name: 'dependent', steps: [note('dependent')] } };
    const { stages } = planned({ revisions: { ...recorded, decision: isNew }, also });
    const waits = Object.fromEntries(stages.map(({ name, onlyAfterSuccess }) => [name, onlyAfterSuccess]));
    expect(stages[0]?.name).toBe('write revision');
    expect(waits).toMatchObject({ 'create children': true, 'apply children': true, dependent: true });
  });

  it('is guarded by the object and its control annotations, and has a target for each place', () => {
    const { guards, targets } = planned({ controlAnnotations: ['example/pause'] });
    expect(guards).toMatchObject([
      { uid: 'uid-house', generation: 3, annotations: { 'example/pause': undefined } },
    ]);
    expect(targets).toMatchObject([{ id: 'a', wanted: 'v2' }]);
  });

  it('looks for children that no cache may hold yet before it makes the first ones, and only then', () => {
    const create: Step = {
      do: 'create',
      resource: deployments as Resource<KubeObject>,
      object: { metadata: { namespace: 'ns', name: 'house-a' } },
      managed: 'apply',
      why: { word: 'ChildCreated', message: 'room a has none' },
    };
    const steps = { creates: [create, create], owners: [], applies: [] };
    const labelSelector = `app=house,${rooms.placeLabel}`;
    expect(planned({ steps }).unseen).toEqual([
      { resource: deployments, namespace: 'ns', labelSelector, known: [] },
    ]);
    expect(planned({ steps: { ...steps, creates: [] } }).unseen).toBeUndefined();
    const servedBy = (age: number) => ({ ...decidedWith([childAt('a', 'house-a', { age })]), toDelete: [] });
    expect(planned({ steps, decided: servedBy(0) }).unseen).toBeUndefined();
    // One that came back itself is as old as the object, or older: others may come back after it.
    expect(planned({ steps, unowned: ['uid-b'], decided: servedBy(59) }).unseen).toMatchObject([
      { labelSelector, known: ['uid-b'] },
    ]);
    const all = house({}, {});
    expect(planned({ steps }, all).unseen).toBeUndefined();
  });

  it('is made again when trouble is to become Degraded', () => {
    const lastTransitionTime = new Date(0).toISOString();
    const { type, status } = rooms.troubleCondition;
    expect(type).toBe(conditionTypes.ready);
    const owner = house({ conditions: [{ type, status, lastTransitionTime }] });
    expect(planned({}, owner, 1_000).requeueAt).toBe(degradedAfterMs);
  });
});
