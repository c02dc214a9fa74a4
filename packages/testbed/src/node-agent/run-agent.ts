import { agentNames } from '@atoll/api';
import { agentAccessObjects } from '@atoll/api/install';
import type { Client } from '@atoll/kube';
import type { Component } from '../control-plane/component.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { freePorts } from '../control-plane/free-port.ts';
import { probe } from '../control-plane/probe.ts';

const account = { namespace: agentNames.namespace, name: agentNames.serviceAccount };

export interface AgentUnderTest {
  readonly node: string;
  /** What Node runs: the file of an agent, and before it flags of Node, if any. */
  readonly program: readonly string[];
  /** It keeps its file there. */
  readonly cacheDir: string;
  /** Name among the control plane's components. Default `agent-NODE`. */
  readonly name?: string;
  /** What starts the program. Default: the Node that this process runs in. */
  readonly start?: readonly [file: string, ...args: string[]];
  /** Instead of one with a token of the agents' account that is bound to the node. */
  readonly kubeconfig?: string;
  /** On 127.0.0.1. Default: a free one. */
  readonly port?: number | undefined;
  readonly args?: readonly string[];
  /** Until when it is waited for: it answers, or it has listed its pods. Default `healthz`. */
  readonly until?: 'healthz' | 'readyz';
}

export interface RunningAgent extends Component {
  readonly node: string;
  readonly cacheDir: string;
  /** Base URL of its HTTP API. */
  readonly url: string;
}

/** Applies the account of node agents, and what it may do. */
export async function installAgentAccess(
  client: Client,
  fieldManager: string,
  signal?: AbortSignal,
): Promise<void> {
  for (const { resource, object } of agentAccessObjects())
    await client.apply(resource, object, { fieldManager, force: true, signal });
}

/** Starts the agent of one node as a process of its own beside the control plane. */
export async function runAgent(controlPlane: ControlPlane, agent: AgentUnderTest): Promise<RunningAgent> {
  const { node, program, cacheDir, args = [], until = 'healthz' } = agent;
  const [file, ...before] = agent.start ?? [process.execPath];
  const kubeconfig = agent.kubeconfig ?? (await controlPlane.kubeconfigFor(account, { node }));
  const address = `127.0.0.1:${agent.port ?? (await freePorts(1))[0]}`;
  const url = `http://${address}`;
  const component = await controlPlane.runProgram({
    name: agent.name ?? `agent-${node}`,
    file,
    args: [
      ...before,
      ...program,
      `--kubeconfig=${kubeconfig}`,
      `--node-name=${node}`,
      `--cache-dir=${cacheDir}`,
      `--bind-address=${address}`,
      ...args,
    ],
    ready: async () => probe(`${url}/v1/${until}`),
  });
  return Object.assign(component, { node, cacheDir, url });
}
