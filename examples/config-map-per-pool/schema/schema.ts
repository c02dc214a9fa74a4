import {
  atomicList,
  columnsForEveryKind,
  condition,
  int64,
  labelSelector,
  unseenAtFirst,
  type KindDefinition,
} from '@atoll/api/schema';
import { z } from 'zod';
import { poolConfigs } from './pool-config.ts';

export const poolConfigKind: KindDefinition = {
  resource: poolConfigs,
  shortNames: ['pc'],
  description: 'A ConfigMap for every pool that a selector matches.',
  spec: z.strictObject({
    nodePoolSelector: labelSelector().describe('The pools that get a ConfigMap.'),
    data: z.record(z.string(), z.string()).describe('What every ConfigMap holds.'),
  }),
  status: z
    .strictObject({
      observedGeneration: int64().describe('The generation that this status describes.').optional(),
      configMaps: int64().describe('How many ConfigMaps there are.').optional(),
      conditions: atomicList(condition).optional(),
    })
    .meta(unseenAtFirst),
  versions: [{ name: 'v1alpha1', storage: true, columns: columnsForEveryKind }],
};
