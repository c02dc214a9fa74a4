import { annotations, labels, nodePools } from '@atoll/api';
import { nodes } from '@atoll/kube';
import { expect, it } from 'vitest';
import { FreshWorld } from '../../simulation/examples/fresh-world.ts';
import { allLabels, attributesOf } from './nodes/attributes.ts';
import { createNodePoolController } from './controller.ts';
import { leaversKey } from './nodes/node-key.ts';

/** The old operator copies all of `spec.labels`, and records them. */
it.each([labels.nodePool, labels.desiredNodePool])(
  'a pool of an old operator that gives its nodes the label %s keeps them',
  (key) => {
    const world = new FreshWorld();
    const controller = createNodePoolController(world.readers);
    const given = { [key]: 'hz', zone: 'x' };
    world.put(nodePools, {
      metadata: { name: 'hz', labels: { [labels.poolType]: 'edge', [labels.oldPoolType]: 'edge' } },
      spec: { labels: given },
    });
    world.put(nodes, {
      metadata: {
        name: 'n1',
        labels: { [labels.nodePool]: 'hz', ...given },
        annotations: { [annotations.previousAttributes]: JSON.stringify({ labels: given }) },
      },
    });
    for (let round = 0; round < 4; round += 1) {
      world.untilSteady(controller, 'hz');
      if (controller.observe({ name: leaversKey }) !== undefined) world.reconcile(controller, leaversKey);
    }
    expect(world.get(nodes, { name: 'n1' }).metadata.labels).toMatchObject({
      [labels.nodePool]: 'hz',
      zone: 'x',
    });
    expect(world.get(nodePools, { name: 'hz' }).status?.nodes).toEqual(['n1']);
  },
);

it.each([
  ['by the annotation, where there is no field', {}, true],
  ['not against the field', { hostNetwork: false }, false],
  ['not in a pool of type Cloud', { type: 'Cloud' as const }, false],
])('nodes use the network of their host %s', (_, spec, uses) => {
  const metadata = { name: 'hz', annotations: { [annotations.hostNetwork]: 'true' } };
  expect(labels.hostNetwork in allLabels(attributesOf({ metadata, spec }))).toBe(uses);
});
