import { join } from 'node:path';
import { agentNames } from '@atoll/api';
import { agentAccessObjects } from '@atoll/api/install';
import type { Client } from '@atoll/kube';
import { freePorts, type ControlPlane } from '@atoll/testbed';
import { programFile } from '../../scripts/build/program-file.ts';

const agentScript = programFile('atoll-agent');
const { namespace, serviceAccount: name } = agentNames;

/** The agent of one node. */
export interface NodeAgent {
  readonly node: string;
  /** Base URL of its HTTP API. */
  readonly url: string;
}

/** A process for each node, as on the node itself: with a token that is bound to it, so that it may change no other node's pods. */
export async function startAgents(
  controlPlane: ControlPlane,
  client: Client,
  nodes: readonly string[],
  signal: AbortSignal,
): Promise<readonly NodeAgent[]> {
  for (const { resource, object } of agentAccessObjects())
    await client.apply(resource, object, { fieldManager: 'npm-start', force: true, signal });
  const ports = await freePorts(nodes.length);
  return Promise.all(
    nodes.map(async (node, index) => {
      const address = `127.0.0.1:${ports[index]}`;
      const kubeconfig = await controlPlane.kubeconfigFor({ namespace, name }, { node });
      await controlPlane.runProgram({
        name: `agent of ${node}`,
        file: process.execPath,
        args: [
          agentScript,
          `--kubeconfig=${kubeconfig}`,
          `--node-name=${node}`,
          `--bind-address=${address}`,
          `--cache-dir=${join(controlPlane.directory, 'agents', node)}`,
        ],
        ready: async () => (await fetch(`http://${address}/v1/readyz`)).ok,
      });
      return { node, url: `http://${address}` };
    }),
  );
}
