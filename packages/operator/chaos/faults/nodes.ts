import { labels } from '@atoll/api';
import { pick } from '../subjects/subject.ts';
import type { ChaosFault, ChaosWorld } from './chaos-world.ts';

async function someNodes(
  world: ChaosWorld,
  share: number,
  fits: (node: string) => boolean = () => true,
): Promise<readonly string[]> {
  const nodes = (await world.controlPlane.nodes()).filter(({ name }) => fits(name));
  const count = Math.max(1, Math.floor(nodes.length * share));
  return Array.from({ length: count }, () => pick(nodes, world.random).name);
}

export const nodeFaults: readonly ChaosFault[] = [
  {
    name: 'nodes-away',
    run: async (world) => {
      const away = [...new Set(await someNodes(world, 0.1))];
      await world.controlPlane.reportNodes(away, 'NotReady');
      await world.wait(5_000 + world.random() * 10_000);
      await world.controlPlane.reportNodes(away, 'Ready');
    },
  },
  {
    name: 'node-lost',
    run: async (world) => {
      const isWithoutAgent = (name: string): boolean => world.agents.every(({ node }) => node !== name);
      const [lost = ''] = await someNodes(world, 0, isWithoutAgent);
      const pool = lost.replace(/-node-\d+$/, '');
      await world.controlPlane.removeNodes([lost]);
      await world.wait(2_000);
      await world.addNode(pool);
    },
  },
  {
    name: 'node-moves',
    run: async (world) => {
      const [node = ''] = await someNodes(world, 0);
      const home = node.replace(/-node-\d+$/, '');
      await world.controlPlane.labelNodes([node], { [labels.nodePool]: pick(world.pools, world.random) });
      await world.wait(3_000);
      await world.controlPlane.labelNodes([node], { [labels.nodePool]: home });
    },
  },
];
