import { cpuMsOf } from '@atoll/testbed';
import { restartAgent, stateOf, type NodeAgent } from '../agents/node-agent.ts';
import type { ChaosFault, ChaosWorld } from './chaos-world.ts';

/** How long a refusal is waited for: the operator may have to come back first, and to find the pods that are outdated. */
const refusedWithinMs = 120_000;
/** More processor time than an agent needs that starts once, takes in the pods of a node and tries its disk now and then. */
const mostProcessor = { startMs: 5_000, share: 0.3 };

export const agentFaults: readonly ChaosFault[] = [
  {
    // An image changes while the disks are full: there is something that must not be upgraded.
    name: 'agent-disk-full',
    run: async (world) => {
      const first = Math.floor(world.random() * world.agents.length);
      const agents = world.agents.filter((_, index) => index === first || world.random() < 0.5);
      const full = agents.map((agent) => withFullDisk(agent, world));
      await world.changeAgentDaemons();
      const wrong = (await Promise.all(full)).flat();
      if (wrong.length > 0) throw new Error(wrong.join('; '));
    },
  },
];

/** Resolves with what was wrong when the disk is free again. */
async function withFullDisk(agent: NodeAgent, world: ChaosWorld): Promise<readonly string[]> {
  const { disk, node, component } = agent;
  const isRestarted = world.random() < 0.5;
  const processorMs = (): number => (agent.pid === undefined ? 0 : cpuMsOf(agent.pid));
  const wrong: string[] = [];
  disk.fill();
  const from = Date.now();
  try {
    const refusedBefore = agent.refused;
    const before = disk.read('state');
    await world.wait(3_000 + world.random() * 5_000);
    // What it shows then is what the last good file holds.
    if (isRestarted) await restartAgent(agent);
    const startedWith = processorMs();
    const since = Date.now();
    const isRefused = (): boolean => agent.refused > refusedBefore;
    while (!isRefused() && Date.now() - since < refusedWithinMs) await world.wait(500);
    await world.wait(10_000 + world.random() * 10_000);
    if (!isRefused()) wrong.push(`no upgrade was refused within ${refusedWithinMs / 1000} s`);
    if (component.pid === undefined || component.pid !== agent.pid)
      wrong.push(`it ended: ${component.lastWords()}`);
    const used = processorMs() - startedWith;
    const most = mostProcessor.startMs + (Date.now() - since) * mostProcessor.share;
    if (used > most) wrong.push(`it used ${used} ms of a processor in ${Date.now() - since} ms`);
    if (disk.read('state') !== before) wrong.push('the last good file changed');
    const recorded = new Set(stateOf(agent)?.upgrades.map(({ uid }) => uid));
    world.fullDisks.push({ node, from, until: Date.now(), recorded });
  } finally {
    disk.free();
  }
  return wrong.map((each) => `agent of ${node} with a full disk: ${each}`);
}
