import { describe, expect, test } from 'vitest';
import { configMaps, createClient, createInformer, loadKubeconfig, type StreamingClient } from '@atoll/kube';
import { startControlPlane } from '@atoll/testbed';
import { eventually } from './followed-resource.ts';
import { holdManyPods, small } from './many-pods.ts';
import { listsAreStreamed } from './streamed-lists.ts';

async function bump(client: StreamingClient, at: number): Promise<string> {
  const patch = { type: 'merge', body: { data: { at: String(at) } } } as const;
  return (await client.patch(configMaps, { namespace: 'default', name: 'a' }, patch)).metadata
    .resourceVersion;
}

describe('an informer on a control plane of its own', () => {
  test(
    'goes on where it was when the API server is killed and comes back',
    { timeout: 300_000 },
    async () => {
      await using controlPlane = await startControlPlane(small);
      const client = createClient(await loadKubeconfig({ path: controlPlane.kubeconfig }));
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
      const apiServer = controlPlane.component('kube-apiserver');
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
        90_000,
      );
      expect(heard.filter((version) => written.includes(version))).toEqual(written);
      expect(attempts).toBeLessThan(15);
      stop.abort();
      await ended;
      await client.close();
    },
  );

  test('holds 500 nodes and 2,000 pods on one request each', { timeout: 300_000 }, async () => {
    await using controlPlane = await startControlPlane(small);
    const { ends } = await holdManyPods(controlPlane, { nodes: 500, pods: 2_000 });
    expect(ends.toSorted()).toEqual(listsAreStreamed ? [] : ['nodes unsupported', 'pods unsupported']);
  });
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
