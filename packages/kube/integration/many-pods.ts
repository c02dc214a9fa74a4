import {
  createClient,
  createInformers,
  inParallel,
  loadKubeconfig,
  namespaces,
  nodes,
  pods,
  projection,
  type Pod,
} from '@atoll/kube';
import type { ControlPlane } from '@atoll/testbed';
import { expect } from 'vitest';
import { eventually } from './followed-resource.ts';

/** For control planes of their own: the shared one is neither restarted nor filled. */
export const small = {
  components: [],
  apiServerFlags: { 'disable-admission-plugins': ['ServiceAccount'] },
} as const;

/** Writes under way. */
const writers = 14;

export interface Held {
  /** Watches that ended: each resource is listed and followed by one request. */
  readonly ends: readonly string[];
  /** By how many bytes the process grew with the lists. */
  readonly grown: number;
}

/** Fills the control plane with nodes and pods, lists and follows them, and deletes every tenth pod. */
export async function holdManyPods(
  controlPlane: ControlPlane,
  count: { readonly nodes: number; readonly pods: number },
): Promise<Held> {
  const client = createClient(await loadKubeconfig({ path: controlPlane.kubeconfig }));
  await client.create(namespaces, { metadata: { name: 'edge' } });
  await inParallel(first(count.nodes), writers, async (index) =>
    client.create(nodes, { metadata: { name: `node-${index}` } }),
  );
  await inParallel(first(count.pods), writers, async (index) =>
    client.create(pods, {
      metadata: { name: `pod-${index}`, namespace: 'edge' },
      spec: { nodeName: `node-${index % count.nodes}`, containers: [{ name: 'web', image: 'web:1' }] },
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
  expect(nodeInformer.cache.list()).toHaveLength(count.nodes);
  expect(podInformer.cache.list()).toHaveLength(count.pods);
  const onNode17 = Array.from({ length: count.pods / count.nodes }, (_, round) => 17 + round * count.nodes);
  expect(podInformer.cache.by('node', 'node-17').map(({ metadata }) => metadata.name)).toEqual(
    onNode17.map((index) => `pod-${index}`).sort(),
  );
  const grown = process.memoryUsage().rss - before;

  // Every node's pods are listed after every change, as a controller would.
  const deleted = count.pods / 10;
  let changes = 0;
  podInformer.subscribe((events) => {
    for (const { type, object } of events) {
      if (type !== 'deleted') continue;
      changes++;
      podInformer.cache.by('node', object.spec?.nodeName ?? '');
      podInformer.cache.list();
    }
  });
  await inParallel(first(deleted), writers, async (index) =>
    client.delete(pods, { namespace: 'edge', name: `pod-${index}` }, { gracePeriodSeconds: 0 }),
  );
  await eventually(
    () => changes === deleted,
    () => `${deleted} deletions, heard ${changes}`,
    120_000,
  );
  expect(podInformer.cache.list()).toHaveLength(count.pods - deleted);
  const held: Held = { ends: [...ends], grown };
  stop.abort();
  await ended;
  await client.close();
  return held;
}

function first(count: number): readonly number[] {
  return [...Array(count).keys()];
}
