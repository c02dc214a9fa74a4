import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentNames, fieldManagers } from '@atoll/api';
import {
  daemonSets,
  isReady,
  pods,
  requestToken,
  type DaemonSet,
  type Pod,
  type PodCondition,
  type Stored,
  type StreamingClient,
} from '@atoll/kube';
import { AuditLog, kubeconfigOf, type ControlPlane } from '@atoll/testbed';
import { installAgentAccess, runAgent, type RunningAgent } from '@atoll/testbed/node-agent';
import { vi } from 'vitest';
import { programFile } from '../../../scripts/build/program-file.ts';
import {
  startOperatorControlPlane,
  type OperatorControlPlane,
} from '../../operator/integration/set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../../operator/integration/set-up/shared-operator-control-plane.ts';

export const agentScript = programFile('atoll-agent');

export interface AgentControlPlane extends AsyncDisposable {
  readonly controlPlane: ControlPlane;
  /** As administrator. */
  readonly client: StreamingClient;
  readonly audit: AuditLog;
  /** Of this world; removed with it. */
  readonly directory: string;
  /** Holds a bearer token. */
  readonly tokenFile: string;
  /** Starts an agent for a node under its own ServiceAccount; it is not waited for its first list. `program`: what Node runs. */
  startAgent(node: string, args?: readonly string[], program?: readonly string[]): Promise<RunningAgent>;
}

const fleet = { nodes: 2 };

/** Two nodes, and what the agent may do. What {@link sharedOperatorControlPlane} says is true of it. */
export async function sharedAgentControlPlane(): Promise<AgentControlPlane> {
  return withAgents(await sharedOperatorControlPlane({ fleet }));
}

/** One of its own, whose programs may be killed. */
export async function startAgentControlPlane(): Promise<AgentControlPlane> {
  return withAgents(await startOperatorControlPlane({ fleet }));
}

async function withAgents(world: OperatorControlPlane): Promise<AgentControlPlane> {
  const { controlPlane, client } = world;
  // As Atoll itself was installed, so that the namespace stays as it is.
  await installAgentAccess(client, fieldManagers.install);
  const directory = mkdtempSync(join(tmpdir(), 'atoll-agents-'));
  const audit = new AuditLog(controlPlane.auditLog ?? '');
  const tokenFile = join(directory, 'token');
  writeFileSync(tokenFile, 'secret\n');
  let count = 0;
  return {
    controlPlane,
    client,
    audit,
    directory,
    tokenFile,
    async startAgent(node, args = [], program = [agentScript]) {
      count += 1;
      const kubeconfig = join(directory, `${node}.kubeconfig`);
      const user = { name: 'agent', token: await tokenOfNode(client, node) };
      writeFileSync(kubeconfig, kubeconfigOf(controlPlane.url, controlPlane.caData, user));
      return runAgent(controlPlane, {
        node,
        program,
        name: `agent-${count}`,
        cacheDir: join(directory, node, String(count)),
        kubeconfig,
        args,
      });
    },
    async [Symbol.asyncDispose]() {
      await audit.close();
      await world[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The token of the agents' account, bound to a node as that of a pod there, or to none. */
export async function tokenOfNode(client: StreamingClient, node: string | undefined): Promise<string> {
  const { namespace, serviceAccount: name } = agentNames;
  const pod = node === undefined ? undefined : (await podOfAgent(client, node)).metadata;
  const boundTo = pod && { apiVersion: 'v1', kind: 'Pod', name: pod.name, uid: pod.uid };
  const spec = boundTo && { boundObjectRef: boundTo };
  return (await requestToken(client, { namespace, name }, spec)).token;
}

/** Stands for the agent's own pod: the API server binds tokens to pods that exist. */
async function podOfAgent(client: StreamingClient, node: string): Promise<Stored<Pod>> {
  const { namespace, serviceAccount: serviceAccountName } = agentNames;
  const pod: Pod = {
    metadata: { namespace, name: `agent-${node}` },
    spec: { serviceAccountName, nodeName: node, containers: [{ name: 'c', image: 'agent:1' }] },
  };
  return client.apply(pods, pod, { fieldManager: 'spec', force: true });
}

/** Tries until it no longer throws. */
export async function eventually<T>(look: () => Promise<T>, timeout = 90_000): Promise<T> {
  return vi.waitFor(look, { timeout, interval: 50 });
}

/**
 * A DaemonSet whose pods wait for somebody to delete them; resolves with its pods when there is one on each node, and new ones would be of
 * this image.
 */
export async function startDaemonSet(
  client: StreamingClient,
  name: string,
  image = 'nginx:1',
): Promise<readonly Stored<Pod>[]> {
  const app = { app: name };
  const template = { metadata: { labels: app }, spec: { containers: [{ name: 'c', image }] } };
  const spec = { selector: { matchLabels: app }, updateStrategy: { type: 'OnDelete' }, template };
  const daemonSet: DaemonSet = { metadata: { namespace: 'default', name }, spec };
  const { metadata } = await client.apply(daemonSets, daemonSet, { fieldManager: 'spec', force: true });
  return eventually(async () => {
    const { status } = await client.get(daemonSets, { namespace: 'default', name });
    if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 0))
      throw new Error(`the DaemonSet controller has not seen ${name} as it is`);
    const found = await podsOf(client, name);
    if (found.length !== 2 || !found.every(isReady)) throw new Error(`${found.length} pods of ${name}`);
    return found;
  });
}

export async function podsOf(client: StreamingClient, name: string): Promise<readonly Stored<Pod>[]> {
  const { items } = await client.list(pods, { namespace: 'default', labelSelector: `app=${name}` });
  return items;
}

/** As the operator does: names only the conditions that are given. */
export async function setConditions(
  client: StreamingClient,
  name: string,
  conditions: readonly PodCondition[],
): Promise<void> {
  await client.patch(
    pods,
    { namespace: 'default', name },
    { type: 'strategic', body: { status: { conditions } } },
    { subresource: 'status' },
  );
}

export function needUpgrade(status: 'True' | 'False', revision = 'next'): PodCondition {
  return { type: 'PodNeedUpgrade', status, message: `controllerrevision: ${revision}` };
}
