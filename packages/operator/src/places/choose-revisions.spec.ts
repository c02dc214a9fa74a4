import { describe, expect, it, test } from 'vitest';
import type { RolloutPolicy } from '../engine/rollout/rollout-policy.ts';
import { chooseRevisions } from './choose-revisions.ts';
import type { Place, PlaceChild } from './place.ts';
import { childAt, revisionOf, rooms, type RoomKind } from './places.fixture.ts';

const everywhere: RolloutPolicy = 'all';

/** Only what is released may be changed; what joins gets the revision `old`. */
const releasing = (...released: readonly string[]): RolloutPolicy => ({
  unavailable: { value: '100%', base: 'all', rounding: 'up', atLeast: 1 },
  away: { countsForMs: 60_000 },
  order: [],
  holds: [
    ({ id }) =>
      released.includes(id)
        ? undefined
        : { reason: 'Paused', waitsFor: 'person', waitingUntil: 'it is released' },
  ],
  revisionWhileHeld: 'old',
});

function child(place: string, revision: string, kind: RoomKind = 'Deployment'): PlaceChild<RoomKind> {
  return childAt(place, `${place}-${kind}`, { revision, kind });
}

function unlabelled({ object, ...rest }: PlaceChild<RoomKind>): PlaceChild<RoomKind> {
  return { ...rest, object: { ...object, metadata: { ...object.metadata, labels: {} } } };
}

/** `a old Deployment, b new -`: the revision of each place, and its child. */
function chosen(
  children: readonly PlaceChild<RoomKind>[],
  policy: RolloutPolicy,
  update = revisionOf('new'),
  history = [revisionOf('old')],
): string {
  const places = ['a', 'b'].map((name) => ({ name }));
  const input = { places, children, update, history, policy };
  return chooseRevisions<Place, RoomKind>(input, rooms.revisionLabel, 0)
    .chosen.map((each) => `${each.place.name} ${each.revision?.label ?? '-'} ${each.child?.kind ?? '-'}`)
    .join(', ');
}

describe('the revision of each place', () => {
  const both = [child('a', 'old'), child('b', 'old')];
  test.each<[string, string, string]>([
    ['without limits all get the newest', chosen(both, everywhere), 'a new Deployment, b new Deployment'],
    [
      'a place that is held keeps its own',
      chosen(both, releasing('b')),
      'a old Deployment, b new Deployment',
    ],
    [
      'what joins gets what the policy says',
      chosen([child('a', 'new')], releasing('a')),
      'a new Deployment, b old -',
    ],
    [
      'what joins and is released gets the newest',
      chosen([child('a', 'old')], releasing('b')),
      'a old Deployment, b new -',
    ],
    [
      'what has no known revision is brought to the newest',
      chosen([unlabelled(child('a', 'old'))], everywhere),
      'a new Deployment, b new -',
    ],
    [
      'and stays as it is where it is held',
      chosen([unlabelled(child('a', 'old'))], releasing()),
      'a - Deployment, b old -',
    ],
    [
      'so does what the history has lost',
      chosen([child('a', 'lost')], releasing()),
      'a - Deployment, b old -',
    ],
  ])('%s', (_name, found, expected) => {
    expect(found).toBe(expected);
  });
});

describe('during a change of kind', () => {
  const stateful = revisionOf('new', 'StatefulSet');
  const both = [child('a', 'old'), child('b', 'old')];
  const changing = [...both, child('b', 'new', 'StatefulSet')];
  test.each<[string, string, string]>([
    ['a child of the new kind is made', chosen(both, everywhere, stateful), 'a new -, b new -'],
    ['not where the place is held', chosen(both, releasing('b'), stateful), 'a old Deployment, b new -'],
    [
      'one that is there serves',
      chosen(changing, releasing('b'), stateful),
      'a old Deployment, b new StatefulSet',
    ],
    [
      'and is not given up by a hold',
      chosen(changing, releasing(), stateful),
      'a old Deployment, b new StatefulSet',
    ],
    [
      'back to the old kind, the old child serves',
      chosen(changing, everywhere, revisionOf('old'), [stateful]),
      'a old Deployment, b old Deployment',
    ],
  ])('%s', (_name, found, expected) => {
    expect(found).toBe(expected);
  });
});

it('returns what is held, and why', () => {
  const input = {
    places: [{ name: 'b' }, { name: 'a', labels: { tier: 'x' } }],
    children: [child('a', 'old'), child('b', 'old')],
    update: revisionOf('new'),
    history: [revisionOf('old')],
    policy: releasing(),
  };
  const { holds, chosen: all } = chooseRevisions<Place, RoomKind>(input, rooms.revisionLabel, 0);
  expect(holds).toMatchObject([{ reason: 'Paused', targets: ['a', 'b'], waitingUntil: 'it is released' }]);
  expect(all.find(({ place }) => place.name === 'a')?.target).toEqual({
    id: 'a',
    labels: { tier: 'x' },
    at: { revision: 'old', kind: 'Deployment' },
    wanted: 'new',
    health: 'healthy',
    reach: 'reachable',
  });
});
