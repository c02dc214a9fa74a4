import { describe, expect, test } from 'vitest';
import {
  configMaps,
  createClient,
  createInformer,
  createInformers,
  loadKubeconfig,
  namespaces,
  nodes,
  pods,
  projection,
  type Pod,
  type StreamingClient,
} from '@atoll/kube';
import { startControlPlane } from '@atoll/testbed';
import { eventually } from './followed-resource.ts';

/** Planes of their own: the shared one is neither restarted nor filled. */
const small = {
  components: [],
  apiServerFlags: { 'disable-admission-plugins': ['ServiceAccount'] },
} as const;

async function inParallel(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: 14 }, worker));
}

async function bump(client: StreamingClient, at: number): Promise<string> {
  const patch = { type: 'merge', body: { data: { at: String(at) } } } as const;
  return (await client.patch(configMaps, { namespace: 'default', name: 'a' }, patch)).metadata
    .resourceVersion;
}

describe('an informer on a plane of its own', () => {
  test(
    'goes on where it was when the API server is killed and comes back',
    { timeout: 120_000 },
    async () => {
      await using plane = await startControlPlane(small);
      const client = createClient(await loadKubeconfig({ path: plane.kubeconfig }));
      await eventuallyCreated(client);
      let attempts = 0;
      const observer = { watchEnded: () => void attempts++ };
      const informer = createInformer({ client, resource: configMaps, namespace: 'default', observer });
      const heard: string[] = [];
      informer.subscribe((events) =>
        heard.push(...events.map(({ object }) => object.metadata.resourceVersion)),
      );
      const stop = new AbortController();
      const ended = informer.start(stop.signal);
      await informer.synced;

      const written: string[] = [];
      for (let at = 0; at < 5; at++) written.push(await bump(client, at));
      const apiServer = plane.component('kube-apiserver');
      await apiServer.kill();
      await eventually(
        () => informer.state.failures > 0,
        () => 'the loss to be noticed',
      );
      await apiServer.restart();
      for (let at = 5; at < 10; at++) written.push(await bump(client, at));

      const last = written.at(-1) ?? '';
      await eventually(
        () => heard.includes(last),
        () => `version ${last}`,
        60_000,
      );
      expect(heard.filter((version) => written.includes(version))).toEqual(written);
      expect(attempts).toBeLessThan(15);
      stop.abort();
      await ended;
      await client.close();
    },
  );

  test(
    'holds 5,000 nodes and 20,000 pods in little memory, on one request each',
    { timeout: 600_000 },
    async () => {
      await using plane = await startControlPlane(small);
      const client = createClient(await loadKubeconfig({ path: plane.kubeconfig }));
      await client.create(namespaces, { metadata: { name: 'edge' } });
      await inParallel(5000, (index) => client.create(nodes, { metadata: { name: `node-${index}` } }));
      await inParallel(20_000, (index) =>
        client.create(pods, {
          metadata: { name: `pod-${index}`, namespace: 'edge' },
          spec: { nodeName: `node-${index % 5000}`, containers: [{ name: 'web', image: 'web:1' }] },
        }),
      );

      const ends: string[] = [];
      const informers = createInformers({
        client,
        observer: ({ plural }) => ({ watchEnded: ({ why }) => void ends.push(`${plural} ${why}`) }),
      });
      const byNode = (pod: Pod): readonly string[] =>
        pod.spec?.nodeName === undefined ? [] : [pod.spec.nodeName];
      const podInformer = informers.informer(pods, {
        indexers: { node: byNode },
        projection: projection<Pod>()('spec.nodeName', 'status.phase'),
      });
      const nodeInformer = informers.informer(nodes);
      const before = process.memoryUsage().rss;
      const stop = new AbortController();
      const ended = informers.start(stop.signal);
      await informers.synced();
      expect([nodeInformer.cache.list().length, podInformer.cache.list().length]).toEqual([5000, 20_000]);
      expect(podInformer.cache.by('node', 'node-17').map(({ metadata }) => metadata.name)).toEqual([
        'pod-10017',
        'pod-15017',
        'pod-17',
        'pod-5017',
      ]);
      expect(process.memoryUsage().rss - before).toBeLessThan(250_000_000);

      // Every node's pods are listed after every change, as a controller would.
      let changes = 0;
      podInformer.subscribe((events) => {
        for (const { type, object } of events) {
          if (type !== 'deleted') continue;
          changes++;
          podInformer.cache.by('node', object.spec?.nodeName ?? '');
          podInformer.cache.list();
        }
      });
      await inParallel(2000, (index) =>
        client.delete(pods, { namespace: 'edge', name: `pod-${index}` }, { gracePeriodSeconds: 0 }),
      );
      await eventually(
        () => changes === 2000,
        () => `2000 deletions, heard ${changes}`,
        60_000,
      );
      expect(podInformer.cache.list()).toHaveLength(18_000);
      expect(ends).toEqual([]);
      stop.abort();
      await ended;
      await client.close();
    },
  );
});

/** The default namespace is made by the API server itself, a moment after it is ready. */
async function eventuallyCreated(client: StreamingClient): Promise<void> {
  let created = false;
  const metadata = { namespace: 'default', name: 'a' };
  const attempt = async (): Promise<void> => {
    try {
      await client.create(configMaps, { metadata });
      created = true;
    } catch {
      setTimeout(() => void attempt(), 100);
    }
  };
  await attempt();
  await eventually(
    () => created,
    () => 'the default namespace',
  );
}
