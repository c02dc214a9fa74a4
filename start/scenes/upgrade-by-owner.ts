import { setTimeout as delay } from 'node:timers/promises';
import { labels } from '@atoll/api';
import { daemonSets, nodes, sleep, systemClock, type Client, type Pod } from '@atoll/kube';
import type { RunningAgent } from '@atoll/testbed/node-agent';
import { isComplete, type ChildState, type FleetState } from '../fleet/fleet-state.ts';
import { startAgents } from './agents.ts';
import { lookMs, showUntil, type Stage } from './scene.ts';

/** The DaemonSet of `examples/daemon-set-ota.yaml`, and its new image. */
const sample = { namespace: 'default', name: 'gateway', container: 'gateway', image: 'nginx:1.28' };
const pool = 'beijing';

/** A DaemonSet gets a new image and no pod changes, until the owner of one node asks its agent for the upgrade. */
export async function showUpgradeByOwner(stage: Stage): Promise<void> {
  const { controlPlane, client, screen, once, signal } = stage;
  const names = await nodesOf(client, signal);
  screen.print(`Starting the agent of each of the ${names.length} nodes in pool ${pool} …`);
  const [agent] = await startAgents(controlPlane, client, names, signal);
  if (agent === undefined) throw new Error(`pool ${pool} has no nodes`);
  if (!once) {
    screen.print(`In ${lookMs / 1000} s the image of DaemonSet ${sample.name} changes to ${sample.image} …`);
    await sleep(systemClock, lookMs, signal);
  }
  await changeImage(client, signal);
  screen.print(
    `Changed the image of ${sample.name}. No pod is deleted (OTA): the owner of each node decides.`,
  );
  await showUntil(
    stage,
    (state) => isComplete(state) && childrenOf(state).every(({ updated }) => updated === 0),
  );
  const old = await upgradablePod(agent, signal);
  if (!once) await sleep(systemClock, lookMs, signal);
  const url = `${agent.url}/openyurt.io/v1/namespaces/${sample.namespace}/pods/${old}/upgrade`;
  screen.print(`The owner of ${agent.node} asks for it: curl -X POST ${url}`);
  const response = await fetch(url, { method: 'POST', signal });
  if (!response.ok)
    throw new Error(`the agent of ${agent.node} answered ${response.status}: ${await response.text()}`);
  await showUntil(stage, (state) => isComplete(state) && isUpgraded(state, agent.node));
  screen.print(`${agent.node} runs the new image. The other nodes keep the old one until their owners ask.`);
}

async function nodesOf(client: Client, signal: AbortSignal): Promise<readonly string[]> {
  const { items } = await client.list(nodes, { labelSelector: `${labels.nodePool}=${pool}`, signal });
  return items.map(({ metadata }) => metadata.name).sort();
}

async function changeImage(client: Client, signal: AbortSignal): Promise<void> {
  const { namespace, name, container, image } = sample;
  const body = { spec: { template: { spec: { containers: [{ name: container, image }] } } } };
  await client.patch(daemonSets, { namespace, name }, { type: 'strategic', body }, { signal });
}

/** The name of the pod that the agent's node may upgrade, when the operator has said so. */
async function upgradablePod({ url, node }: RunningAgent, signal: AbortSignal): Promise<string> {
  for (let tries = 0; tries < 300; tries += 1) {
    const response = await fetch(`${url}/pods?upgradable=true`, { signal });
    const { items } = (await response.json()) as { readonly items: readonly Pod[] };
    const [pod] = items;
    if (pod !== undefined) return pod.metadata.name;
    await delay(100, undefined, { signal });
  }
  throw new Error(`no pod of ${node} can be upgraded after 30 s`);
}

function childrenOf({ workloads }: FleetState): readonly ChildState[] {
  return workloads.find(({ kind, name }) => kind === daemonSets.kind && name === sample.name)?.children ?? [];
}

function isUpgraded(state: FleetState, node: string): boolean {
  const children = childrenOf(state);
  return (
    children.every(({ place, updated }) => updated === (place === node ? 1 : 0)) &&
    children.some(({ place }) => place === node)
  );
}
