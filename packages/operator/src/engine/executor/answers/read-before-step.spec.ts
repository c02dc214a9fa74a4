import { expect, it } from 'vitest';
import { keyOf } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import type { KubeObject, Resource } from '@atoll/kube';
import { emptyCaches, ModelCache } from '../../../../simulation/model/caches.ts';
import { ModelClient } from '../../../../simulation/model/model-client.ts';
import { children, pools, spreads } from '../../../../simulation/examples/one-child-per-pool.ts';
import type { Pool, Child } from '../../../../simulation/examples/one-child-per-pool.ts';
import { executorOf } from '../../engine.fixture.ts';
import { isLasting } from './refusals.ts';
import { nothingToDo } from '../../plan.ts';
import { endOf } from '../../reconcile/reconcile-end.ts';
import { seenAs } from '../../steps/seen.ts';

it('does not call a step refused because a read before it got no good answer', async () => {
  const client = new ModelClient();
  const shown = { content: emptyCaches, unsynced: new Set<string>() };
  const caches = [
    new ModelCache(spreads, shown),
    new ModelCache(children, shown),
    new ModelCache(pools, shown),
  ];
  const pool = client.put<Pool>(pools, { metadata: { name: 'a' }, spec: { on: true } });
  const child = client.put<Child>(children, {
    metadata: { name: 'web-a', namespace: 'edge' },
    spec: { version: 1 },
  });
  const executor = executorOf({
    client,
    cacheOf: (resource: Resource<KubeObject>) =>
      caches.find((cache) => (cache.resource as object) === resource) as never,
  });
  // As the transport makes it of a 503 to a GET: nothing was changed, so its fate is `refused`.
  client.mishap = ({ verb }) => (verb === 'get' ? refusalOf(503, 'get pools a', 'starting') : undefined);
  const outcome = await executor.execute(
    {
      ...nothingToDo,
      stages: [
        {
          name: 'delete',
          steps: [
            {
              do: 'delete',
              why: { word: 'ChildDeleted' as never, message: 'its pool left' },
              resource: children as Resource<KubeObject>,
              key: keyOf(child),
              uid: child.metadata.uid,
              propagation: 'Background',
              restsOn: [seenAs(pools, keyOf(pool), pool)],
            },
          ],
        },
      ],
    },
    { controller: 'spread', key: 'edge/web', signal: new AbortController().signal },
  );
  const [result] = outcome.results;
  if (result?.did !== 'failed') throw new Error('it did not fail');
  expect(client.sent.map(({ verb }) => verb)).toEqual(['get']);
  expect({ lasting: isLasting(result.error), end: endOf(outcome, nothingToDo, 0).end }).toEqual({
    lasting: false,
    end: 'retry',
  });
});
