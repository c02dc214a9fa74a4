import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { namespaces, pods, type Pod, type StreamingClient } from '@atoll/kube';
import { namespaceCount, podOf, statusOf } from './pod.ts';

const writers = 14;

/** Creates the pods, without a status. */
export async function createPods(client: StreamingClient, count: number): Promise<void> {
  for (let at = 0; at < namespaceCount; at++)
    await client.create(namespaces, { metadata: { name: `team-${at}` } });
  await inParallel(count, async (index) => void (await client.create(pods, podOf(index))));
}

/**
 * Changes the status of the pods `count` times in all, round by round, while a watch's bytes go to `file` as the API
 * server sends them. Yields the bytes.
 */
export async function recordEvents(
  client: StreamingClient,
  podCount: number,
  count: number,
  file: string,
): Promise<number> {
  const { metadata } = JSON.parse((await client.raw({ path: '/api/v1/pods?limit=1' })).body.toString()) as {
    readonly metadata: { readonly resourceVersion: string };
  };
  const stop = new AbortController();
  const watch = await client.watch(
    pods,
    { resourceVersion: metadata.resourceVersion, timeoutSeconds: 3600 },
    stop,
  );
  const recording = (async (): Promise<number> => {
    const out = createWriteStream(file);
    let lines = 0;
    let bytes = 0;
    for await (const chunk of watch.body) {
      for (const byte of chunk) if (byte === 0x0a) lines++;
      bytes += chunk.length;
      if (!out.write(chunk)) await once(out, 'drain');
      if (lines >= count) break;
    }
    out.end();
    await once(out, 'finish');
    return bytes;
  })();
  await inParallel(count, async (at) => {
    const index = at % podCount;
    const { name, namespace = '' } = podOf(index).metadata;
    const body = { status: statusOf(index, Math.floor(at / podCount)) };
    await client.patch<Pod>(pods, { namespace, name }, { type: 'merge', body }, { subresource: 'status' });
  });
  const bytes = await recording;
  stop.abort();
  return bytes;
}

async function inParallel(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: writers }, async () => {
      while (next < count) await work(next++);
    }),
  );
}
