import { expect, it } from 'vitest';
import {
  deployments,
  systemClock,
  type Deployment,
  type KubeObject,
  type Resource,
  type Stored,
  type WriteThroughCache,
} from '@atoll/kube';
import { ObjectCache } from '../../../../kube/src/cache/cache.ts';
import { boundedWrites } from '../../../../kube/src/client/bounded-writes.ts';
import { TestServer, answerJson } from '../../../../kube/src/testing/test-server.ts';
import { Executor } from '../executor/execute.ts';
import { statusPlan } from '../reconcile/status-plan.ts';

const object = (resourceVersion: string) =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      namespace: 'edge',
      name: 'web',
      uid: 'u',
      resourceVersion,
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    status: {},
  }) as unknown as Stored<Deployment>;

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
  const cache = new ObjectCache<Deployment>({ resource: deployments });
  cache.replace([object('10')], '10', true);
  const executor = new Executor({
    client: boundedWrites(server.client(), { clock: systemClock, sendWithinMs: 4_000 }),
    cacheOf: () => cache as unknown as WriteThroughCache<KubeObject>,
    undeclared: () => undefined,
    clock: systemClock,
    mayWrite: () => true,
    fieldManager: 'atoll',
    recordEvent: () => undefined,
  });
  await executor.execute(
    statusPlan([
      { resource: deployments as Resource<KubeObject>, object: object('10'), status: { ready: 1 } },
    ]),
    { controller: 'c', key: 'edge/web', signal: new AbortController().signal },
  );
  // Even a new list does not bring it back.
  cache.replace([object('12')], '12', true);
  expect(cache.get({ namespace: 'edge', name: 'web' })).toBeDefined();
});
