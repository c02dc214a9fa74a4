import { expect, it } from 'vitest';
import { ObjectCache, pods } from '@atoll/kube';
import { TestServer, answerJson, answerStatus } from '@atoll/kube/testing';
import { clientOf, deletes, executorOf, planOf, stored, workOn } from '../../engine.fixture.ts';

it('does not take an evicted pod that could not be read for one that is gone', async () => {
  await using server = await TestServer.start(({ method }, response) => {
    if (method === 'POST') answerJson(response, 201, { kind: 'Status', status: 'Success' });
    else answerStatus(response, 503, 'ServiceUnavailable', 'away');
  });
  const cache = new ObjectCache({ resource: pods });
  const pod = stored(pods, 'p', '10');
  cache.replace([pod], '10', true);
  const executor = executorOf({ client: clientOf(server), cacheOf: () => cache as never });
  const plan = planOf(deletes(pods, pod, { evict: true }));
  const { results } = await executor.execute(plan, workOn('edge/p'));
  const message = 'evict pods edge/p: it was evicted, and how it is now is not known: get pods edge/p: away';
  expect(results).toMatchObject([{ did: 'failed', error: { message } }]);
  // It ends for as long as its grace period.
  const ending = stored(pods, 'p', '11', { deletionTimestamp: '2026-01-01T00:00:30Z' });
  cache.apply({ type: 'MODIFIED', object: ending });
  expect(cache.get({ namespace: 'edge', name: 'p' })).toBeDefined();
});
