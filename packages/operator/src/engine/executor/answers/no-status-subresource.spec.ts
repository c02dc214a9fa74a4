import { expect, it } from 'vitest';
import { deployments, ObjectCache, type Resource } from '@atoll/kube';
import { TestServer, answerJson } from '@atoll/kube/testing';
import { clientOf, executorOf, stored, workOn } from '../../engine.fixture.ts';
import { statusPlan } from '../../reconcile/status-plan.ts';

const object = (resourceVersion: string) => ({ ...stored(deployments, 'web', resourceVersion), status: {} });

it('keeps an object whose status is not served, as by a definition without the status subresource', async () => {
  await using server = await TestServer.start(({ method, url }, response) => {
    if (method === 'GET') return answerJson(response, 200, object('10'));
    // What the API server answers for a subresource that a definition does not have.
    if (url.includes('/status'))
      return answerJson(response, 404, {
        kind: 'Status',
        apiVersion: 'v1',
        status: 'Failure',
        code: 404,
        reason: 'NotFound',
        message: 'unitedthings "web" not found',
        details: { name: 'web', kind: 'unitedthings' },
      });
    answerJson(response, 200, object('11'));
  });
  const cache = new ObjectCache({ resource: deployments });
  cache.replace([object('10')], '10', true);
  const executor = executorOf({ client: clientOf(server), cacheOf: () => cache as never });
  await executor.execute(
    statusPlan([{ resource: deployments as Resource<never>, object: object('10'), status: { ready: 1 } }]),
    workOn('edge/web'),
  );
  // Even a new list does not bring it back.
  cache.replace([object('12')], '12', true);
  expect(cache.get({ namespace: 'edge', name: 'web' })).toBeDefined();
});
