import { configMaps, controllerOf, declareCache } from '@atoll/kube';
import { defineKind } from '@atoll/operator';
import { createPoolConfigController, poolLabel } from './controller.ts';
import { poolConfigs } from './schema/pool-config.ts';

export const poolConfigDefinition = defineKind({
  name: 'pool-config',
  aliases: [],
  onByDefault: true,
  resource: poolConfigs,
  schema: async () => (await import('./schema/schema.ts')).poolConfigKind,
  reads: ['nodePools'],
  caches: {
    poolConfigs: declareCache({ resource: poolConfigs, indexers: {} }),
    poolConfigMaps: declareCache({
      resource: configMaps,
      indexers: { owner: (object) => [controllerOf(object)?.uid ?? ''] },
      // Other ConfigMaps of the cluster are never sent to us.
      limits: { labelSelector: poolLabel },
    }),
  },
  writes: [
    { resource: poolConfigs, verbs: ['patch'], subresource: 'status' },
    { resource: configMaps, verbs: ['create', 'patch', 'delete'] },
  ],
  ownsChildren: true,
  create: createPoolConfigController,
});
