import { describe, expect, it } from 'vitest';
import { decidePlaces, type ObservedPlaces } from './decide-places.ts';
import type { Place } from './place.ts';
import { childAt, observedRooms, revisionOf, rooms, type RoomKind } from './places.fixture.ts';

function decided(observed: Partial<ObservedPlaces<Place, RoomKind>>, now = 0) {
  return decidePlaces(
    observedRooms({
      places: [{ name: 'a', labels: { zone: 'z' } }],
      update: revisionOf('v2'),
      history: [revisionOf('v1')],
      ...observed,
    }),
    rooms.revisionLabel,
    now,
  );
}

describe('a place', () => {
  it('that has no child is to get one of the wanted revision', () => {
    const [place] = decided({}).places;
    expect(place).toMatchObject({ child: undefined, health: undefined, revision: { label: 'v2' } });
    expect(place?.target).toMatchObject({ id: 'a', labels: { zone: 'z' }, wanted: 'v2' });
  });

  it('is served by its oldest child that has available pods', () => {
    const children = [
      childAt('a', 'young'),
      childAt('a', 'oldest', { age: 9, available: 0 }),
      childAt('a', 'old', { age: 5 }),
      childAt('a', 'going', { age: 7, going: true }),
      childAt('a', 'other-kind', { age: 8, kind: 'StatefulSet' }),
      childAt('b', 'of-b', { age: 8 }),
    ];
    expect(decided({ children }).places[0]?.child?.object.metadata.name).toBe('old');
  });

  it('whose child is of another revision is brought to the wanted one', () => {
    const children = [childAt('a', 'one', { revision: 'v1' })];
    const [place] = decided({ children }).places;
    expect(place).toMatchObject({
      target: { at: { revision: 'v1' }, wanted: 'v2' },
      revision: { label: 'v2' },
    });
  });

  it('is held up by a name conflict until its time is over', () => {
    const conflict = { kind: 'Deployment' as const, name: 'x', goes: true, holder: 'Room r' };
    const at = (now: number, until?: number) =>
      decided({ nameConflicts: { a: until === undefined ? conflict : { ...conflict, until } } }, now)
        .places[0];
    expect(at(9)?.nameConflict).toEqual(conflict);
    expect(at(9, 10)?.nameConflict).toMatchObject(conflict);
    expect(at(10, 10)?.nameConflict).toBeUndefined();
  });
});

it('keeps the revisions that are wanted, current or carried by a child', () => {
  const history = [revisionOf('v0'), revisionOf('v1'), revisionOf('current')];
  const children = [childAt('gone', 'one', { revision: 'v1' })];
  const { needed } = decided({ history, children, currentRevision: 'current' });
  expect([...needed].sort()).toEqual(['current', 'v1', 'v2']);
});
