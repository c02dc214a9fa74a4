import { expect, test } from 'vitest';
import { ApiError } from '../client/api-error.ts';
import { createInformers, type Informers } from '../informer/informers.ts';
import type { KubeObject } from '../objects/object.ts';
import type { Resource } from '../objects/resource.ts';
import { flushTasks as turn } from '../testing/fake-clock.ts';
import { ScriptedServer, type OpenWatch } from '../testing/scripted-server.ts';
import type { CacheEvent } from '../cache/reader.ts';
import { declareCache, declareCacheWhile, declareOptionalCache } from '../cache/cache-declaration.ts';
import { CacheSet } from '../cache/cache-set.ts';

function kind(plural: string, namespaced = true): Resource<KubeObject> {
  return { group: 'example.dev', version: 'v1', kind: plural, plural, namespaced };
}

const byLetter = { letter: ({ metadata: { name } }: KubeObject) => [name.slice(0, 1)] };
const parents = declareCache({ resource: kind('parents'), indexers: byLetter });
const children = declareCache({ resource: kind('children'), indexers: {} });
const machines = declareCache({ resource: kind('machines', false), indexers: {} });
const guests = declareOptionalCache({ resource: kind('guests'), indexers: {} });
const asked = declareCacheWhile(
  [parents, children],
  (a) => a.list().some((each) => each.metadata.name === 'asks'),
  {
    resource: kind('details'),
    indexers: {},
  },
);
const declarations = { parents, children, machines };

let version = 10;

function object(namespace: string | undefined, name: string, more: object = {}): KubeObject {
  version += 1;
  const resourceVersion = String(version);
  const uid = `uid-${namespace}-${name}`;
  const where = namespace === undefined ? {} : { namespace };
  const creationTimestamp = '2026-11-01T10:00:00Z';
  return { metadata: { ...where, name, uid, resourceVersion, creationTimestamp, ...more } } as KubeObject;
}

function initialEnd() {
  version += 1;
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  return { type: 'BOOKMARK', object: { metadata: { resourceVersion: String(version), annotations } } };
}

/** What arrives in one turn is delivered in the next, and what that starts comes a turn later. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 8; turns += 1) await turn();
}

class World {
  readonly server = new ScriptedServer();
  readonly informers: Informers;
  readonly set: CacheSet;
  readonly heard: string[] = [];
  readonly refused = new Set<string>();
  synced = false;
  /** What a controller waits for that reads no other cache. */
  parentsSynced = false;
  readonly #stop = new AbortController();

  constructor(namespaces: readonly string[] | undefined, more: readonly string[] = []) {
    const extra = { guests, asked };
    const names = new Set<string>(more);
    const chosen = Object.fromEntries(Object.entries(extra).filter(([name]) => names.has(name)));
    this.server.onWatch = (watch) => {
      if (!this.refused.has(whatOf(watch))) return;
      throw new ApiError({
        fate: 'refused',
        code: 403,
        reason: 'Forbidden',
        attempted: 'watch',
        message: 'no role',
      });
    };
    this.informers = createInformers({ client: this.server, clock: this.server.clock, random: () => 0.5 });
    this.set = new CacheSet(this.informers, { ...declarations, ...chosen }, namespaces);
    for (const name of ['parents', 'children'])
      this.set
        .informerOf(this.set.cacheNamed(name))
        .subscribe((events) => this.heard.push(...events.map(told)));
    void this.informers.start(this.#stop.signal);
    void this.set.synced(['parents']).then(() => (this.parentsSynced = true));
    void this.set.synced(['parents', 'children', ...names]).then(() => (this.synced = true));
  }

  /** `namespace/plural`, or the names that a watch is limited to. */
  get watched(): readonly string[] {
    return this.server.watches
      .filter(({ released }) => !released)
      .map(whatOf)
      .toSorted();
  }

  last(what: string): OpenWatch {
    const found = this.server.watches.findLast((watch) => whatOf(watch) === what);
    if (found === undefined)
      throw new Error(`${what} is not watched; watched are: ${this.watched.join(', ')}`);
    return found;
  }

  async send(what: string, ...objects: readonly KubeObject[]): Promise<void> {
    this.last(what).send(...objects.map((each) => ({ type: 'ADDED', object: each })), initialEnd());
    await settle();
  }

  async event(what: string, type: string, changed: KubeObject): Promise<void> {
    this.last(what).send({ type, object: changed });
    await settle();
  }

  read(name: string): readonly string[] {
    return this.set
      .cacheNamed(name)
      .list()
      .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  }

  get states(): readonly string[] {
    return (this.set.namespaces ?? []).map(({ name, state }) => `${name} ${state}`);
  }
}

function whatOf({ resource: { plural }, parameters: { namespace, fieldSelector } }: OpenWatch): string {
  if (fieldSelector !== undefined) return `${plural} ${fieldSelector.replace('metadata.name=', '')}`;
  return namespace === undefined ? plural : `${namespace}/${plural}`;
}

function told({ type, object: { metadata } }: CacheEvent<KubeObject>): string {
  return `${type} ${metadata.namespace}/${metadata.name}`;
}

test('a kind that comes and cannot be read does not take the rest of its namespace away', async () => {
  const world = new World(['edge'], ['guests']);
  world.refused.add('edge/guests');
  await settle();
  await world.send('customresourcedefinitions guests.example.dev');
  await world.send('namespaces edge', object(undefined, 'edge'));
  await world.send('edge/parents', object('edge', 'p'));
  await world.send('edge/children', object('edge', 'c'));
  expect([world.states, world.read('parents')]).toEqual([['edge served'], ['edge/p']]);
  world.heard.length = 0;
  await world.event('customresourcedefinitions guests.example.dev', 'ADDED', {
    ...object(undefined, 'guests.example.dev'),
    spec: { versions: [{ name: 'v1', served: true }] },
    status: { conditions: [{ type: 'Established', status: 'True' }] },
  } as KubeObject);
  for (let round = 0; round < 6; round += 1) {
    await world.server.clock.advance(10_000);
    await settle();
  }
  expect({ states: world.states, parents: world.read('parents'), heard: world.heard }).toEqual({
    states: ['edge served'],
    parents: ['edge/p'],
    heard: [],
  });
});

test('as it is without --namespaces', async () => {
  const world = new World(undefined, ['guests']);
  world.refused.add('guests');
  await settle();
  await world.send('customresourcedefinitions guests.example.dev');
  await world.send('parents', object('edge', 'p'));
  await world.send('children', object('edge', 'c'));
  await world.event('customresourcedefinitions guests.example.dev', 'ADDED', {
    ...object(undefined, 'guests.example.dev'),
    spec: { versions: [{ name: 'v1', served: true }] },
    status: { conditions: [{ type: 'Established', status: 'True' }] },
  } as KubeObject);
  for (let round = 0; round < 6; round += 1) {
    await world.server.clock.advance(10_000);
    await settle();
  }
  expect(world.read('parents')).toEqual(['edge/p']);
});
