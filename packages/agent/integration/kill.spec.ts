// Agents are killed while both nodes are upgraded, again and again: every outdated pod is deleted once, no other, and all nodes arrive.
import { isReady } from '@atoll/kube';
import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { agentUser } from '@atoll/api';
import type { RunningAgent } from '@atoll/testbed/node-agent';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  agentScript,
  eventually,
  needUpgrade,
  podsOf,
  setConditions,
  sharedAgentControlPlane,
  startDaemonSet,
  type AgentControlPlane,
} from './agent-control-plane.ts';

let world: AgentControlPlane;
const agents: RunningAgent[] = [];
const nodes = ['node-1', 'node-2'];
/** The uids of all pods that were to be upgraded so far. */
const outdated = new Set<string>();
/** Milliseconds between the request and the kill: before, in and after the deletion. */
const killedAfter = [0, 20, 60, 150];

beforeAll(async () => {
  world = await sharedAgentControlPlane();
  for (const node of nodes) agents.push(await world.startAgent(node));
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

/** `atoll-agent upgrade --all`, as a person repeats it until nothing is left. */
async function upgradeUntilDone(agent: RunningAgent, done: () => Promise<boolean>): Promise<void> {
  while (!(await done())) {
    const args = [agentScript, 'upgrade', '--all', '--timeout=5s', `--address=${agent.url}`];
    await new Promise<void>((resolve) => execFile(process.execPath, args, () => resolve()));
  }
}

it.each(killedAfter)('killed %i ms after the request', async (milliseconds) => {
  const before = await startDaemonSet(world.client, 'web', `nginx:${milliseconds}`);
  const old = new Map(before.map((pod) => [pod.spec?.nodeName ?? '', pod]));
  for (const { metadata } of before) await setConditions(world.client, metadata.name, [needUpgrade('True')]);
  await Promise.all(
    nodes.map(async (node, index) => {
      const agent = agents[index];
      const { name, uid } = old.get(node)?.metadata ?? {};
      if (agent === undefined || name === undefined) throw new Error(`no agent or no pod on ${node}`);
      await eventually(async () =>
        expect(await (await fetch(`${agent.url}/pods?upgradable=true`)).text()).toContain(`"${name}"`),
      );
      const url = `${agent.url}/openyurt.io/v1/namespaces/default/pods/${name}/upgrade`;
      const request = fetch(url, { method: 'POST' }).catch(() => undefined);
      await delay(milliseconds);
      await agent.kill();
      await request;
      await agent.restart();
      await upgradeUntilDone(agent, async () => {
        const now = await podsOf(world.client, 'web');
        const here = now.filter(({ spec }) => spec?.nodeName === node);
        return here.length === 1 && here.every((pod) => pod.metadata.uid !== uid && isReady(pod));
      });
    }),
  );
  for (const { metadata } of before) outdated.add(metadata.uid);
  // The audit log is written after the answer.
  const deletions = await eventually(async () => {
    await world.audit.readOn();
    const found = world.audit.entries.filter(
      ({ user, verb, resource }) => user === agentUser && verb === 'delete' && resource === 'pods',
    );
    // A request whose sender was killed may have been given up, and was sent again.
    const uids = found.map(({ preconditions }) => preconditions.uid ?? 'no uid');
    expect(new Set(uids)).toEqual(outdated);
    return found;
  });
  const carriedOut = deletions
    .filter(({ code }) => code === 200)
    .map(({ preconditions }) => preconditions.uid);
  expect(new Set(carriedOut).size).toBe(carriedOut.length);
});
