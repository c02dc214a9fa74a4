// The definition of NodePools is deleted under the running operator, all pools with it, and comes back: nothing in the pools ends.
import { nodePools, yurtAppDaemons } from '@atoll/api';
import {
  customResourceDefinitions,
  definitionName,
  deployments,
  nodes,
  untilServed,
  type StreamingClient,
} from '@atoll/kube';
import { AuditLog } from '@atoll/testbed';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { install } from '../../src/install/index.ts';
import { apply, daemon, pool } from '../set-up/objects.ts';
import {
  operatorUser,
  startOperatorControlPlane,
  withoutElection,
  type OperatorControlPlane,
} from '../set-up/operator-control-plane.ts';
import { conditionsOf, eventsAbout, eventually } from '../set-up/standing.ts';
import { takeDefinition } from '../set-up/take-definition.ts';

let world: OperatorControlPlane;
let client: StreamingClient;
const definition = { name: definitionName(nodePools) };
const groups = { edge: 'yes' };
const zone = 'example.com/zone';
const all = ['hangzhou', 'beijing', 'shanghai'].map((name) =>
  pool(name, groups, {
    labels: { [zone]: name },
    taints: [{ key: 'example.com/edge', value: 'x', effect: 'PreferNoSchedule' }],
  }),
);

beforeAll(async () => {
  const fleet = { pools: all.map(({ metadata }) => metadata.name), nodesPerPool: 2 };
  world = await startOperatorControlPlane({ fleet });
  ({ client } = world);
  await labelDefinition();
  for (const each of all) await apply(client, nodePools, each);
  await apply(client, yurtAppDaemons, daemon({ name: 'web', pools: groups, replicas: 2 }));
  await world.start({ args: withoutElection });
  await isRolledOut();
  await haveZones('beijing', 'hangzhou', 'shanghai');
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

/** As Helm labels what it installs. */
async function labelDefinition(): Promise<void> {
  const body = { metadata: { labels: { 'app.kubernetes.io/managed-by': 'Helm' } } };
  await client.patch(customResourceDefinitions, definition, { type: 'merge', body });
}

async function ready() {
  return (await conditionsOf(client, yurtAppDaemons, 'web', 'default'))['Ready'];
}

async function children(): Promise<readonly string[]> {
  const { items } = await client.list(deployments, { namespace: 'default' });
  return items.map(({ metadata: { name, uid, generation } }) => `${name} ${uid} ${generation}`).sort();
}

async function isRolledOut(): Promise<void> {
  await eventually(async () =>
    expect(await ready()).toMatchObject({ status: 'True', reason: 'RolloutComplete' }),
  );
}

/** What pools gave to their nodes, each once. */
async function zones(): Promise<ReadonlySet<string | undefined>> {
  const { items } = await client.list(nodes);
  return new Set(
    items.map(({ metadata, spec }) => (spec?.taints?.length === 1 ? metadata.labels?.[zone] : 'no taint')),
  );
}

async function haveZones(...wanted: readonly string[]): Promise<void> {
  await eventually(async () => expect(await zones()).toEqual(new Set(wanted)));
}

/** What the operator has written into nodes and children so far. */
async function writes(): Promise<readonly string[]> {
  const audit = new AuditLog(world.controlPlane.auditLog ?? '');
  await audit.readOn();
  await audit.close();
  return audit.entries
    .filter(({ user, resource, verb }) => user === operatorUser && subjects.has(resource) && !reads.has(verb))
    .map(({ verb, resource, name }) => `${verb} ${resource} ${name}`);
}

const subjects = new Set(['nodes', 'deployments.apps']);
const reads = new Set(['get', 'list', 'watch']);

it('keeps children, and what pools gave to nodes, until the pools are restored', async () => {
  const before = await children();
  const earlier = await writes();
  expect(earlier).not.toEqual([]);
  await takeDefinition(client, nodePools);
  await eventually(async () => {
    const { status, reason, message } = (await ready()) ?? {};
    expect([status, reason]).toEqual(['False', 'PoolNotFound']);
    expect(message).toContain(
      'gone with the definition of NodePools, which was deleted. Restore the NodePool, or delete',
    );
  });

  await install(client);
  await untilServed(client, [definition.name]);
  await eventually(async () => {
    const { message } = (await ready()) ?? {};
    expect(message).toContain('which was deleted and was installed again at 20');
  });
  await eventually(async () => {
    const found = await eventsAbout(client, 'hangzhou-node-1');
    expect(found.some(({ note }) => note?.includes('What it gave to its nodes stays') === true)).toBe(true);
  });
  expect(await children()).toEqual(before);
  expect(await zones()).toEqual(new Set(['beijing', 'hangzhou', 'shanghai']));

  for (const each of all) await apply(client, nodePools, each);
  await isRolledOut();
  expect(await children()).toEqual(before);
  expect(await zones()).toEqual(new Set(['beijing', 'hangzhou', 'shanghai']));
  expect(await writes()).toEqual(earlier);
});

it('deletes the child of a pool that somebody deletes later, once it was written for that pool', async () => {
  await labelDefinition();
  await apply(
    client,
    yurtAppDaemons,
    daemon({ name: 'web', pools: groups, replicas: 2, image: 'nginx:1.28' }),
  );
  await isRolledOut();
  for (const name of ['beijing-node-1', 'beijing-node-2'])
    await client.patch(
      nodes,
      { name },
      { type: 'merge', body: { metadata: { labels: { 'apps.openyurt.io/nodepool': null } } } },
    );
  await eventually(async () => client.delete(nodePools, { name: 'beijing' }));
  await eventually(async () => expect(await children()).toHaveLength(2));
  await haveZones('hangzhou', 'shanghai', 'no taint');
});
