import { expect, test } from 'vitest';
import { labels, nodePools, type NodePool } from '@atoll/api';
import { nodes } from '@atoll/kube';
import { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import { Narrator } from '../../../simulation/narrate.ts';
import { createNodePoolController } from '../controller.ts';
import { leaversKey } from '../nodes/node-key.ts';

const edge = { [labels.poolType]: 'edge', [labels.oldPoolType]: 'edge' };
const hz: NodePool = {
  metadata: { name: 'hz', labels: edge },
  spec: { labels: { zone: 'a' }, taints: [{ key: 'edge', value: 'x', effect: 'NoSchedule' }] },
};

test('a node joins, drifts, moves and leaves', async () => {
  const world = new FreshWorld();
  world.put(nodePools, hz);
  world.put(nodePools, { metadata: { name: 'bj', labels: edge }, spec: { labels: { zone: 'b' } } });
  const story = new Narrator(world, createNodePoolController(world.readers));
  const ready = { conditions: [{ type: 'Ready', status: 'True' }] };
  story.step(
    'Node n1 joins the pool hz.',
    () => {
      world.put(nodes, { metadata: { name: 'n1', labels: { [labels.nodePool]: 'hz' } }, status: ready });
    },
    'hz',
  );
  story.status('The status of hz says', world.get(nodePools, { name: 'hz' }).status?.conditions);
  story.step('Somebody gives it another zone.', () => setLabels(world, { zone: 'mine' }), 'hz');
  story.step(
    'The pool hz loses its taint.',
    () => {
      world.edit(nodePools, { name: 'hz' }, (found) => ({ ...found, spec: { labels: { zone: 'a' } } }));
    },
    'hz',
  );
  story.step('The node moves to bj.', () => setLabels(world, { [labels.nodePool]: 'bj' }), 'bj');
  setLabels(world, { [labels.nodePool]: '' });
  const controller = createNodePoolController(world.readers);
  world.reconcile(controller, leaversKey);
  story.status(
    `The node leaves; its labels are ${JSON.stringify(world.get(nodes, { name: 'n1' }).metadata.labels)}.`,
  );
  await expect(story.text()).toMatchFileSnapshot('./a-node-joins-drifts-moves-and-leaves.txt');
});

function setLabels(world: FreshWorld, changed: Readonly<Record<string, string>>): void {
  world.edit(nodes, { name: 'n1' }, (found) => ({
    ...found,
    metadata: { ...found.metadata, labels: { ...found.metadata.labels, ...changed } },
  }));
}
