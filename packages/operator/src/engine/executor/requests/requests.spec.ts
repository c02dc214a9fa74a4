import { pods, type KubeObject, type WriteThroughCache } from '@atoll/kube';
import { expect, it } from 'vitest';
import { Requests, type ExecutorClient } from './requests.ts';

it('a dry run is not decoded as what a cache holds: its answer has no resourceVersion', async () => {
  const asked: object[] = [];
  const client = {
    create: async (_resource: unknown, object: KubeObject, options: object) => {
      asked.push(Object.keys(options).sort());
      return Promise.resolve(object);
    },
  } as unknown as ExecutorClient;
  const cache = { decode: () => undefined } as unknown as WriteThroughCache<KubeObject>;
  const requests = new Requests({ client, fieldManager: 'atoll' });
  const { signal } = new AbortController();
  const pod = { metadata: { namespace: 'edge', name: 'a' } };
  await requests.send({ verb: 'create', resource: pods, object: pod, dryRun: true }, signal, cache);
  await requests.send({ verb: 'create', resource: pods, object: pod }, signal, cache);
  expect(asked).toEqual([
    ['dryRun', 'fieldManager', 'signal'],
    ['fieldManager', 'read', 'signal'],
  ]);
});
