import { nodePools } from '@atoll/api';
import { nodes } from '@atoll/kube';
import { nodePoolWebhooks } from '../admission/node-pool/webhooks.ts';
import { defineKind } from '../definitions/kind-definition.ts';
import { figuresOf } from '../definitions/object-figures.ts';
import { createNodePoolController } from './controller.ts';
import { nodePoolFigures } from './figures.ts';

export const nodePoolDefinition = defineKind({
  name: 'node-pool',
  aliases: ['nodepool', 'nodepool-controller'],
  onByDefault: true,
  resource: nodePools,
  schema: async () => (await import('@atoll/api/schema')).nodePoolKind,
  reads: ['nodePools', 'definitionOfNodePools', 'nodes'],
  confirms: ['definitionOfNodePools'],
  writes: [
    // Pools carry labels that name their type.
    { resource: nodePools, verbs: ['patch'] },
    { resource: nodePools, verbs: ['patch'], subresource: 'status' },
    { resource: nodes, verbs: ['patch'] },
  ],
  webhooks: nodePoolWebhooks,
  figures: (readers) => figuresOf(readers.nodePools, nodePoolFigures),
  create: createNodePoolController,
});
