import { expect, it } from 'vitest';
import { createInformer } from '../informer/informer.ts';
import type { KubeObject } from '../objects/object.ts';
import type { Resource } from '../objects/resource.ts';
import { flushTasks } from '../testing/fake-clock.ts';
import { ScriptedServer } from '../testing/scripted-server.ts';

const configMaps = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
} as Resource<KubeObject>;

const item = {
  metadata: {
    namespace: 'n',
    name: 'a',
    uid: 'u',
    resourceVersion: '3',
    creationTimestamp: '2026-11-01T10:00:00Z',
  },
};

it.each(['end', 'reset'] as const)(
  'reads pages where something between cuts each stream before its content is through (%s)',
  async (cut) => {
    const server = new ScriptedServer();
    server.onList = () => ({ metadata: { resourceVersion: '9' }, items: [item] });
    const informer = createInformer({ client: server, resource: configMaps, clock: server.clock });
    const stop = new AbortController();
    const ended = informer.start(stop.signal);
    for (let round = 0; round < 40 && server.lists.length === 0; round += 1) {
      await flushTasks();
      const watch = server.watches.at(-1);
      if (watch?.released === false) {
        watch.send({ type: 'ADDED', object: item });
        await server.clock.advance(20_000);
        watch[cut]();
      }
      await flushTasks();
      await server.clock.advance(30_000);
    }
    await flushTasks();
    expect(informer.cache.list().map(({ metadata }) => metadata.name)).toEqual(['a']);
    expect(server.watches.length).toBeLessThan(6);
    stop.abort();
    await ended;
  },
);
