import type { Pod, Stored } from '@atoll/kube';
import { expect, it } from 'vitest';
import { decidePlaces } from '../decide-places.ts';
import type { Place } from '../place.ts';
import { childAt, observedRooms, revisionOf, rooms } from '../places.fixture.ts';
import { stuckPodStep } from './stuck-pod-step.ts';

const now = Date.parse('2026-01-02T00:00:00Z');

/** Of an older template, and not ready for a day. */
const pod = {
  metadata: {
    name: 'x-0',
    namespace: 'ns',
    uid: 'uid-x-0',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { 'controller-revision-hash': 'old' },
  },
} as Stored<Pod>;

/** What is done for a child that rolls from `old` to `new` and waits for this pod. */
function stepFor(kind: string, { name = 'x-0', generation = 1, more = {} } = {}) {
  const child = childAt('a', 'x', { kind: 'StatefulSet' });
  const { spec, status } = child.object;
  const rolling = { ...status, updateRevision: 'new', updatedReplicas: 0, availableReplicas: 0 };
  const metadata = { ...child.object.metadata, generation };
  const object = { ...child.object, metadata, spec: { ...spec, ...more }, status: rolling };
  const [decision] = decidePlaces<Place, string>(
    observedRooms<string>({
      places: [{ name: 'a' }],
      children: [{ place: 'a', kind, object }],
      update: { ...revisionOf('v1'), template: { ...revisionOf('v1').template, kind } },
    }),
    rooms.revisionLabel,
    now,
  ).places;
  const broken = { ...pod, metadata: { ...pod.metadata, name } };
  return decision === undefined ? undefined : stuckPodStep(rooms, decision, [broken], now).step;
}

it('frees a StatefulSet of the broken pod that it waits for, only as that was seen', () => {
  expect(stepFor('StatefulSet')).toMatchObject({
    do: 'delete',
    uid: 'uid-x-0',
    resourceVersion: '1',
    target: 'a',
    ifRefused: 'PodRefused',
    why: { word: 'PodStuck' },
  });
});

it.each(['AdvancedStatefulSet', 'CloneSet', 'Deployment'])(
  'leaves the pods of a child of kind %s to its controller',
  (kind) => {
    expect(stepFor(kind)).toBeUndefined();
  },
);

it('deletes no pod before the StatefulSet has seen its newest spec, as then its status is of the one before', () => {
  expect(stepFor('StatefulSet', { generation: 2 })).toBeUndefined();
});

it('counts the pods of a StatefulSet from its first ordinal', () => {
  const more = { ordinals: { start: 5 } };
  expect(stepFor('StatefulSet', { name: 'x-5', more })).toMatchObject({ do: 'delete', target: 'a' });
  expect(stepFor('StatefulSet', { name: 'x-6', more })).toBeUndefined();
});
