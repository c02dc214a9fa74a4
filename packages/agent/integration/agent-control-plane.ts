import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentNames } from '@atoll/api';
import { agentAccessObjects } from '@atoll/api/install';
import {
  createClient,
  daemonSets,
  loadKubeconfig,
  pods,
  type DaemonSet,
  type Pod,
  type PodCondition,
  type Stored,
  type StreamingClient,
} from '@atoll/kube';
import { AuditLog, freePorts, startControlPlane, type Component, type ControlPlane } from '@atoll/testbed';
import { vi } from 'vitest';
import { programFile } from '../../../scripts/build/program-file.ts';

export const agentScript = programFile('atoll-agent');

export interface RunningAgent extends Component {
  /** Base URL of its HTTP API. */
  readonly url: string;
  readonly cacheDir: string;
}

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

/** A control plane of its own with two nodes and what the agent may do installed. */
export async function startAgentControlPlane(): Promise<AgentControlPlane> {
  const controlPlane = await startControlPlane({ fleet: { nodes: 2 }, audit: true });
  const client = createClient(await loadKubeconfig({ path: controlPlane.kubeconfig }), { userAgent: 'spec' });
  for (const { resource, object } of agentAccessObjects())
    await client.apply(resource, object, { fieldManager: 'spec', force: true });
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
      const [port] = await freePorts(1);
      count += 1;
      const url = `http://127.0.0.1:${port}`;
      const kubeconfig = await kubeconfigOfNode(controlPlane, client, directory, node);
      const cacheDir = join(directory, node, String(count));
      const component = await controlPlane.runProgram({
        name: `agent-${count}`,
        file: process.execPath,
        args: [
          ...program,
          `--kubeconfig=${kubeconfig}`,
          `--node-name=${node}`,
          `--cache-dir=${cacheDir}`,
          `--bind-address=127.0.0.1:${port}`,
          ...args,
        ],
        ready: async () => (await fetch(`${url}/v1/healthz`)).ok,
      });
      return Object.assign(component, { url, cacheDir });
    },
    async [Symbol.asyncDispose]() {
      await audit.close();
      await client.close();
      await controlPlane.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The token of the agents' account, bound to a node as that of a pod there, or to none. */
export async function tokenOfNode(client: StreamingClient, node: string | undefined): Promise<string> {
  const { namespace, serviceAccount: name } = agentNames;
  const bound = node === undefined ? undefined : await podOfAgent(client, node);
  const reference = { apiVersion: 'v1', kind: 'Pod', name: bound?.metadata.name, uid: bound?.metadata.uid };
  const answer = await client.raw({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    body: JSON.stringify({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: bound === undefined ? {} : { boundObjectRef: reference },
    }),
  });
  return (JSON.parse(answer.body.toString()) as { readonly status: { readonly token: string } }).status.token;
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

async function kubeconfigOfNode(
  controlPlane: ControlPlane,
  client: StreamingClient,
  directory: string,
  node: string,
): Promise<string> {
  const file = join(directory, `${node}.kubeconfig`);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'c',
        cluster: {
          server: controlPlane.url,
          'certificate-authority-data': Buffer.from(controlPlane.caData).toString('base64'),
        },
      },
    ],
    users: [{ name: 'u', user: { token: await tokenOfNode(client, node) } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'c',
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

/** Tries until it no longer throws. */
export async function eventually<T>(look: () => Promise<T>, timeout = 60_000): Promise<T> {
  return vi.waitFor(look, { timeout, interval: 50 });
}

/** A DaemonSet whose pods wait for somebody to delete them; resolves with its pods when there is one on each node. */
export async function startDaemonSet(
  client: StreamingClient,
  name: string,
  image = 'nginx:1',
): Promise<readonly Stored<Pod>[]> {
  const app = { app: name };
  const template = { metadata: { labels: app }, spec: { containers: [{ name: 'c', image }] } };
  const spec = { selector: { matchLabels: app }, updateStrategy: { type: 'OnDelete' }, template };
  const daemonSet: DaemonSet = { metadata: { namespace: 'default', name }, spec };
  await client.apply(daemonSets, daemonSet, { fieldManager: 'spec', force: true });
  return eventually(async () => {
    const found = await podsOf(client, name);
    if (found.length !== 2 || !found.every(isReady)) throw new Error(`${found.length} pods of ${name}`);
    return found;
  });
}

export async function podsOf(client: StreamingClient, name: string): Promise<readonly Stored<Pod>[]> {
  const { items } = await client.list(pods, { namespace: 'default', labelSelector: `app=${name}` });
  return items;
}

export function isReady(pod: Pod): boolean {
  return pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
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
