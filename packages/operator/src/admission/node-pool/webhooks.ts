import type { NodePool } from '@atoll/api';
import { defaulted, type KindWebhooks } from '../kind-webhooks.ts';
import { defaultNodePool } from './default-node-pool.ts';
import { nodePoolWarnings } from './validate-node-pool.ts';

export const nodePoolWebhooks: KindWebhooks = {
  reads: [],
  defaults: {
    lacks: [],
    mutate: () => async (request) =>
      defaulted<NodePool>(request, (pool) =>
        defaultNodePool(pool, request.operation === 'CREATE', request.oldObject as NodePool | undefined),
      ),
  },
  validate:
    () =>
    async ({ object }) =>
      object === undefined
        ? { allowed: true }
        : { allowed: true, warnings: nodePoolWarnings(object as NodePool) },
};
