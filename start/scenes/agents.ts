import { join } from 'node:path';
import type { Client } from '@atoll/kube';
import { freePorts, type ControlPlane } from '@atoll/testbed';
import { installAgentAccess, runAgent, type RunningAgent } from '@atoll/testbed/node-agent';
import { programFile } from '../../scripts/build/program-file.ts';

const program = [programFile('atoll-agent')];

/** A process for each node, as on the node itself: with a token that is bound to it, so that it may change no other node's pods. */
export async function startAgents(
  controlPlane: ControlPlane,
  client: Client,
  nodes: readonly string[],
  signal: AbortSignal,
): Promise<readonly RunningAgent[]> {
  await installAgentAccess(client, 'npm-start', signal);
  const ports = await freePorts(nodes.length);
  return Promise.all(
    nodes.map(async (node, index) => {
      const cacheDir = join(controlPlane.directory, 'agents', node);
      return runAgent(controlPlane, { node, program, cacheDir, port: ports[index], until: 'readyz' });
    }),
  );
}
