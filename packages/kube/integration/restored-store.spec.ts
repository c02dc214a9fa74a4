import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  configMaps,
  createClient,
  createInformer,
  isApiError,
  loadKubeconfig,
  type StreamingClient,
} from '@atoll/kube';
import { startControlPlane } from '@atoll/testbed';
import { eventually } from './followed-resource.ts';

const namespace = 'default';
/** A watch brings bookmarks each minute; a test should not wait for two and a half. */
const silenceMs = 8_000;

test(
  'an informer follows a store that was restored from a backup, without a restart',
  { timeout: 420_000 },
  async () => {
    // A control plane of its own, whose etcd is set back.
    await using controlPlane = await startControlPlane({
      components: [],
      apiServerFlags: { 'disable-admission-plugins': ['ServiceAccount'] },
    });
    const client = createClient(await loadKubeconfig({ path: controlPlane.kubeconfig }));
    const [etcd, apiServer] = [controlPlane.component('etcd'), controlPlane.component('kube-apiserver')];
    const data = join(controlPlane.directory, 'etcd');
    await write(client, 'kept', 'before');
    await etcd.kill('SIGTERM');
    await cp(data, `${data}-backup`, { recursive: true });
    await etcd.restart();

    const ends: string[] = [];
    const informer = createInformer({
      client,
      resource: configMaps,
      namespace,
      pace: { silenceMs },
      observer: { watchEnded: ({ why }) => void ends.push(why) },
    });
    const stop = new AbortController();
    const ended = informer.start(stop.signal);
    await informer.synced;
    const seen = (name: string): string | undefined => informer.cache.get({ namespace, name })?.data?.['at'];
    for (let at = 0; at < 40; at += 1) await write(client, 'kept', `forgotten ${at}`);
    await write(client, 'lost', 'forgotten');
    await sees('the last change before', () => seen('lost') === 'forgotten');

    await apiServer.kill();
    await etcd.kill();
    await rm(data, { recursive: true });
    await cp(`${data}-backup`, data, { recursive: true });
    await etcd.restart();
    await apiServer.restart();
    await sees('the restored content', () => seen('kept') === 'before' && seen('lost') === undefined);
    await write(client, 'kept', 'after');
    await sees('a change of the restored store', () => seen('kept') === 'after');
    expect(ends).toContain('silent');

    stop.abort();
    await ended;
    await client.close();
  },
);

/** Tries until it can: the API server makes its namespace a moment after it is ready. */
async function write(client: StreamingClient, name: string, at: string): Promise<void> {
  const body = { metadata: { namespace, name }, data: { at } };
  await expect
    .poll(
      async () => {
        try {
          await client.apply(configMaps, body, { fieldManager: 'spec', force: true });
          return 'written';
        } catch (error) {
          if (!isApiError(error)) throw error;
          return error.message;
        }
      },
      { timeout: 60_000, interval: 100 },
    )
    .toBe('written');
}

async function sees(what: string, condition: () => boolean): Promise<void> {
  await eventually(condition, () => what, 90_000);
}
