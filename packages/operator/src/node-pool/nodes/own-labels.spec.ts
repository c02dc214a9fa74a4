import { annotations, labels, nodePools, type NodePoolSpec } from '@atoll/api';
import { conditionOf, nodes } from '@atoll/kube';
import { expect, it } from 'vitest';
import { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import { createNodePoolController } from '../controller.ts';

type Labels = Readonly<Record<string, string>>;

const zone = 'topology.kubernetes.io/zone';
const region = 'topology.kubernetes.io/region';
const all = (count: number): string => `all ${count} nodes carry the pool's labels, annotations and taints`;

it.each<readonly [string, NodePoolSpec, readonly Labels[], string]>([
  ['none, where nodes have none of their own', { labels: { [zone]: 'a' } }, [{}, {}], all(2)],
  ['none, where the own value is that of the pool', { labels: { [zone]: 'a' } }, [{ [zone]: 'a' }], all(1)],
  [
    'each with the nodes that have another value of their own',
    { labels: { [zone]: 'a', [region]: 'r', site: 'x' } },
    [{ [zone]: 'b' }, { [zone]: 'c', [region]: 's' }, {}],
    `${all(3)}; labels that say what a node is are not set where it has another value of its own: ` +
      `${region} on n2, ${zone} on n1, n2. Remove them from spec.labels`,
  ],
  [
    'three nodes of many',
    { labels: { [zone]: 'a' } },
    [1, 2, 3, 4, 5].map(() => ({ [zone]: 'b' })),
    `${all(5)}; labels that say what a node is are not set where it has another value of its own: ` +
      `${zone} on n1, n2, n3 and 2 more. Remove them from spec.labels`,
  ],
  [
    'those that no pool can give',
    { labels: { [labels.nodePool]: 'bj' }, annotations: { [annotations.keptTaints]: 'x' } },
    [{}],
    `${all(1)}; no node gets spec.annotations[atoll.dev/kept-taints], spec.labels[apps.openyurt.io/nodepool]: ` +
      'such keys name the pool of a node, or record what a pool did with it. Remove them from the pool',
  ],
])('the message names keys of the pool that are not set: %s', (_title, spec, own, message) => {
  const world = new FreshWorld();
  const controller = createNodePoolController(world.readers);
  world.put(nodePools, { metadata: { name: 'hz' }, spec });
  for (const [index, found] of own.entries()) {
    const metadata = { name: `n${index + 1}`, labels: { [labels.nodePool]: 'hz', ...found } };
    world.put(nodes, { metadata, spec: { taints: [] } });
  }
  for (const _round of [1, 2, 3]) world.reconcile(controller, 'hz');
  expect(conditionOf(world.get(nodePools, { name: 'hz' }), 'Ready')).toMatchObject({
    status: 'True',
    reason: 'PoolSynced',
    message,
  });
});
