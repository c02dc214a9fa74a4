import { pods, type StreamingClient } from '@atoll/kube';
import { daemonOf } from '../subjects/daemons.ts';
import { namespace } from '../subjects/subject.ts';
import { stateOf, type NodeAgent } from './node-agent.ts';

/** Yields what agents have not on disk though it is there: the pods that they upgrade. */
export async function behindAgents(client: StreamingClient, agents: readonly NodeAgent[]): Promise<string[]> {
  if (agents.length === 0) return [];
  try {
    const { items } = await client.list(pods, { namespace });
    return agents.flatMap((agent) => {
      const kept = new Set(stateOf(agent)?.pods.map(({ metadata }) => metadata.uid));
      return items
        .filter((pod) => pod.spec?.nodeName === agent.node && daemonOf(pod)?.startsWith('ota-') === true)
        .filter(({ metadata }) => !kept.has(metadata.uid))
        .map(({ metadata }) => `agent of ${agent.node}: ${metadata.name} is not on its disk`);
    });
  } catch (error) {
    return [`pods cannot be read: ${String(error)}`];
  }
}
