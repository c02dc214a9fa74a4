import { annotations, labels, nodePools } from '@atoll/api';
import { nodes } from '@atoll/kube';
import { expect, it } from 'vitest';
import { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import { createNodePoolController } from '../controller.ts';

/** As where somebody copies the annotations of a node into its pool. */
it.each(['hz', 'other'])(
  'a pool that names %s as the one that its nodes followed keeps its nodes',
  (pool) => {
    const world = new FreshWorld();
    const controller = createNodePoolController(world.readers);
    world.put(nodePools, {
      metadata: { name: 'hz', labels: { [labels.poolType]: 'edge', [labels.oldPoolType]: 'edge' } },
      spec: { annotations: { [annotations.followedPool]: pool } },
    });
    world.put(nodes, { metadata: { name: 'n1', labels: { [labels.nodePool]: 'hz' } } });
    world.untilSteady(controller, 'hz');
    expect(world.get(nodes, { name: 'n1' }).metadata.labels?.[labels.nodePool]).toBe('hz');
  },
);
