import { describe, expect, test } from 'vitest';
import { object, ServedCacheSet, settle, told } from './cache-set.fixture.ts';

/** Two namespaces, of which `edge` is served with a parent and its child, and `lab` is there and not read yet. */
async function halfServed(): Promise<ServedCacheSet> {
  const world = new ServedCacheSet(['lab', 'edge']);
  await settle();
  await world.send('namespaces edge', object(undefined, 'edge'));
  await world.send('namespaces lab', object(undefined, 'lab'));
  await world.send('edge/parents', object('edge', 'p'));
  await world.send('edge/children', object('edge', 'c'));
  return world;
}

test('caches that are not limited follow the whole cluster, and nothing else is asked for', async () => {
  const world = new ServedCacheSet(undefined);
  await settle();
  expect(world.watched).toEqual(['children', 'machines', 'parents']);
  expect(world.set.namespaces).toBeUndefined();
  expect(world.set.cacheNamed('parents').namespaces).toBeUndefined();
});

describe('caches that are limited to namespaces', () => {
  test('follow these namespaces by name, what is in them, and what is in none as ever', async () => {
    const world = new ServedCacheSet(['lab', 'edge']);
    await settle();
    expect(world.watched).toEqual(['machines', 'namespaces edge', 'namespaces lab']);
    await world.send('namespaces edge', object(undefined, 'edge'));
    expect(world.watched).toEqual([
      'edge/children',
      'edge/parents',
      'machines',
      'namespaces edge',
      'namespaces lab',
    ]);
    expect(world.set.cacheNamed('parents').namespaces).toEqual(['edge', 'lab']);
    expect(world.set.cacheNamed('machines').namespaces).toBeUndefined();
  });

  test('show the objects of a namespace when each cache has read its own: children are never missing', async () => {
    const world = await halfServed();
    await world.send('lab/parents', object('lab', 'p'));
    expect(world.read('parents')).toEqual(['edge/p']);
    expect(world.set.cacheNamed('parents').get({ namespace: 'lab', name: 'p' })).toBeUndefined();
    expect(world.set.cacheNamed('parents').by('letter', 'p')).toHaveLength(1);
    expect([world.states, world.synced]).toEqual([['lab loading', 'edge served'], false]);
    // A controller that reads parents only begins with all that it will see.
    expect(world.parentsSynced).toBe(false);
    await world.send('lab/children', object('lab', 'c'));
    expect([world.read('parents'), world.read('children')]).toEqual([
      ['edge/p', 'lab/p'],
      ['edge/c', 'lab/c'],
    ]);
    expect(world.set.cacheNamed('parents').by('letter', 'p')).toHaveLength(2);
    expect(world.heard).toEqual(['added edge/p', 'added edge/c', 'added lab/p', 'added lab/c']);
    expect([world.states, world.synced, world.parentsSynced]).toEqual([
      ['lab served', 'edge served'],
      true,
      true,
    ]);
  });

  test('do not wait for a namespace that does not exist, and serve it when it comes', async () => {
    const world = new ServedCacheSet(['lab', 'edge']);
    await settle();
    await world.send('namespaces edge', object(undefined, 'edge'));
    await world.send('namespaces lab');
    await world.send('edge/parents', object('edge', 'p'));
    await world.send('edge/children');
    expect([world.states, world.synced]).toEqual([['lab absent', 'edge served'], true]);
    expect(world.read('parents')).toEqual(['edge/p']);
    await world.event('namespaces lab', 'ADDED', object(undefined, 'lab'));
    // While it is read nothing else becomes uncertain.
    expect(world.set.cacheNamed('parents').synced).toBe(true);
    await world.send('lab/parents', object('lab', 'p'));
    await world.send('lab/children');
    expect(world.read('parents')).toEqual(['edge/p', 'lab/p']);
  });

  test('drop a namespace that is being deleted from all caches at once, and read it anew when it is back', async () => {
    const world = await halfServed();
    const seen: string[] = [];
    world.set.informerOf(world.set.cacheNamed('children')).subscribe((events) => {
      for (const event of events)
        seen.push(`${told(event)}, beside ${world.read('parents').join(' ') || 'nothing'}`);
    });
    world.heard.length = 0;
    const deletionTimestamp = '2026-11-01T11:00:00Z';
    await world.event('namespaces edge', 'MODIFIED', object(undefined, 'edge', { deletionTimestamp }));
    expect(seen).toEqual(['added edge/c, beside edge/p', 'deleted edge/c, beside nothing']);
    expect(world.heard).toEqual(['deleted edge/p', 'deleted edge/c']);
    expect([world.states, world.read('parents')]).toEqual([['lab loading', 'edge absent'], []]);
    expect(world.watched).not.toContain('edge/parents');
    await world.event('namespaces edge', 'DELETED', object(undefined, 'edge'));
    await world.event('namespaces edge', 'ADDED', object(undefined, 'edge', { uid: 'another' }));
    await world.send('edge/parents', object('edge', 'new'));
    expect(world.read('parents')).toEqual([]);
    await world.send('edge/children');
    expect([world.states[1], world.read('parents')]).toEqual(['edge served', ['edge/new']]);
  });

  test('log a listener that fails when a namespace goes, and notify the others', async () => {
    const world = await halfServed();
    const seen: string[] = [];
    const parents = world.set.informerOf(world.set.cacheNamed('parents'));
    parents.subscribe((events) => {
      if (events.some(({ type }) => type === 'deleted')) throw new Error('broken');
    });
    parents.subscribe((events) => seen.push(...events.map(told)));
    await settle();
    await world.event('namespaces edge', 'DELETED', object(undefined, 'edge'));
    expect(seen).toEqual(['added edge/p', 'deleted edge/p']);
    expect(world.errors).toEqual(['a listener failed: Error: broken']);
  });

  test('report each object of a namespace that goes, also what went in the same moment', async () => {
    const world = await halfServed();
    await world.event('edge/children', 'ADDED', object('edge', 'own'));
    world.heard.length = 0;
    // The event of this deletion of ours has not come.
    world.set.cacheNamed('children').wroteDeletion({ namespace: 'edge', name: 'own' }, 'uid-edge-own');
    const deletionTimestamp = '2026-11-01T11:00:00Z';
    world
      .last('namespaces edge')
      .send({ type: 'MODIFIED', object: object(undefined, 'edge', { deletionTimestamp }) });
    world.last('edge/parents').send({ type: 'DELETED', object: object('edge', 'p') });
    await settle();
    expect(world.heard.toSorted()).toEqual(['deleted edge/c', 'deleted edge/own', 'deleted edge/p']);
  });

  test('take a namespace that was made anew between two looks for another one', async () => {
    const world = await halfServed();
    world
      .last('namespaces edge')
      .send(
        { type: 'DELETED', object: object(undefined, 'edge') },
        { type: 'ADDED', object: object(undefined, 'edge', { uid: 'another' }) },
      );
    await settle();
    expect([world.states[1], world.read('parents')]).toEqual(['edge loading', []]);
  });

  test('go on without a namespace that cannot be read, until it can', async () => {
    const world = new ServedCacheSet(['lab', 'edge']);
    world.refused.add('lab/children');
    await settle();
    await world.send('namespaces edge', object(undefined, 'edge'));
    await world.send('namespaces lab', object(undefined, 'lab'));
    await world.send('edge/parents', object('edge', 'p'));
    await world.send('edge/children');
    await world.send('lab/parents', object('lab', 'p'));
    await world.server.clock.advance(20_000);
    await settle();
    expect([world.states, world.synced]).toEqual([['lab unreadable', 'edge served'], true]);
    expect(world.read('parents')).toEqual(['edge/p']);
    const [, problem] =
      [...world.informers.states()].find(
        ([name]) => name.startsWith('children') && name.includes('namespace lab'),
      ) ?? [];
    expect(problem?.lastError?.message).toContain('no role');
    world.refused.clear();
    await world.server.clock.advance(60_000);
    await settle();
    await world.send('lab/children', object('lab', 'c'));
    expect([world.states, world.read('parents')]).toEqual([
      ['lab served', 'edge served'],
      ['edge/p', 'lab/p'],
    ]);
  });

  test('are sorted by key across namespaces of which one begins with the other', async () => {
    const world = new ServedCacheSet(['a', 'a-b']);
    await settle();
    for (const namespace of ['a', 'a-b']) {
      await world.send(`namespaces ${namespace}`, object(undefined, namespace));
      await world.send(`${namespace}/parents`, object(namespace, 'x'));
      await world.send(`${namespace}/children`);
    }
    expect(world.read('parents')).toEqual(['a-b/x', 'a/x']);
    const cache = world.set.cacheNamed('parents');
    expect(cache.list()).toBe(cache.list());
  });

  test('take own writes in the namespace of the object, and none elsewhere', async () => {
    const world = await halfServed();
    const cache = world.set.cacheNamed('parents');
    cache.wrote(object('edge', 'own') as Parameters<typeof cache.wrote>[0]);
    cache.wrote(object('elsewhere', 'own') as Parameters<typeof cache.wrote>[0]);
    expect(world.read('parents')).toEqual(['edge/own', 'edge/p']);
    cache.wroteDeletion({ namespace: 'edge', name: 'p' }, 'uid-edge-p');
    expect(world.read('parents')).toEqual(['edge/own']);
  });

  test('do not wait for a kind that is not installed, and read it everywhere when it comes', async () => {
    const world = new ServedCacheSet(['edge'], ['guests']);
    await settle();
    await world.send('customresourcedefinitions guests.example.dev');
    await world.send('namespaces edge', object(undefined, 'edge'));
    await world.send('edge/parents', object('edge', 'p'));
    await world.send('edge/children');
    const cache = world.set.cacheNamed('guests') as { readonly served?: boolean; readonly synced: boolean };
    expect([world.states, world.synced, cache.served, cache.synced]).toEqual([
      ['edge served'],
      true,
      false,
      true,
    ]);
    let changes = 0;
    world.set.informerOf(world.set.cacheNamed('guests')).onPresence?.(() => (changes += 1));
    await world.installGuests();
    expect([cache.served, cache.synced, world.read('parents')]).toEqual([true, false, ['edge/p']]);
    await world.send('edge/guests', object('edge', 'g'));
    expect([cache.served, cache.synced, world.read('guests'), changes]).toEqual([true, true, ['edge/g'], 2]);
  });

  test('follow what others ask for in the namespaces only', async () => {
    const world = new ServedCacheSet(['edge'], ['asked']);
    await settle();
    await world.send('namespaces edge', object(undefined, 'edge'));
    await world.send('edge/parents', object('edge', 'p'));
    await world.send('edge/children');
    expect(world.watched).not.toContain('edge/details');
    await world.event('edge/parents', 'ADDED', object('edge', 'asks'));
    await world.send('edge/details', object('edge', 'd'));
    expect(world.read('asked')).toEqual(['edge/d']);
  });
});
