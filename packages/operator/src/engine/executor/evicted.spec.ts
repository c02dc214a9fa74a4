import { expect, it } from 'vitest';
import {
  pods,
  systemClock,
  type KubeObject,
  type Resource,
  type WriteThroughCache,
  ObjectCache,
} from '../../../../kube/src/index.ts';
import { boundedWrites } from '../../../../kube/src/client/bounded-writes.ts';
import { TestServer, answerJson, answerStatus } from '../../../../kube/src/testing/test-server.ts';
import { Executor } from '../executor/execute.ts';
import { nothingToDo } from '../plan.ts';
import type { Step } from '../step.ts';

it('does not take an evicted pod that could not be read for one that is gone', async () => {
  await using server = await TestServer.start(({ method }, response) => {
    if (method === 'POST') answerJson(response, 201, { kind: 'Status', status: 'Success' });
    else answerStatus(response, 503, 'ServiceUnavailable', 'away');
  });
  const cache = new ObjectCache({ resource: pods as Resource<KubeObject> });
  const pod = (resourceVersion: string, more: object = {}) =>
    ({
      metadata: {
        namespace: 'edge',
        name: 'p',
        uid: 'u',
        resourceVersion,
        creationTimestamp: '2026-01-01T00:00:00Z',
        ...more,
      },
    }) as never;
  cache.replace([pod('10')], '10', true);
  const executor = new Executor({
    client: boundedWrites(server.client(), { clock: systemClock, sendWithinMs: 4_000 }),
    cacheOf: () => cache as unknown as WriteThroughCache<KubeObject>,
    undeclared: () => undefined,
    clock: systemClock,
    mayWrite: () => true,
    fieldManager: 'atoll',
    recordEvent: () => undefined,
  });
  const step = {
    do: 'delete',
    evict: true,
    why: { word: 'PodOutdated', message: 'x' },
    resource: pods,
    key: { namespace: 'edge', name: 'p' },
    uid: 'u',
    propagation: 'Background',
  } as unknown as Step;
  await executor.execute(
    { ...nothingToDo, stages: [{ name: 's', runs: 'always', steps: [step] }] },
    { controller: 'c', key: 'edge/p', signal: new AbortController().signal },
  );
  // It ends for as long as its grace period.
  cache.apply({ type: 'MODIFIED', object: pod('11', { deletionTimestamp: '2026-01-01T00:00:30Z' }) });
  expect(cache.get({ namespace: 'edge', name: 'p' })).toBeDefined();
});
