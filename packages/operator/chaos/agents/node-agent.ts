import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pod, Stored, StreamingClient } from '@atoll/kube';
import type { ControlPlane } from '@atoll/testbed';
import { installAgentAccess, runAgent, type RunningAgent } from '@atoll/testbed/node-agent';
import { programFile } from '../../../../scripts/build/program-file.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';

/** An upgrade that an agent has recorded on its disk. */
export interface RecordedUpgrade {
  readonly uid: string;
  readonly isConfirmed: boolean;
}

/** What an agent has on its disk. */
export interface AgentState {
  readonly pods: readonly Stored<Pod>[];
  readonly upgrades: readonly RecordedUpgrade[];
}

/** An agent with a disk of its own, and somebody on its node who asks for every upgrade that is offered. */
export interface NodeAgent {
  readonly node: string;
  readonly component: RunningAgent;
  readonly disk: SmallDisk;
  /** The process that is to run; another one, or none, has ended by itself. */
  pid: number | undefined;
  /** How many upgrades it began. */
  upgrades: number;
  /** How many it refused because its disk was full. */
  refused: number;
}

/** Starts an agent for each node and asks each for upgrades until the signal ends. Rejects where no disk can be mounted. */
export async function startNodeAgents(
  controlPlane: ControlPlane,
  client: StreamingClient,
  nodes: readonly string[],
  signal: AbortSignal,
): Promise<readonly NodeAgent[]> {
  await installAgentAccess(client, 'chaos');
  const agents: NodeAgent[] = [];
  for (const node of nodes) {
    const directory = join(controlPlane.directory, `disk-${node}`);
    mkdirSync(directory);
    const disk = await mountSmallDisk(controlPlane, `disk-${node}`, directory);
    const component = await runAgent(controlPlane, {
      node,
      program: [programFile('atoll-agent')],
      cacheDir: directory,
      start: [...disk.enter, process.execPath],
    });
    const agent: NodeAgent = { node, component, disk, pid: component.pid, upgrades: 0, refused: 0 };
    agents.push(agent);
    void askForUpgrades(agent, component.url, signal);
  }
  return agents;
}

/** Kills it and starts it again on the disk that it had. */
export async function restartAgent(agent: NodeAgent): Promise<void> {
  agent.pid = undefined;
  await agent.component.restart();
  agent.pid = agent.component.pid;
}

/** The last state that it wrote; undefined: none. */
export function stateOf({ disk }: NodeAgent): AgentState | undefined {
  const text = disk.read('state');
  if (text === undefined) return undefined;
  const { pods = [], upgrades } = JSON.parse(text.slice(text.indexOf('\n') + 1)) as Partial<AgentState>;
  return { pods, upgrades: upgrades ?? [] };
}

/** How many upgrades the agents began, and how many they refused. */
export function askedOf(agents: readonly NodeAgent[]): { readonly begun: number; readonly refused: number } {
  return {
    begun: agents.reduce((sum, { upgrades }) => sum + upgrades, 0),
    refused: agents.reduce((sum, { refused }) => sum + refused, 0),
  };
}

/** As the owner of the node: whatever can be upgraded is to be upgraded, and what was refused is asked for again. */
async function askForUpgrades(agent: NodeAgent, url: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    // It may be down, or cut off from the API server.
    await askOnce(agent, url).catch(() => undefined);
    await delay(1_000, undefined, { signal }).catch(() => undefined);
  }
}

async function askOnce(agent: NodeAgent, url: string): Promise<void> {
  const within = (): AbortSignal => AbortSignal.timeout(15_000);
  const listed = await fetch(`${url}/pods?upgradable=true`, { signal: within() });
  const { items } = (await listed.json()) as { readonly items: readonly Pod[] };
  for (const { metadata } of items) {
    const path = `/openyurt.io/v1/namespaces/${metadata.namespace}/pods/${metadata.name}/upgrade`;
    const answer = await fetch(`${url}${path}`, { method: 'POST', signal: within() });
    const body = await answer.text();
    if (answer.ok) agent.upgrades += 1;
    if (answer.status === 503 && body.includes('no space left on device')) agent.refused += 1;
  }
}
