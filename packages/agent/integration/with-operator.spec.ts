// The proposal's flow: a new template, the operator records which pods are outdated, and each node is upgraded when its owner wants.
import { execFile } from 'node:child_process';
import { agentNames, agentUser, daemonSetUpdate, operatorNames } from '@atoll/api';
import { agentObjects } from '@atoll/api/install';
import { daemonSets, isReady, pods, serviceAccountUser, type Pod } from '@atoll/kube';
import { runOperator, type RunningOperator } from '@atoll/testbed';
import type { RunningAgent } from '@atoll/testbed/node-agent';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { programFile } from '../../../scripts/build/program-file.ts';
import {
  agentScript,
  eventually,
  podsOf,
  sharedAgentControlPlane,
  startDaemonSet,
  type AgentControlPlane,
} from './agent-control-plane.ts';

let world: AgentControlPlane;
let operator: RunningOperator;
const agents = new Map<string, RunningAgent>();
const [first, second] = ['node-1', 'node-2'];
const [oldImage, newImage] = ['nginx:1', 'nginx:2'];
const operatorUser = serviceAccountUser(operatorNames.namespace, operatorNames.serviceAccount);

beforeAll(async () => {
  world = await sharedAgentControlPlane();
  operator = await runOperator(world.controlPlane, {
    script: programFile('atoll-operator'),
    account: { namespace: operatorNames.namespace, name: operatorNames.serviceAccount },
    args: ['--leader-elect=false', '--controllers=daemon-set-upgrade'],
  });
  for (const node of [first, second]) agents.set(node, await world.startAgent(node));
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

/** By node: the image of its pod, and whether it is Ready. */
async function running(): Promise<Readonly<Record<string, string>>> {
  const found = await podsOf(world.client, 'web');
  const shown = (pod: Pod): string =>
    `${pod.spec?.containers[0]?.image} ${isReady(pod) ? 'Ready' : 'not Ready'}`;
  return Object.fromEntries(found.map((pod) => [pod.spec?.nodeName ?? '', shown(pod)]));
}

async function upgradable(node: string): Promise<readonly string[]> {
  const response = await fetch(`${agents.get(node)?.url}/pods?upgradable=true`);
  const { items } = (await response.json()) as { readonly items: readonly Pod[] };
  return items.map(({ metadata }) => metadata.name);
}

async function upgradeAll(node: string): Promise<{ readonly code: number; readonly out: string }> {
  const { promise, resolve } = Promise.withResolvers<{ code: number; out: string }>();
  const args = [agentScript, 'upgrade', '--all', `--address=${agents.get(node)?.url}`];
  const child = execFile(process.execPath, args, (_, out, err) =>
    resolve({ code: child.exitCode ?? -1, out: out + err }),
  );
  return promise;
}

async function podDeletions(user: string): Promise<readonly string[]> {
  await world.audit.readOn();
  return world.audit.entries
    .filter((entry) => entry.user === user && entry.verb === 'delete' && entry.resource === 'pods')
    .map(({ name = '' }) => name);
}

it('each node is upgraded when its owner asks, also while the operator is down', async () => {
  const before = await startDaemonSet(world.client, 'web', oldImage);
  const key = { namespace: 'default', name: 'web' };
  const annotations = { [daemonSetUpdate.annotations.updateStrategy]: 'OTA' };
  await world.client.patch(daemonSets, key, { type: 'merge', body: { metadata: { annotations } } });
  await startDaemonSet(world.client, 'web', newImage);
  for (const node of [first, second])
    await eventually(async () => expect(await upgradable(node)).toHaveLength(1));
  expect(await running()).toEqual({ [first]: `${oldImage} Ready`, [second]: `${oldImage} Ready` });

  for (const { status } of await podsOf(world.client, 'web'))
    expect(status?.conditions?.find(({ type }) => type === 'PodNeedUpgrade')).toMatchObject({
      status: 'True',
      message: expect.stringMatching(/^controllerrevision: \S+$/) as string,
    });

  expect(await upgradeAll(first)).toMatchObject({ code: 0 });
  expect(await running()).toEqual({ [first]: `${newImage} Ready`, [second]: `${oldImage} Ready` });
  await eventually(async () => expect(await upgradable(first)).toEqual([]));

  await operator.kill();
  expect(await upgradeAll(second)).toMatchObject({ code: 0 });
  expect(await running()).toEqual({ [first]: `${newImage} Ready`, [second]: `${newImage} Ready` });
  // The new pod has no condition until the operator is back: it is not upgraded again.
  expect(await upgradeAll(second)).toEqual({ code: 0, out: 'no pod of this node can be upgraded\n' });

  const old = before.map(({ metadata }) => metadata.name).toSorted();
  // The audit log is written after the answer.
  await eventually(async () => expect((await podDeletions(agentUser)).toSorted()).toEqual(old));
  expect(await podDeletions(operatorUser)).toEqual([]);
});

it('the manifest puts an agent on each node', async () => {
  for (const { resource, object } of agentObjects())
    await world.client.apply(resource, object, { fieldManager: 'spec', force: true });
  await eventually(async () => {
    const { items } = await world.client.list(pods, {
      namespace: agentNames.namespace,
      labelSelector: 'app.kubernetes.io/component=agent',
    });
    expect(items.map(({ spec }) => spec?.nodeName ?? '').toSorted()).toEqual([first, second]);
    expect(items.every(isReady)).toBe(true);
  });
});
