// NoExecute taints of nodes that differ from their pool's in the state that the old operators leave: pods must run on.
import { annotations, labels, nodePools } from '@atoll/api';
import { nodes, pods, serviceAccounts, type StreamingClient } from '@atoll/kube';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apply } from '../set-up/objects.ts';
import { withoutElection, type OperatorControlPlane } from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { conditionsOf, eventsAbout, eventually } from '../set-up/standing.ts';

let world: OperatorControlPlane;
let client: StreamingClient;
const namespace = 'default';
const gate = { key: 'example.com/gate', value: 'x', effect: 'NoExecute' } as const;
const record = JSON.stringify({ taints: [gate] });

const rows = [
  // yurt-manager 1.4 to 1.7: a taint of the user's own that was there first is kept, the pool's is recorded.
  { name: 'foreign', live: [{ ...gate, value: 'mine' }], recorded: true },
  // yurt-app-manager, 1.3: a changed value of a taint in the pool reaches the record, never the node.
  { name: 'outdated', live: [{ ...gate, value: 'old' }], recorded: true },
  // All: taken off by hand, never put back.
  { name: 'removed', live: [], recorded: true },
  // yurt-manager with --enable-sync-nodepool-configurations=false: neither taints nor record.
  { name: 'unsynced', live: [], recorded: false },
];

beforeAll(async () => {
  world = await sharedOperatorControlPlane({});
  ({ client } = world);
  await leave();
  await world.start({ args: withoutElection });
  await isReady();
  await world.recording.waitForQuiescence({ user: 'nobody', resources: ['nodes'] });
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

it.each(rows)('the pod on a node whose taint is $name runs on', async ({ name, live }) => {
  const { items } = await client.list(pods, { namespace });
  const left = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  expect(left.map(({ metadata }) => metadata.name)).toContain(`on-${name}`);
  expect((await client.get(nodes, { name })).spec?.taints ?? []).toEqual(live);
});

it('an event names the nodes that were left so, and how that ends', async () => {
  await eventually(async () => {
    const recorded = (await eventsAbout(client, 'hz')).filter(({ reason }) => reason === 'TaintsKept');
    expect(recorded.map(({ note }) => note)).toEqual([
      expect.stringMatching(
        /^foreign, outdated, removed, unsynced: .*Remove the annotation atoll\.dev\/kept-taints/,
      ),
    ]);
  });
});

it('the taint comes where the note is taken off, and there pods go', async () => {
  const body = { metadata: { annotations: { [annotations.keptTaints]: null } } };
  await client.patch(nodes, { name: 'removed' }, { type: 'merge', body });
  await eventually(async () => {
    expect((await client.get(nodes, { name: 'removed' })).spec?.taints).toMatchObject([gate]);
    const { items } = await client.list(pods, { namespace });
    const left = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    expect(left.map(({ metadata }) => metadata.name).toSorted()).toEqual([
      'on-foreign',
      'on-outdated',
      'on-unsynced',
    ]);
  });
});

/** Nodes, each with a pod, and the pool as its last operator counted it. */
async function leave(): Promise<void> {
  await apply(client, nodePools, { metadata: { name: 'hz' }, spec: { taints: [gate] } });
  const capacity = { cpu: '32', memory: '256Gi', pods: '110' };
  for (const { name } of rows) {
    await client.create(nodes, { metadata: { name }, status: { capacity, allocatable: capacity } });
  }
  await world.controlPlane.nodesReady();
  await eventually(async () => {
    for (const { spec } of (await client.list(nodes)).items) expect(spec?.taints ?? []).toEqual([]);
    await client.get(serviceAccounts, { namespace, name: 'default' });
  });
  for (const { name, live, recorded } of rows) {
    const metadata = {
      labels: { [labels.nodePool]: 'hz' },
      annotations: recorded ? { [annotations.previousAttributes]: record } : {},
    };
    await client.patch(nodes, { name }, { type: 'merge', body: { metadata, spec: { taints: live } } });
    const tolerations = live.map((taint) => ({ ...taint, operator: 'Equal' }));
    await client.create(pods, {
      metadata: { namespace, name: `on-${name}` },
      spec: { nodeName: name, tolerations, containers: [{ name: 'web', image: 'nginx:1.27' }] },
    });
  }
  await eventually(async () => {
    const { items } = await client.list(pods, { namespace });
    expect(items.map(({ status }) => status?.phase)).toEqual(Array(rows.length).fill('Running'));
  });
  const status = { readyNodeNum: rows.length, unreadyNodeNum: 0, nodes: rows.map(({ name }) => name) };
  const old = { subresource: 'status', fieldManager: 'yurt-manager' } as const;
  await client.patch(nodePools, { name: 'hz' }, { type: 'merge', body: { status } }, old);
}

async function isReady(): Promise<void> {
  await eventually(async () => {
    expect(await conditionsOf(client, nodePools, 'hz')).toMatchObject({ Ready: { status: 'True' } });
  });
}
