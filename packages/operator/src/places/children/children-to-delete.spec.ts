import { describe, expect, it } from 'vitest';
import { childrenToDelete, deleteStep, type DeletionRules } from './children-to-delete.ts';
import { decidePlaces } from '../decide-places.ts';
import type { Place, PlaceChild } from '../place.ts';
import { childAt, observedRooms, revisionOf, rooms, type RoomKind } from '../places.fixture.ts';

const left = { why: { word: 'PoolUnselected', message: 'room c is no room any more' } } as const;
const rules: DeletionRules<Place, RoomKind> = { ifLeft: () => ({ ...left }), replacement: () => 'available' };

/** For rooms a and b. */
function deletionsAmong(
  children: readonly PlaceChild<RoomKind>[],
  change: Partial<DeletionRules<Place, RoomKind>> = {},
  kind: RoomKind = 'Deployment',
) {
  const decided = decidePlaces(
    observedRooms({ children, update: revisionOf('v1', kind) }),
    rooms.revisionLabel,
    0,
  );
  const { toDelete, pendingDeletion } = childrenToDelete(children, decided.places, { ...rules, ...change });
  return {
    steps: toDelete.map((each) => deleteStep(each, rooms)),
    pending: pendingDeletion.map(({ object }) => object.metadata.name),
  };
}

describe('children that are to be deleted', () => {
  it.each([
    ['has a duplicate', [childAt('a', 'young'), childAt('a', 'old', { age: 5 })], 'young'],
    ['serves a place that is no more', [childAt('c', 'gone')], 'gone'],
    ['is replaced', [childAt('a', 'new'), childAt('a', 'before', { kind: 'StatefulSet' })], 'before'],
  ] as const)(
    'are deleted only as they were seen, so that one that is let go meanwhile stays: one that %s',
    (_, children, name) => {
      const { steps } = deletionsAmong(children);
      expect(steps).toMatchObject([{ uid: `uid-${name}`, resourceVersion: '1' }]);
    },
  );

  it('are none where every place has one', () => {
    const children = [childAt('a', 'one'), childAt('b', 'two')];
    expect(deletionsAmong(children)).toEqual({ steps: [], pending: [] });
  });

  it('are duplicates, only as they were seen: the younger', () => {
    const { steps } = deletionsAmong([childAt('a', 'young'), childAt('a', 'old', { age: 5 })]);
    expect(steps).toMatchObject([
      {
        do: 'delete',
        uid: 'uid-young',
        resourceVersion: '1',
        target: 'a',
        why: { word: 'DuplicateChild', message: 'room a has an older child: old' },
        restsOn: [{ key: { name: 'old' }, uid: 'uid-old' }],
      },
    ]);
  });

  it('are duplicates: the older where it has no available pods', () => {
    const { steps } = deletionsAmong([childAt('a', 'young'), childAt('a', 'old', { age: 5, available: 0 })]);
    expect(steps).toMatchObject([
      { uid: 'uid-old', why: { message: 'room a has another child, whose pods are available: young' } },
    ]);
  });

  it('are those of places that the object does not have any more, as the kind decides', () => {
    const children = [childAt('c', 'gone')];
    const restsOn = [{ resource: rooms.resourceOf('Deployment'), key: { name: 'c' }, uid: 'u', labels: {} }];
    const careful = deletionsAmong(children, { ifLeft: () => ({ ...left, restsOn, irreversible: true }) });
    expect(careful.steps).toMatchObject([
      { uid: 'uid-gone', target: 'c', restsOn, irreversible: true, ...left },
    ]);
    expect(deletionsAmong(children, { ifLeft: () => 'pending' })).toEqual({ steps: [], pending: ['gone'] });
    expect(deletionsAmong(children, { ifLeft: () => 'stays' })).toEqual({ steps: [], pending: [] });
  });

  it.each([
    ['present', 'Deployment new serves room a now'],
    ['available', 'Deployment new serves room a now and is available'],
  ] as const)('are those of another kind, when the one that replaces them is %s', (replacement, message) => {
    const children = [childAt('a', 'new'), childAt('a', 'before', { kind: 'StatefulSet' })];
    const { steps } = deletionsAmong(children, { replacement: () => replacement });
    expect(steps).toMatchObject([{ uid: 'uid-before', why: { word: 'ChildDeleted', message } }]);
  });

  it('are those of another kind only while the one that replaces them is there, with the same spec', () => {
    const serving = childAt('a', 'new');
    const { steps } = deletionsAmong([serving, childAt('a', 'before', { kind: 'StatefulSet' })]);
    const { name, uid, generation } = serving.object.metadata;
    const resource = rooms.resourceOf('Deployment');
    expect(steps).toMatchObject([{ restsOn: [{ resource, key: { name }, uid, generation }] }]);
  });

  it('are none of another kind as long as nothing replaces them', () => {
    const before = childAt('a', 'before', { kind: 'StatefulSet' });
    expect(deletionsAmong([before])).toEqual({ steps: [], pending: ['before'] });
    const children = [childAt('a', 'new', { available: 0 }), before];
    const waits = deletionsAmong(children, { replacement: () => 'missing' });
    expect(waits).toEqual({ steps: [], pending: ['before'] });
  });

  it('are none that have no place, or that are being deleted', () => {
    const children = [childAt(undefined, 'one'), childAt('c', 'two', { going: true })];
    expect(deletionsAmong(children)).toEqual({ steps: [], pending: [] });
  });
});
