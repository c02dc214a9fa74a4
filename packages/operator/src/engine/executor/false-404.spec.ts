import { expect, it } from 'vitest';
import {
  pods,
  systemClock,
  type KubeObject,
  type Pod,
  type Resource,
  type Stored,
  type WriteThroughCache,
} from '@atoll/kube';
import { ObjectCache } from '../../../../kube/src/cache/cache.ts';
import { boundedWrites } from '../../../../kube/src/client/bounded-writes.ts';
import { TestServer, answerJson } from '../../../../kube/src/testing/test-server.ts';
import { Executor } from '../executor/execute.ts';
import { guardOf, nothingToDo } from '../plan.ts';

const pod = (name: string, resourceVersion: string): Stored<Pod> =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: 'edge',
      name,
      uid: `uid-${name}`,
      resourceVersion,
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: { containers: [] },
  }) as unknown as Stored<Pod>;

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
      } else answerJson(response, 200, pod('web', '12'));
    });
    const cache = new ObjectCache<Pod>({ resource: pods });
    cache.replace([pod('web', '10')], '10', true);
    const executor = new Executor({
      client: boundedWrites(server.client(), { clock: systemClock, sendWithinMs: 4_000 }),
      cacheOf: () => cache as unknown as WriteThroughCache<KubeObject>,
      undeclared: () => undefined,
      clock: systemClock,
      mayWrite: () => true,
      fieldManager: 'atoll',
      recordEvent: () => undefined,
    });
    const seen = cache.get({ namespace: 'edge', name: 'web' });
    if (seen === undefined) throw new Error('not cached');
    const resource = pods as Resource<KubeObject>;
    const why = { word: 'PodOutdated', message: 'x' } as const;
    await executor.execute(
      {
        ...nothingToDo,
        guards: [guardOf(resource, seen)],
        stages: [
          {
            name: 's',
            runs: 'always',
            steps: [
              {
                do: 'delete',
                why,
                resource,
                key: { namespace: 'edge', name: 'other' },
                uid: 'u',
                propagation: 'Background',
              },
            ],
          },
        ],
      },
      { controller: 'c', key: 'edge/web', signal: new AbortController().signal },
    );
    away = false;
    // The object lives on: its next event, and even a new list, bring it.
    cache.apply({ type: 'MODIFIED', object: pod('web', '11') });
    cache.replace([pod('web', '12')], '12', true);
    expect(cache.get({ namespace: 'edge', name: 'web' })?.metadata.resourceVersion).toBe('12');
  });
}

it('does not call a deletion done that somebody between answered with 404', async () => {
  await using server = await TestServer.start((_, response) => {
    response.writeHead(404, { 'content-type': 'text/html' });
    response.end('<html>nginx: 404</html>');
  });
  const cache = new ObjectCache<Pod>({ resource: pods });
  cache.replace([pod('web', '10')], '10', true);
  const executor = new Executor({
    client: boundedWrites(server.client(), { clock: systemClock, sendWithinMs: 4_000 }),
    cacheOf: () => cache as unknown as WriteThroughCache<KubeObject>,
    undeclared: () => undefined,
    clock: systemClock,
    mayWrite: () => true,
    fieldManager: 'atoll',
    recordEvent: () => undefined,
  });
  const resource = pods as Resource<KubeObject>;
  const why = { word: 'PodOutdated', message: 'x' } as const;
  const { results } = await executor.execute(
    {
      ...nothingToDo,
      stages: [
        {
          name: 's',
          runs: 'always',
          steps: [
            {
              do: 'delete',
              why,
              resource,
              key: { namespace: 'edge', name: 'web' },
              uid: 'uid-web',
              propagation: 'Background',
            },
          ],
        },
      ],
    },
    { controller: 'c', key: 'edge/web', signal: new AbortController().signal },
  );
  expect(results[0]?.did).not.toBe('done');
  expect(cache.get({ namespace: 'edge', name: 'web' })).toBeDefined();
});
