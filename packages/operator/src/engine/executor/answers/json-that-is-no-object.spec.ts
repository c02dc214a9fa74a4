import { expect, it } from 'vitest';
import { configMaps, ObjectCache, pods } from '@atoll/kube';
import { TestServer, answerJson } from '@atoll/kube/testing';
import { clientOf, deletes, executorOf, planOf, stored, workOn } from '../../engine.fixture.ts';

it('makes an outcome of every answer, and loses neither an answer nor a place', async () => {
  const held: (() => void)[] = [];
  await using server = await TestServer.start(({ method, url }, response) => {
    const done = () => answerJson(response, 200, { kind: 'Status', status: 'Success' });
    // Something between answers a live read with JSON that is no object of Kubernetes.
    if (method === 'GET') answerJson(response, 200, { message: 'please wait' });
    else if (url.includes('slow')) held.push(done);
    else done();
  });
  const slow = stored(pods, 'slow', '10');
  const cache = new ObjectCache({ resource: pods });
  cache.replace([slow], '10', true);
  const executor = executorOf({
    client: clientOf(server),
    cacheOf: (resource) => ((resource as unknown) === pods ? (cache as never) : undefined),
  });
  const restsOn = [{ resource: configMaps, key: { namespace: 'edge', name: 'r' }, uid: 'u', labels: {} }];
  const first = executor
    .execute(
      planOf(deletes(pods, slow), deletes(configMaps, stored(configMaps, 'x', '10'), { restsOn })),
      workOn('edge/a'),
    )
    .then(
      (outcome) => outcome.results.map(({ did }) => did),
      (error: Error) => `rejected: ${error.message}`,
    );
  const outcome = await Promise.race([
    first,
    new Promise((resolve) => setTimeout(() => resolve('waits for the slow one'), 300)),
  ]);
  for (const done of held) done();
  await first;
  expect({ outcome, slowIsCached: cache.get({ namespace: 'edge', name: 'slow' }) !== undefined }).toEqual({
    outcome: 'waits for the slow one',
    slowIsCached: false,
  });
});
