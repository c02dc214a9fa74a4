import { expect, test } from 'vitest';
import { declareCache, declareCacheWhile } from '../cache/cache-declaration.ts';
import { CacheSet } from '../cache/cache-set.ts';
import { flushTasks as turn } from '../testing/fake-clock.ts';
import { createInformers } from './informers.ts';
import type { KubeObject, Stored } from '../objects/object.ts';
import type { OptionalReader } from '../cache/reader.ts';
import { daemonSets, nodes, pods } from '../objects/resources.ts';
import { ScriptedServer, type OpenWatch } from '../testing/scripted-server.ts';
import type { Resource } from '../objects/resource.ts';

const asking = [
  declareCache({ resource: daemonSets, indexers: {} }),
  declareCache({ resource: nodes, indexers: {} }),
] as const;

/** Pods are followed while there is a DaemonSet and a node. */
const declarations = {
  podsWhileAsked: declareCacheWhile(asking, (a, b) => a.list().length > 0 && b.list().length > 0, {
    resource: pods,
    indexers: {},
    limits: { labelSelector: 'app' },
  }),
  daemonSets: asking[0],
  nodes: asking[1],
};

function object(name: string, version: number): Stored<KubeObject> {
  return {
    metadata: {
      name,
      uid: `uid-${name}`,
      resourceVersion: String(version),
      creationTimestamp: '2026-11-01T10:00:00Z',
    },
  };
}

const end = (version: number) => ({
  type: 'BOOKMARK',
  object: {
    metadata: { resourceVersion: String(version), annotations: { 'k8s.io/initial-events-end': 'true' } },
  },
});

async function started() {
  const server = new ScriptedServer();
  const informers = createInformers({ client: server, clock: server.clock, random: () => 0.5 });
  const set = new CacheSet(informers, declarations as never);
  const reader = set.readers['podsWhileAsked'] as OptionalReader<KubeObject>;
  void informers.start(new AbortController().signal);
  await flush();
  const last = (resource: Resource<KubeObject>): OpenWatch => {
    const found = server.watches.findLast((watch) => watch.resource.plural === resource.plural);
    if (found === undefined) throw new Error(`no watch of ${resource.plural}`);
    return found;
  };
  return {
    last,
    set,
    standing: () =>
      `${reader.served ? 'followed' : 'not followed'}, ${reader.synced ? 'known' : 'not known'}`,
    watchesOfPods: () => server.watches.filter(({ resource }) => resource.plural === 'pods').length,
    names: () => reader.list().map(({ metadata }) => metadata.name),
  };
}

async function flush(): Promise<void> {
  for (let turns = 0; turns < 6; turns += 1) await turn();
}

test('objects are followed while others ask for them, and never before all of those are known', async () => {
  const { last, standing, watchesOfPods, names, set } = await started();
  const synced = set.synced(['podsWhileAsked']);
  last(daemonSets).send({ type: 'ADDED', object: object('ds', 1) }, end(1));
  await flush();
  expect([standing(), watchesOfPods()]).toEqual(['not followed, not known', 0]);
  last(nodes).send(end(2));
  await flush();
  await expect(synced).resolves.toBeUndefined();
  expect([standing(), watchesOfPods()]).toEqual(['not followed, known', 0]);
  last(nodes).send({ type: 'ADDED', object: object('n', 3) });
  await flush();
  expect([standing(), watchesOfPods()]).toEqual(['followed, not known', 1]);
  expect(last(pods).parameters.labelSelector).toBe('app');
  last(pods).send({ type: 'ADDED', object: object('p', 4) }, end(4));
  await flush();
  expect([standing(), names()]).toEqual(['followed, known', ['p']]);
  last(nodes).send({ type: 'MODIFIED', object: object('n', 5) });
  await flush();
  expect(watchesOfPods()).toBe(1);
  last(daemonSets).send({ type: 'DELETED', object: object('ds', 6) });
  await flush();
  expect([standing(), names()]).toEqual(['not followed, known', []]);
});

test('a cache that others ask for is refused where those are not declared beside it', () => {
  const server = new ScriptedServer();
  const informers = createInformers({ client: server, clock: server.clock, random: () => 0.5 });
  const { nodes: _, ...rest } = declarations;
  expect(() => new CacheSet(informers, rest as never)).toThrow(
    'a cache depends on one of nodes that is not declared beside it',
  );
});
