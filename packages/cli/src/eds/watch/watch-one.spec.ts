import { nodes } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import { expect, it } from 'vitest';
import { watchOne } from './watch-one.ts';

it('leaves no watch open where the object cannot be read beside it', async () => {
  const stop = new AbortController();
  const opened: AbortSignal[] = [];
  const refused = refusalOf(500, 'get nodes', 'no');
  const client: Parameters<typeof watchOne>[0]['client'] = {
    watch: async (_, __, { signal = stop.signal } = {}) => {
      opened.push(signal);
      return { code: 200, headers: {}, body: new ReadableStream<Buffer>() };
    },
    get: async () => {
      throw refused;
    },
  };
  const metadata = { name: 'n', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
  const openWhenFailed: boolean[] = [];
  await watchOne(
    { client, namespace: 'ns' },
    nodes,
    { metadata },
    {
      changed: () => undefined,
      failed: () => {
        openWhenFailed.push(...opened.map(({ aborted }) => !aborted));
        stop.abort();
      },
      signal: stop.signal,
    },
  );
  expect(openWhenFailed).toEqual([false]);
});
