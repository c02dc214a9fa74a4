import { expect, test } from 'vitest';
import { object, ServedCacheSet, settle } from './cache-set.fixture.ts';

/** A minute of refused watches. */
async function passMinute({ server }: ServedCacheSet): Promise<void> {
  for (let round = 0; round < 6; round += 1) {
    await server.clock.advance(10_000);
    await settle();
  }
}

test('a kind that comes and cannot be read does not take the rest of its namespace away', async () => {
  const world = new ServedCacheSet(['edge'], ['guests']);
  world.refused.add('edge/guests');
  await settle();
  await world.send('customresourcedefinitions guests.example.dev');
  await world.send('namespaces edge', object(undefined, 'edge'));
  await world.send('edge/parents', object('edge', 'p'));
  await world.send('edge/children', object('edge', 'c'));
  expect([world.states, world.read('parents')]).toEqual([['edge served'], ['edge/p']]);
  world.heard.length = 0;
  await world.installGuests();
  await passMinute(world);
  expect({ states: world.states, parents: world.read('parents'), heard: world.heard }).toEqual({
    states: ['edge served'],
    parents: ['edge/p'],
    heard: [],
  });
});

test('a kind that comes and cannot be read takes nothing away without --namespaces either', async () => {
  const world = new ServedCacheSet(undefined, ['guests']);
  world.refused.add('guests');
  await settle();
  await world.send('customresourcedefinitions guests.example.dev');
  await world.send('parents', object('edge', 'p'));
  await world.send('children', object('edge', 'c'));
  await world.installGuests();
  await passMinute(world);
  expect(world.read('parents')).toEqual(['edge/p']);
});
