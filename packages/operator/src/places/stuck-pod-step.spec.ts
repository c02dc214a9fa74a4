import type { Pod, Stored } from '@atoll/kube';
import { expect, it } from 'vitest';
import { decidePlaces } from './decide-places.ts';
import type { Place } from './place.ts';
import { childAt, observedRooms, revisionOf, rooms } from './places.fixture.ts';
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
function stepFor(kind: string) {
  const child = childAt('a', 'x', { kind: 'StatefulSet' });
  const { spec, status } = child.object;
  const rolling = { ...status, updateRevision: 'new', updatedReplicas: 0, availableReplicas: 0 };
  const [decision] = decidePlaces<Place, string>(
    observedRooms<string>({
      places: [{ name: 'a' }],
      children: [{ place: 'a', kind, object: { ...child.object, spec: { ...spec }, status: rolling } }],
      update: { ...revisionOf('v1'), template: { ...revisionOf('v1').template, kind } },
    }),
    rooms.revisionLabel,
    now,
  ).places;
  return decision === undefined ? undefined : stuckPodStep(rooms, decision, [pod], now).step;
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
