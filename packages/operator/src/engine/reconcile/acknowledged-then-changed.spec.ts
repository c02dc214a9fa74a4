import { expect, it } from 'vitest';
import { labels, nodePools, type NodePool } from '@atoll/api';
import {
  ApiError,
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
import { caches } from '../../caches.ts';
import { createNodePoolController } from '../../node-pool/controller.ts';
import { Announcer } from '../announce.ts';
import { Executor } from '../executor/execute.ts';
import { Refusals } from '../executor/refusals.ts';
import { runReconcile } from '../reconcile/run-reconcile.ts';
import { StatusPace } from '../status/status-pace.ts';

const noExecute = { key: 'drain', value: 'now', effect: 'NoExecute' };
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

it('does nothing for a spec that was taken back while its status was acknowledged', async () => {
  const pools = new ObjectCache<NodePool>({ resource: nodePools });
  const nodeCache = new ObjectCache<Node>({ resource: nodes, indexers: caches.nodes.indexers as never });
  const seen = { observedGeneration: 1, nodes: ['n1'] };
  // Generation 2: somebody has put a NoExecute taint on the pool by mistake.
  pools.replace([pool('20', 2, [noExecute], seen)], '20', true);
  nodeCache.replace([member], '20', true);
  // Generation 3, a moment later: it is taken back. The watch has not shown it yet.
  let live = pool('20', 2, [noExecute], seen);
  const written: unknown[] = [];
  const client = {
    get: (resource: unknown) => Promise.resolve(resource === nodePools ? live : member),
    patch: (resource: unknown, _key: unknown, patch: { readonly body: unknown }) => {
      if (resource === nodePools && live.metadata.generation === 2) {
        live = pool('21', 3, [], seen);
        return Promise.reject(
          new ApiError({
            fate: 'refused',
            code: 409,
            reason: 'Conflict',
            attempted: 'patch',
            message: 'the object has been modified',
          }),
        );
      }
      if (resource === nodes) written.push(patch.body);
      return Promise.resolve(
        resource === nodePools
          ? { ...live, metadata: { ...live.metadata, resourceVersion: '30' } }
          : { ...member, metadata: { ...member.metadata, resourceVersion: '31' } },
      );
    },
  };
  const cacheOf = (resource: Resource<KubeObject>) =>
    (resource as unknown) === nodePools
      ? (pools as unknown as WriteThroughCache<KubeObject>)
      : (nodeCache as unknown as WriteThroughCache<KubeObject>);
  const recordEvent = (): void => undefined;
  const end = await runReconcile(
    createNodePoolController({ nodePools: pools, nodes: nodeCache } as never),
    'hz',
    {
      clock: systemClock,
      cacheOf,
      pace: new StatusPace(),
      refusals: new Refusals(),
      executor: new Executor({
        client: client as never,
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
      othersWait: () => true,
      signal: new AbortController().signal,
    },
  );
  expect(end.end).toMatch(/done|retry/);
  expect(written).toEqual([]);
});
