import { expect, it } from 'vitest';
import type { Node, Stored } from '@atoll/kube';
import { TestServer, answerJson } from '@atoll/kube/testing';
import { clientOf, reconcileDeps } from '../engine.fixture.ts';
import { Refusals } from '../executor/answers/refusals.ts';
import { StatusPace } from '../status/status-pace.ts';
import { hz, memberOf, poolController } from './one-pool.fixture.ts';
import { runReconcile } from './run-reconcile.ts';

const dedicated = { key: 'dedicated', value: 'edge', effect: 'NoSchedule' } as const;
const record = { 'nodepool.openyurt.io/previous-attributes': JSON.stringify({ taints: [dedicated] }) };
const member = memberOf('n1');
const second = memberOf('n2');
/** Has the taint of the pool already. */
const joined: Stored<Node> = {
  ...second,
  metadata: { ...second.metadata, annotations: record },
  spec: { taints: [dedicated] },
};

it.each([
  [
    'one of several backends of a load balancer answers 404',
    'text/html',
    '<html>default backend - 404</html>',
  ],
  [
    'the API server does not serve the version of the pools for a moment',
    'text/plain',
    '404 page not found\n',
  ],
])('takes nothing off the nodes of a pool because %s', async (_why, type, page) => {
  const written: { readonly url: string; readonly body: string }[] = [];
  await using server = await TestServer.start(({ method, url, body }, response) => {
    if (method === 'GET') {
      response.writeHead(404, { 'content-type': type });
      response.end(page);
      return;
    }
    if (url.includes('/nodes/')) written.push({ url, body });
    const node = url.includes('n2') ? joined : member;
    answerJson(response, 200, { ...node, metadata: { ...node.metadata, resourceVersion: '40' } });
  });
  // n1 has just joined, so that there is something to write.
  const pool = hz('20', 1, [dedicated], ['n1', 'n2']);
  const { controller, cacheOf } = poolController(pool, member, joined);
  const deps = {
    ...reconcileDeps({ client: clientOf(server), cacheOf }),
    pace: new StatusPace(),
    refusals: new Refusals(),
  };
  await runReconcile(controller, 'hz', deps);
  await runReconcile(controller, 'hz', deps);
  expect(
    written.filter(({ url }) => url.includes('n2')).map(({ body }) => JSON.parse(body) as unknown),
  ).toEqual([]);
});
