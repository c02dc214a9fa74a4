import { expect, it } from 'vitest';
import { labels, nodePools, type NodePool } from '@atoll/api';
import {
  nodes,
  silentLogger,
  systemClock,
  type KubeObject,
  type Node,
  type Resource,
  type Stored,
  type WriteThroughCache,
} from '@atoll/kube';
import { ObjectCache } from '../../../../kube/src/cache/cache.ts';
import { boundedWrites } from '../../../../kube/src/client/bounded-writes.ts';
import { TestServer, answerJson } from '../../../../kube/src/testing/test-server.ts';
import { caches } from '../../caches.ts';
import { createNodePoolController } from '../../node-pool/controller.ts';
import { Announcer } from '../announce.ts';
import { Executor } from '../executor/execute.ts';
import { Refusals } from '../executor/refusals.ts';
import { runReconcile } from '../reconcile/run-reconcile.ts';
import { StatusPace } from '../status/status-pace.ts';

const dedicated = { key: 'dedicated', value: 'edge', effect: 'NoSchedule' };
const pool = (
  resourceVersion: string,
  generation: number,
  taints: readonly object[],
  status: object,
): Stored<NodePool> =>
  ({
    apiVersion: 'apps.openyurt.io/v1beta2',
    kind: 'NodePool',
    metadata: {
      name: 'hz',
      uid: 'u-hz',
      resourceVersion,
      generation,
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { [labels.poolType]: 'edge', [labels.oldPoolType]: 'edge' },
    },
    spec: { type: 'Edge', taints },
    status,
  }) as unknown as Stored<NodePool>;
const member: Stored<Node> = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: 'n1',
    uid: 'u-n1',
    resourceVersion: '5',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { [labels.nodePool]: 'hz', [labels.poolType]: 'edge' },
  },
  spec: {},
  status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
} as unknown as Stored<Node>;

const joined: Stored<Node> = {
  ...member,
  metadata: {
    ...member.metadata,
    name: 'n2',
    uid: 'u-n2',
    annotations: { 'nodepool.openyurt.io/previous-attributes': JSON.stringify({ taints: [dedicated] }) },
  },
  spec: { taints: [dedicated] },
} as unknown as Stored<Node>;

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
  const present = pool('20', 1, [dedicated], { observedGeneration: 1, nodes: ['n1', 'n2'] });
  const written: { readonly url: string; readonly body: string }[] = [];
  await using server = await TestServer.start(({ method, url, body }, response) => {
    if (method === 'GET') {
      response.writeHead(404, { 'content-type': type });
      response.end(page);
      return;
    }
    if (url.includes('/nodes/')) written.push({ url, body });
    answerJson(response, 200, {
      ...(url.includes('n2') ? joined : member),
      metadata: { ...(url.includes('n2') ? joined : member).metadata, resourceVersion: '40' },
    });
  });
  const pools = new ObjectCache<NodePool>({ resource: nodePools });
  const nodeCache = new ObjectCache<Node>({ resource: nodes, indexers: caches.nodes.indexers as never });
  pools.replace([present], '20', true);
  // n1 has just joined, so that there is something to write.
  nodeCache.replace([member, joined], '20', true);
  const cacheOf = (resource: Resource<KubeObject>) =>
    (resource as unknown) === nodePools
      ? (pools as unknown as WriteThroughCache<KubeObject>)
      : (nodeCache as unknown as WriteThroughCache<KubeObject>);
  const recordEvent = (): void => undefined;
  const deps = {
    clock: systemClock,
    cacheOf,
    pace: new StatusPace(),
    refusals: new Refusals(),
    executor: new Executor({
      client: boundedWrites(server.client(), { clock: systemClock, sendWithinMs: 4_000 }),
      cacheOf,
      undeclared: () => undefined,
      clock: systemClock,
      mayWrite: () => true,
      fieldManager: 'atoll',
      recordEvent,
    }),
    announcer: new Announcer({
      log: silentLogger,
      recordEvent,
      metrics: { steps() {}, holds() {}, held() {} },
    }),
    signal: new AbortController().signal,
  };
  const controller = createNodePoolController({ nodePools: pools, nodes: nodeCache } as never);
  await runReconcile(controller, 'hz', deps);
  await runReconcile(controller, 'hz', deps);
  expect(
    written.filter(({ url }) => url.includes('n2')).map(({ body }) => JSON.parse(body) as unknown),
  ).toEqual([]);
});
