// The node is cut off from the API server: pods are shown, nothing is changed, and what was missed comes when it is back.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pods, type Pod } from '@atoll/kube';
import type { RunningAgent } from '@atoll/testbed/node-agent';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  eventually,
  needUpgrade,
  setConditions,
  startAgentControlPlane,
  startDaemonSet,
  type AgentControlPlane,
} from './agent-control-plane.ts';

let world: AgentControlPlane;
const node = 'node-1';
const disconnected = [503, 'OTA upgrade is not allowed when node is disconnected to cloud'];

beforeAll(async () => {
  world = await startAgentControlPlane();
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

async function shown(agent: RunningAgent): Promise<readonly string[]> {
  const response = await fetch(`${agent.url}/pods`);
  if (!response.ok) throw new Error(await response.text());
  const { items } = (await response.json()) as { readonly items: readonly Pod[] };
  const own = items.filter(({ metadata }) => metadata.namespace === 'default');
  return own.map(({ metadata }) => metadata.name).toSorted();
}

async function post(agent: RunningAgent, pod: string, action: string): Promise<readonly [number, string]> {
  const url = `${agent.url}/openyurt.io/v1/namespaces/default/pods/${pod}/${action}`;
  const response = await fetch(url, { method: 'POST' });
  return [response.status, await response.text()];
}

async function metric(agent: RunningAgent, name: string): Promise<string | undefined> {
  const text = await (await fetch(`${agent.url}/metrics`)).text();
  return new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1];
}

it('is cut off, killed, started again, and comes back', async () => {
  const agent = await world.startAgent(node);
  const daemonPods = await startDaemonSet(world.client, 'web');
  const web = daemonPods.find(({ spec }) => spec?.nodeName === node)?.metadata.name ?? '';
  await setConditions(world.client, web, [needUpgrade('True')]);
  await eventually(async () => expect(await shown(agent)).toEqual([web]));
  await eventually(async () =>
    expect(readFileSync(join(agent.cacheDir, 'state'), 'utf8')).toContain('PodNeedUpgrade'),
  );

  // An API server that is silent, then one that is not there.
  const apiServer = world.controlPlane.component('kube-apiserver');
  await apiServer.pause();
  const startedAt = Date.now();
  expect(await post(agent, web, 'upgrade')).toEqual(disconnected);
  expect(Date.now() - startedAt).toBeGreaterThan(3_000);
  expect(await post(agent, web, 'imagepull')).toEqual(disconnected);
  expect(await shown(agent)).toEqual([web]);

  await agent.kill();
  await agent.restart();
  await eventually(async () => expect(await shown(agent)).toEqual([web]));
  expect(await metric(agent, 'atoll_agent_listed')).toBe('0');
  expect((await fetch(`${agent.url}/v1/readyz`)).status).toBe(200);
  expect(await post(agent, web, 'upgrade')).toEqual(disconnected);

  await apiServer.kill();
  expect(await post(agent, web, 'upgrade')).toEqual(disconnected);

  await apiServer.restart();
  await world.client.create(pods, {
    metadata: { namespace: 'default', name: 'after' },
    spec: { nodeName: node, containers: [{ name: 'c', image: 'nginx:1' }] },
  });
  await eventually(async () => expect(await shown(agent)).toEqual(['after', web].toSorted()));
  expect(await metric(agent, 'atoll_agent_listed')).toBe('1');
  expect(await post(agent, web, 'upgrade')).toEqual([200, `Start updating pod default/${web}`]);
});

it('without a usable file it does not answer that there are no pods', async () => {
  const agent = await world.startAgent(node);
  await eventually(async () => expect(await shown(agent)).not.toEqual([]));
  const file = join(agent.cacheDir, 'state');
  const text = await eventually(async () => readFileSync(file, 'utf8'));
  const apiServer = world.controlPlane.component('kube-apiserver');
  await apiServer.pause();
  await agent.kill();
  writeFileSync(file, text.slice(0, -100));
  await agent.restart();
  await expect(shown(agent)).rejects.toThrow('Get pod list failed');
  expect((await fetch(`${agent.url}/v1/readyz`)).status).toBe(500);
  expect((await fetch(`${agent.url}/v1/healthz`)).status).toBe(200);
  await apiServer.resume();
  await eventually(async () => expect(await shown(agent)).not.toEqual([]));
});
