import { expect, it } from 'vitest';
import { ObjectCache, pods, type Resource } from '@atoll/kube';
import { TestServer, answerJson } from '@atoll/kube/testing';
import { clientOf, deletes, executorOf, planOf, stored, workOn } from '../../engine.fixture.ts';
import { guardOf } from '../../plan.ts';

const web = { namespace: 'edge', name: 'web' };

/** An executor before that server, and its cache, which holds the pod. */
function executorBefore(server: TestServer) {
  const cache = new ObjectCache({ resource: pods });
  const pod = stored(pods, 'web', '10');
  cache.replace([pod], '10', true);
  return { cache, pod, executor: executorOf({ client: clientOf(server), cacheOf: () => cache as never }) };
}

/** What a load balancer, an ingress without a backend or a proxy answers; and what the API server answers for a version it does not serve at this moment. */
const pages = {
  'a load balancer': ['text/html', '<html><body>default backend - 404</body></html>'],
  'an API server that does not serve the version now': ['text/plain', '404 page not found\n'],
} as const;

for (const [who, [type, body]] of Object.entries(pages)) {
  it(`does not take the 404 of ${who} for the end of an object`, async () => {
    let away = true;
    await using server = await TestServer.start((_, response) => {
      if (away) {
        response.writeHead(404, { 'content-type': type });
        response.end(body);
      } else answerJson(response, 200, stored(pods, 'web', '12'));
    });
    const { cache, pod, executor } = executorBefore(server);
    const guards = [guardOf(pods as Resource<never>, pod)];
    const plan = planOf(deletes(pods, stored(pods, 'other', '10')));
    await executor.execute({ ...plan, guards }, workOn('edge/web'));
    away = false;
    // The object lives on: its next event, and even a new list, bring it.
    cache.apply({ type: 'MODIFIED', object: stored(pods, 'web', '11') });
    cache.replace([stored(pods, 'web', '12')], '12', true);
    expect(cache.get(web)?.metadata.resourceVersion).toBe('12');
  });
}

it('does not call a deletion done that somebody between answered with 404', async () => {
  await using server = await TestServer.start((_, response) => {
    response.writeHead(404, { 'content-type': 'text/html' });
    response.end('<html>nginx: 404</html>');
  });
  const { cache, pod, executor } = executorBefore(server);
  const { results } = await executor.execute(planOf(deletes(pods, pod)), workOn('edge/web'));
  expect(results[0]?.did).not.toBe('done');
  expect(cache.get(web)).toBeDefined();
});
