// An upgrade is followed until the new pod is Ready: over HTTP, as server-sent events, and by the command for the person on site.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pods } from '@atoll/kube';
import type { RunningAgent } from '@atoll/testbed/node-agent';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { UpgradeStatus } from '../src/ota/upgrade-status.ts';
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
let agent: RunningAgent;
const node = 'node-1';

beforeAll(async () => {
  world = await sharedAgentControlPlane();
  agent = await world.startAgent(node);
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

/** The pod of the DaemonSet on the agent's node. */
async function podOf(daemonSet: string): Promise<{ readonly name: string; readonly uid: string }> {
  const found = (await podsOf(world.client, daemonSet)).find(({ spec }) => spec?.nodeName === node);
  if (found === undefined) throw new Error(`no pod of ${daemonSet} on ${node}`);
  return { name: found.metadata.name, uid: found.metadata.uid };
}

/** A pod of a new DaemonSet that may be upgraded, and is shown so. */
async function upgradable(daemonSet: string): Promise<{ readonly name: string; readonly uid: string }> {
  await startDaemonSet(world.client, daemonSet);
  const pod = await podOf(daemonSet);
  await setConditions(world.client, pod.name, [needUpgrade('True')]);
  await eventually(async () => {
    const text = await (await fetch(`${agent.url}/pods?upgradable=true`)).text();
    expect(text).toContain(`"${pod.name}"`);
  });
  return pod;
}

const path = (pod: string): string => `${agent.url}/openyurt.io/v1/namespaces/default/pods/${pod}/upgrade`;

async function status(pod: string): Promise<UpgradeStatus> {
  return (await (await fetch(path(pod))).json()) as UpgradeStatus;
}

async function upgrade(...args: readonly string[]): Promise<{ readonly code: number; readonly out: string }> {
  const { promise, resolve } = Promise.withResolvers<{ code: number; out: string }>();
  const child = execFile(
    process.execPath,
    [agentScript, 'upgrade', `--address=${agent.url}`, ...args],
    (_, out, err) => resolve({ code: child.exitCode ?? -1, out: out + err }),
  );
  return promise;
}

it('shows nothing of a pod that was not upgraded, and 404 for one that does not exist', async () => {
  const { name } = await upgradable('idle');
  expect(await status(name)).toEqual({ state: 'none' });
  expect((await fetch(path('none'))).status).toBe(404);
});

it('sends the states of an upgrade until the new pod is Ready', async () => {
  const old = await upgradable('followed');
  // It stays until this goes, so that each state is seen.
  const hold = async (finalizers: readonly string[] | null): Promise<unknown> =>
    world.client.patch(
      pods,
      { namespace: 'default', name: old.name },
      { type: 'merge', body: { metadata: { finalizers } } },
    );
  await hold(['example.com/held']);
  expect((await fetch(path(old.name), { method: 'POST' })).status).toBe(200);
  expect(await status(old.name)).toMatchObject({ state: 'deleting', oldUID: old.uid });

  const response = await fetch(path(old.name), { headers: { accept: 'text/event-stream' } });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const text = response.text();
  await hold(null);
  const states = [...(await text).matchAll(/^data: (.*)$/gm)].map(
    ([, data = '']) => JSON.parse(data) as UpgradeStatus,
  );
  expect(states[0]).toMatchObject({ state: 'deleting', oldUID: old.uid });
  const next = await podOf('followed');
  expect(next.uid).not.toBe(old.uid);
  expect(states.at(-1)).toMatchObject({ state: 'ready', oldUID: old.uid, newPod: next });
  // Where the new pod is Ready at once, nobody waits for it.
  const seen = [...new Set(states.map(({ state }) => state))];
  expect(seen).toEqual(['deleting', 'waiting', 'ready'].filter((state) => seen.includes(state as never)));

  // What was asked for survives a crash.
  await agent.kill();
  await agent.restart();
  await eventually(async () =>
    expect(await status(old.name)).toMatchObject({ state: 'ready', newPod: next }),
  );
});

it('the command lists, upgrades one or all, and waits until the new pods are Ready', async () => {
  const one = await upgradable('one');
  const two = await upgradable('two');
  expect((await upgrade()).out.split('\n')).toEqual(
    expect.arrayContaining([`default/${one.name}`, `default/${two.name}`]),
  );
  const named = await upgrade(one.name);
  const next = await podOf('one');
  expect(next.uid).not.toBe(one.uid);
  expect(named).toMatchObject({ code: 0 });
  expect(named.out).toContain(`default/${one.name}: upgraded; default/${next.name} is Ready`);

  expect(await upgrade(one.name)).toEqual({
    code: 1,
    out: `default/${one.name}: not upgraded (404): Pod default/${one.name} does not exist\n`,
  });
  expect(await upgrade('--all')).toMatchObject({ code: 0 });
  expect((await podOf('two')).uid).not.toBe(two.uid);
  expect((await upgrade()).out).toBe('no pod of this node can be upgraded\n');
});

it('a new pod that does not become Ready ends the command after its time', async () => {
  const { name } = await upgradable('slow');
  await startDaemonSet(world.client, 'slow', 'nginx:bad-never-ready');
  const { code, out } = await upgrade(name, '--timeout=3s');
  expect(code).toBe(1);
  expect(out).toMatch(/the new pod is not Ready after 3 s/);
});

it('serves on a unix socket, and on an address with a token', async () => {
  const socket = join(world.directory, 'agent.sock');
  const other = await world.startAgent(node, [`--unix-socket=${socket}`, `--token-file=${world.tokenFile}`]);
  // It answers when it has its first list.
  const listed = await eventually(async () => {
    const answer = await upgrade(`--unix-socket=${socket}`);
    expect(answer.code).toBe(0);
    return answer;
  });
  const direct = await upgrade(`--address=${other.url}`);
  expect(direct).toEqual({ code: 1, out: 'atoll-agent: the agent answered 401: Unauthorized\n' });
  expect(await upgrade(`--address=${other.url}`, `--token-file=${world.tokenFile}`)).toEqual(listed);
});
