import type { StreamingClient } from '@atoll/kube';
import type { ControlPlane } from '@atoll/testbed';
import type { ChaosOptions } from '../chaos-options.ts';
import { agentFaults } from '../faults/agent-disks.ts';
import { agentNodeLabel } from '../subjects/daemons.ts';
import { spread } from '../subjects/subject.ts';
import { startNodeAgents, type NodeAgent } from './node-agent.ts';

/** Starts as many agents as are asked for, on labelled nodes. None where no disk can be mounted: only a run that names the fault ends then. */
export async function startAgents(
  controlPlane: ControlPlane,
  client: StreamingClient,
  { agents, faults }: ChaosOptions,
  signal: AbortSignal,
): Promise<readonly NodeAgent[]> {
  const names = agentFaults.map(({ name }) => name);
  const isNamed = names.some((name) => faults.includes(name));
  if (agents === 0 || (faults.length > 0 && !isNamed)) return [];
  const all = (await controlPlane.nodes()).map(({ name }) => name);
  const nodesOfAgents = spread(all, agents);
  try {
    const started = await startNodeAgents(controlPlane, client, nodesOfAgents, signal);
    await controlPlane.labelNodes(nodesOfAgents, { [agentNodeLabel]: 'yes' });
    return started;
  } catch (error) {
    if (isNamed) throw error;
    console.log(`without ${names.join(', ')}: ${String(error)}`);
    return [];
  }
}
