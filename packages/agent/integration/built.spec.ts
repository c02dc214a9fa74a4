import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { agentUser } from '@atoll/api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundle } from '../../../scripts/build/bundle.ts';
import { programNamed } from '../../../scripts/build/programs.ts';
import {
  eventually,
  needUpgrade,
  podsOf,
  setConditions,
  sharedAgentControlPlane,
  startDaemonSet,
  type AgentControlPlane,
} from './agent-control-plane.ts';

let world: AgentControlPlane;

beforeAll(async () => {
  world = await sharedAgentControlPlane();
});
afterAll(async () => world[Symbol.asyncDispose]());

it('serves and upgrades from the one file that is built, as JavaScript, with one watch of its own node', async () => {
  await bundle(programNamed('atoll-agent'), world.directory);
  const [first] = await startDaemonSet(world.client, 'web');
  const pod = first?.metadata.name ?? '';
  await setConditions(world.client, pod, [needUpgrade('True')]);
  const program = ['--no-strip-types', join(world.directory, 'atoll-agent.mjs')];
  const agent = await world.startAgent(first?.spec?.nodeName ?? '', [], program);
  const shown = await eventually(async () => {
    const { items } = (await (await fetch(`${agent.url}/pods?upgradable=true`)).json()) as {
      readonly items: readonly { readonly metadata: { readonly name: string } }[];
    };
    if (items.length === 0) throw new Error('nothing can be upgraded');
    return items.map(({ metadata }) => metadata.name);
  });
  expect(shown).toEqual([pod]);
  const path = `/openyurt.io/v1/namespaces/default/pods/${pod}/upgrade`;
  const answer = await fetch(`${agent.url}${path}`, { method: 'POST' });
  expect([answer.status, await answer.text()]).toEqual([200, `Start updating pod default/${pod}`]);
  await eventually(async () => {
    const left = await podsOf(world.client, 'web');
    expect(left.map(({ metadata }) => metadata.name)).not.toContain(pod);
  });
  expect(await readsOfAgent(first?.spec?.nodeName ?? '')).toEqual({ watches: 1, ofOtherNodes: [] });
});

/** What the API server was asked for under the account of the agents: how many watches, and what is not limited to the node. */
async function readsOfAgent(node: string) {
  const log = await readFile(world.controlPlane.auditLog ?? '', 'utf8');
  const reads = log
    .split('\n')
    // The last line may be half written.
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line) as Read)
    .filter(({ user, verb }) => user?.username === agentUser && (verb === 'watch' || verb === 'list'));
  const watches = reads.filter(
    ({ verb, stage, responseStatus }) =>
      verb === 'watch' && stage === 'ResponseStarted' && responseStatus?.code === 200,
  );
  const own = `fieldSelector=${encodeURIComponent(`spec.nodeName=${node}`)}`;
  const ofOtherNodes = reads.filter(({ requestURI }) => !requestURI.includes(own));
  return { watches: watches.length, ofOtherNodes };
}

/** The part of an audit event that is read. */
interface Read {
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly responseStatus?: { readonly code?: number };
  readonly user?: { readonly username?: string };
}
