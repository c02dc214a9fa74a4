import { describe, expect, it } from 'vitest';
import type { Finding } from '../causes/finding.ts';
import { hold } from '../engine/hold.ts';
import { decidePlaces } from './decide-places.ts';
import type { PlaceChild } from './place.ts';
import { holdOfPods, type AwaitedPods } from './place-hold.ts';
import { childAt, observedRooms, revisionOf, rooms, type RoomKind } from './places.fixture.ts';

type Spec = PlaceChild<RoomKind>['object']['spec'];

function held(
  child: PlaceChild<RoomKind> | undefined,
  how: { readonly finding?: Finding; readonly now?: number } & Partial<AwaitedPods> = {},
) {
  const { finding, now = 0, outdated = 0, instead = () => undefined } = how;
  const uid = child?.object.metadata.uid ?? '';
  const { places } = decidePlaces(
    observedRooms({
      places: [{ name: 'a' }],
      children: child === undefined ? [] : [child],
      update: revisionOf('v2', child?.kind),
      pods: { [uid]: [] },
      findings: finding === undefined ? {} : { [uid]: finding },
    }),
    rooms.revisionLabel,
    now,
  );
  const [decision] = places;
  if (decision === undefined) throw new Error('nothing was decided');
  return holdOfPods(decision, { outdated, instead }, now);
}

/** Of the wanted revision, with no pod of it available. */
function waiting(kind: RoomKind, spec: Spec = {}): PlaceChild<RoomKind> {
  const child = childAt('a', 'one', { kind, revision: 'v2', available: 0 });
  const { object } = child;
  const status = { ...object.status, updatedReplicas: 0 };
  return { ...child, object: { ...object, spec: { ...object.spec, ...spec }, status } };
}

describe('a place', () => {
  it('without a child waits for no pods', () => {
    expect(held(undefined)).toBeUndefined();
  });

  it('whose child is of an older revision waits for that to be written, not for pods', () => {
    expect(held(childAt('a', 'one', { revision: 'v1', available: 0 }))).toBeUndefined();
  });

  it('waits for pods, for a person that paused the child, or for one that is to delete pods', () => {
    expect(held(waiting('Deployment'))).toMatchObject({
      reason: 'WaitingForReady',
      waitingUntil: 'the pods are available',
      targets: ['a'],
      bad: false,
    });
    expect(held(waiting('Deployment', { paused: true }))).toMatchObject({ reason: 'Paused' });
    const onDelete = waiting('StatefulSet', { updateStrategy: { type: 'OnDelete' } });
    expect(held(onDelete, { outdated: 3 })).toMatchObject({
      reason: 'WaitingForDeletion',
      problem: expect.stringMatching(/^3 pods run an older template/),
    });
  });

  it.each([
    ['paused Deployment', 'Deployment', { paused: true }],
    ['StatefulSet whose pods a person deletes', 'StatefulSet', { updateStrategy: { type: 'OnDelete' } }],
  ] as const)(
    'waits for the pods of a %s, and for no person, once all are of the newest template',
    (_, kind, spec) => {
      const child = waiting(kind, spec);
      const { object } = child;
      const status = { ...object.status, updatedReplicas: 1 };
      expect(held({ ...child, object: { ...object, status } })).toMatchObject({
        reason: 'WaitingForReady',
        waitingUntil: 'the pods are available',
      });
    },
  );

  it('names the cause that was found in the pods', () => {
    const finding = {
      word: 'ImagePullBackOff',
      message: 'pod one-1: no such image',
      pods: ['one-1'],
      nodes: [],
    } as const;
    expect(held(waiting('Deployment'), { finding })).toMatchObject({
      reason: 'ImagePullBackOff',
      problem: 'pod one-1: no such image',
      bad: true,
    });
  });

  it('is wrong once the controller of the child gave up, paused or not', () => {
    const child = waiting('Deployment', { paused: true });
    const late = {
      type: 'Progressing',
      status: 'False',
      reason: 'ProgressDeadlineExceeded',
      message: 'late',
    };
    const object = { ...child.object, status: { ...child.object.status, conditions: [late] } };
    expect(held({ ...child, object })).toMatchObject({ reason: 'ProgressDeadlineExceeded', bad: true });
  });

  it('has the hold of its kind instead of all others, which is asked with what is wrong', () => {
    const own = hold('WaitingForNodes', 'nodes', ['a'], { problem: 'the room is empty' }, false);
    const asked: (string | undefined)[] = [];
    const instead: AwaitedPods['instead'] = (wrong) => {
      asked.push(wrong);
      return own;
    };
    expect(held(waiting('Deployment', { paused: true }), { instead })).toBe(own);
    expect(asked).toEqual([undefined]);
  });
});
