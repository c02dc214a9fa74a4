// How nodes come into a pool, move and leave it, by either generation's label, on a real cluster.
import { annotations, labels, nodePools, type NodePool } from '@atoll/api';
import {
  createClient,
  events,
  loadKubeconfig,
  nodes,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
  type Node,
  type Stored,
  type StreamingClient,
} from '@atoll/kube';
import { writesOf, type RunningOperator } from '@atoll/testbed';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apply } from '../set-up/objects.ts';
import {
  operatorUser,
  withoutElection,
  type OperatorControlPlane,
} from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { conditionsOf, eventually } from '../set-up/standing.ts';

let world: OperatorControlPlane;
let client: StreamingClient;
let operator: RunningOperator;
const { nodePool, desiredNodePool } = labels;

const pools: readonly NodePool[] = [
  {
    metadata: { name: 'hz' },
    spec: {
      labels: { 'example.com/region': 'south' },
      annotations: { 'example.com/contact': 'hz' },
      taints: [{ key: 'example.com/edge', value: 'x', effect: 'PreferNoSchedule' }],
    },
  },
  { metadata: { name: 'bj' }, spec: { labels: { 'example.com/region': 'north' } } },
  { metadata: { name: 'host' }, spec: { hostNetwork: true } },
  { metadata: { name: 'cloud', labels: { mine: '1' } }, spec: { type: 'Cloud' } },
  { metadata: { name: 'many' }, spec: { labels: { 'example.com/region': 'many' } } },
];

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { nodes: 4 } });
  ({ client } = world);
  for (const pool of pools) await apply(client, nodePools, pool);
  operator = await world.start({ args: withoutElection });
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

async function get(name: string): Promise<Stored<Node>> {
  return client.get(nodes, { name });
}

/** Waits until the node carries these labels (undefined: none) and the record of its pool. */
async function carries(name: string, wanted: Readonly<Record<string, string | undefined>>): Promise<void> {
  await eventually(async () => {
    const found = (await get(name)).metadata.labels ?? {};
    expect(Object.fromEntries(Object.keys(wanted).map((key) => [key, found[key]]))).toEqual(wanted);
  });
}

async function membersOf(pool: string): Promise<readonly string[]> {
  return (await client.get(nodePools, { name: pool })).status?.nodes ?? [];
}

/** Nodes that name pools which do not exist, as the operator counts them. */
async function heldNodes(): Promise<number> {
  const text = await (await fetch(`${operator.url}/metrics`)).text();
  const line = /^atoll_holds\{controller="node-pool",reason="PoolNotFound"\} (\d+)$/m.exec(text);
  return Number(line?.[1] ?? 0);
}

const region = 'example.com/region';

describe('a node', () => {
  it('joins, moves and leaves by the older label, and takes nothing along', async () => {
    const before = await get('node-1');
    await world.controlPlane.labelNodes(['node-1'], { [desiredNodePool]: 'hz' });
    await carries('node-1', { [nodePool]: 'hz', [region]: 'south' });
    await eventually(async () => expect(await membersOf('hz')).toEqual(['node-1']));
    expect((await get('node-1')).spec?.taints).toEqual(pools[0]?.spec?.taints);

    await world.controlPlane.labelNodes(['node-1'], { [desiredNodePool]: 'bj' });
    await carries('node-1', { [nodePool]: 'bj', [region]: 'north' });
    expect((await get('node-1')).spec?.taints).toBeUndefined();
    await eventually(async () => {
      expect([await membersOf('hz'), await membersOf('bj')]).toEqual([[], ['node-1']]);
    });

    await world.controlPlane.labelNodes(['node-1'], { [desiredNodePool]: null });
    await carries('node-1', { [nodePool]: undefined, [region]: undefined });
    const after = await get('node-1');
    expect(after.metadata.labels).toEqual(before.metadata.labels);
    for (const key of [annotations.previousAttributes, annotations.followedPool, 'example.com/contact']) {
      expect(after.metadata.annotations ?? {}).not.toHaveProperty([key]);
    }
  });

  it('gets back what it had before it joined', async () => {
    const taint = { key: 'example.com/edge', value: 'own', effect: 'PreferNoSchedule' };
    const own = {
      metadata: {
        labels: { [region]: 'own' },
        annotations: { 'example.com/contact': 'own' },
      },
      spec: { taints: [taint] },
    };
    await client.patch(nodes, { name: 'node-1' }, { type: 'merge', body: own });
    const before = await get('node-1');
    await world.controlPlane.labelNodes(['node-1'], { [nodePool]: 'hz' });
    await carries('node-1', { [region]: 'south' });
    const { metadata, spec } = await get('node-1');
    expect(metadata.annotations?.['example.com/contact']).toBe('hz');
    expect(spec?.taints).toEqual(pools[0]?.spec?.taints);
    await world.controlPlane.labelNodes(['node-1'], { [nodePool]: 'bj' });
    await carries('node-1', { [region]: 'north' });
    expect((await get('node-1')).spec?.taints).toEqual([taint]);
    await world.controlPlane.labelNodes(['node-1'], { [nodePool]: null });
    await carries('node-1', { [region]: 'own' });
    const after = await get('node-1');
    expect(after.metadata.labels).toEqual(before.metadata.labels);
    expect(after.metadata.annotations).toEqual(before.metadata.annotations);
    expect(after.spec?.taints).toEqual([taint]);
    const off = { metadata: { labels: { [region]: null } }, spec: { taints: null } };
    await client.patch(nodes, { name: 'node-1' }, { type: 'merge', body: off });
  });

  it('goes to the pool of the label that decides, whatever it had asked for', async () => {
    await world.controlPlane.labelNodes(['node-2'], { [desiredNodePool]: 'hz' });
    await carries('node-2', { [nodePool]: 'hz', [region]: 'south' });
    await world.controlPlane.labelNodes(['node-2'], { [nodePool]: 'bj' });
    await carries('node-2', { [nodePool]: 'bj', [region]: 'north' });
    await world.controlPlane.labelNodes(['node-2'], { [nodePool]: null });
    await carries('node-2', { [nodePool]: undefined, [region]: undefined, [desiredNodePool]: 'hz' });
    await world.controlPlane.labelNodes(['node-2'], { [desiredNodePool]: null });
    await eventually(async () => {
      expect((await get('node-2')).metadata.annotations ?? {}).not.toHaveProperty([annotations.followedPool]);
    });
  });

  it('that asks for a pool which does not exist joins when it does', async () => {
    await world.controlPlane.labelNodes(['node-2'], { [nodePool]: 'hz', [desiredNodePool]: 'later' });
    await carries('node-2', { [region]: 'south' });
    await world.controlPlane.labelNodes(['node-2'], { [desiredNodePool]: 'latest' });
    await eventually(async () => expect(await membersOf('hz')).toEqual(['node-2']));
    await apply(client, nodePools, { metadata: { name: 'latest' }, spec: { labels: { [region]: 'late' } } });
    await carries('node-2', { [nodePool]: 'latest', [region]: 'late' });
  });

  it('that names a pool which does not exist gets one event, and counted, until the pool is there', async () => {
    const missing = async (): Promise<readonly unknown[]> => {
      const { items } = await client.list(events, { namespace: 'default' });
      const recorded = items.filter(
        ({ note, reason }) => reason === 'PoolNotFound' && note?.startsWith('the NodePool nowhere') === true,
      );
      return recorded.map(({ regarding, type, reason, series }) => [
        regarding?.kind,
        regarding?.name,
        type,
        reason,
        series?.count ?? 1,
      ]);
    };
    const recorded = [['Node', 'node-1', 'Warning', 'PoolNotFound', 1]];
    await world.controlPlane.labelNodes(['node-1'], { [nodePool]: 'nowhere' });
    await eventually(async () => expect(await missing()).toEqual(recorded));
    await eventually(async () => expect(await heldNodes()).toBe(1));
    await world.controlPlane.labelNodes(['node-1'], { 'example.com/other': 'x' });
    await world.controlPlane.labelNodes(['node-4'], { [desiredNodePool]: 'nowhere' });
    await eventually(async () => {
      expect(await missing()).toEqual(
        expect.arrayContaining([...recorded, ['Node', 'node-4', 'Warning', 'PoolNotFound', 1]]),
      );
    });
    expect(await missing()).toHaveLength(2);
    await eventually(async () => expect(await heldNodes()).toBe(2));
    await apply(client, nodePools, { metadata: { name: 'nowhere' } });
    await eventually(async () => expect(await membersOf('nowhere')).toEqual(['node-1', 'node-4']));
    await eventually(async () => expect(await heldNodes()).toBe(0));
    await world.controlPlane.labelNodes(['node-1'], { [nodePool]: null });
    await world.controlPlane.labelNodes(['node-4'], { [nodePool]: null, [desiredNodePool]: null });
  });

  it('that contradicts itself when it is first seen is moved by nobody, and reported', async () => {
    await world.controlPlane.labelNodes(['node-3'], { [nodePool]: 'hz', [desiredNodePool]: 'bj' });
    await carries('node-3', { [nodePool]: 'hz', [region]: 'south' });
    await eventually(async () => {
      const { items } = await client.list(events, { namespace: 'default' });
      const recorded = items.filter(
        ({ regarding }) => regarding?.kind === 'Node' && regarding.name === 'node-3',
      );
      const ignored = recorded.filter(({ reason }) => reason === 'DesiredPoolIgnored');
      expect(ignored.map(({ note }) => note)).toEqual([expect.stringContaining('stays in the pool hz')]);
    });
    await world.controlPlane.labelNodes(['node-3'], { [desiredNodePool]: 'many' });
    await carries('node-3', { [nodePool]: 'many', [region]: 'many' });
    await world.controlPlane.labelNodes(['node-3'], { [desiredNodePool]: null });
    await carries('node-3', { [nodePool]: undefined, [region]: undefined });
  });

  it('gets the marker of a host-network pool, and loses it', async () => {
    await world.controlPlane.labelNodes(['node-3'], { [nodePool]: 'host' });
    await carries('node-3', { [labels.hostNetwork]: 'true' });
    await world.controlPlane.labelNodes(['node-3'], { [nodePool]: null });
    await carries('node-3', { [labels.hostNetwork]: undefined });
    expect((await get('node-3')).metadata.annotations ?? {}).not.toHaveProperty([
      annotations.previousAttributes,
    ]);
  });

  it('that another writer changes back each time is written after pauses, and the pool says so', async () => {
    const name = 'disputed';
    await apply(client, nodePools, { metadata: { name }, spec: { labels: { [region]: 'ours' } } });
    await world.controlPlane.labelNodes(['node-1'], { [nodePool]: name });
    const writes = async (): Promise<number> =>
      writesOf(await world.recording.history()).filter(
        ({ audit: { user, resource, name: node } }) =>
          user === operatorUser && resource === 'nodes' && node === 'node-1',
      ).length;
    const before = await writes();
    let isOver = false;
    const other = (async () => {
      while (!isOver) {
        if ((await get('node-1')).metadata.labels?.[region] === 'ours')
          await world.controlPlane.labelNodes(['node-1'], { [region]: 'theirs' });
        await delay(50);
      }
    })();
    try {
      await eventually(async () => {
        const { Ready } = await conditionsOf(client, nodePools, name);
        expect(Ready).toMatchObject({ status: 'False', reason: 'ChangedBack' });
        expect(Ready?.message).toContain('the nodes node-1 do not stay as written: ');
      });
      // It joined with one write, of its membership's attributes and their record.
      const joinedAndTried = 1 + 5;
      await delay(7_000);
      expect((await writes()) - before).toBeLessThanOrEqual(joinedAndTried);
      const spec = { spec: { labels: { [region]: 'others' } } };
      await client.patch(nodePools, { name }, { type: 'merge', body: spec });
      await carries('node-1', { [region]: 'others' });
      await eventually(async () => {
        expect((await conditionsOf(client, nodePools, name))['Ready']).toMatchObject({
          reason: 'PoolSynced',
        });
      });
    } finally {
      isOver = true;
      await other;
    }
  });
});

describe('a pool', () => {
  it.each([
    ['hz', 'edge'],
    ['cloud', 'cloud'],
  ])('%s says its type, %s, under both keys', async (name, type) => {
    await eventually(async () => {
      const { metadata } = await client.get(nodePools, { name });
      expect(metadata.labels).toMatchObject({ [labels.poolType]: type, [labels.oldPoolType]: type });
    });
  });

  it('that vanishes goes at once, and its nodes are cleaned; a refusal is recorded on the node', async () => {
    await apply(client, nodePools, { metadata: { name: 'vanishing' }, spec: { labels: { [region]: 'v' } } });
    await world.controlPlane.labelNodes(['node-3', 'node-4'], { [nodePool]: 'vanishing' });
    for (const name of ['node-3', 'node-4']) await carries(name, { [region]: 'v' });
    await refuseWrites('node-4');
    const allow = { metadata: { annotations: { [annotations.allowDeletion]: 'true' } } };
    await client.patch(nodePools, { name: 'vanishing' }, { type: 'merge', body: allow });
    await client.delete(nodePools, { name: 'vanishing' });
    await expect(client.get(nodePools, { name: 'vanishing' })).rejects.toMatchObject({ reason: 'NotFound' });
    await carries('node-3', { [nodePool]: 'vanishing', [region]: undefined });
    await eventually(async () => {
      const { items } = await client.list(events, { namespace: 'default' });
      const recorded = items.filter(({ reason }) => reason === 'NodeRefused');
      expect(recorded.map(({ regarding }) => `${regarding?.kind} ${regarding?.name}`)).toEqual([
        'Node node-4',
      ]);
    });
    await client.delete(validatingAdmissionPolicyBindings, { name: 'hands-off' });
    await carries('node-4', { [region]: undefined });
    expect((await client.list(events, {})).items.map(({ regarding }) => regarding?.name)).not.toContain(
      '(left)',
    );
  });

  /**
   * Each kubectl is a process of its own, which opens a connection and reads before it deletes. Within the milliseconds that this takes the
   * API server's own watch of the nodes, by which it judges the deletion, has seen the change.
   */
  async function deleteAsKubectl(name: string): Promise<void> {
    const access = await loadKubeconfig({ path: world.controlPlane.kubeconfig });
    const kubectl = createClient(access, { userAgent: 'kubectl' });
    try {
      await kubectl.get(nodePools, { name });
      await kubectl.delete(nodePools, { name });
    } finally {
      await kubectl.close();
    }
  }

  it('can be deleted directly after its last node was unlabelled, fifty times of fifty', async () => {
    const members = await world.controlPlane.addNodes({ nodes: 50 });
    for (const name of members) {
      await apply(client, nodePools, { metadata: { name: `of-${name}` } });
      await world.controlPlane.labelNodes([name], { [nodePool]: `of-${name}` });
    }
    for (const name of members) {
      await eventually(async () => expect(await membersOf(`of-${name}`)).toEqual([name]));
    }
    const off = { type: 'merge', body: { metadata: { labels: { [nodePool]: null } } } } as const;
    for (const name of members) {
      await expect(client.delete(nodePools, { name: `of-${name}` })).rejects.toThrow(
        `has nodes, ${name} for`,
      );
      await client.patch(nodes, { name }, off);
      await deleteAsKubectl(`of-${name}`);
    }
    const { items } = await client.list(nodePools, {});
    expect(items.filter(({ metadata }) => metadata.name.startsWith('of-'))).toEqual([]);
  });

  it('can be deleted directly after its last node asked to leave, and the node leaves', async () => {
    const name = 'asked-off';
    await apply(client, nodePools, { metadata: { name }, spec: { labels: { [region]: 'asked' } } });
    await world.controlPlane.labelNodes(['node-3'], { [nodePool]: null, [desiredNodePool]: name });
    await carries('node-3', { [nodePool]: name, [region]: 'asked' });
    await world.controlPlane.labelNodes(['node-3'], { [desiredNodePool]: null });
    await client.delete(nodePools, { name });
    await expect(client.get(nodePools, { name })).rejects.toMatchObject({ reason: 'NotFound' });
    await carries('node-3', { [nodePool]: undefined, [region]: undefined });
  });

  it('that a hundred nodes join writes each of them once, and its own status a few times', async () => {
    const joining = await world.controlPlane.addNodes({ nodes: 100 });
    await world.controlPlane.nodesReady();
    const quiet = { user: operatorUser, resources: ['nodepools.apps.openyurt.io'], quietMs: 2_000 };
    await world.recording.waitForQuiescence(quiet);
    const since = Date.now();
    await world.controlPlane.labelNodes(joining, { [desiredNodePool]: 'many' });
    await eventually(async () => expect(await membersOf('many')).toHaveLength(joining.length));
    await world.recording.waitForQuiescence(quiet);
    const seconds = Math.ceil((Date.now() - since) / 1000);
    // The API server writes a line of its audit log after the answer, on a busy machine long after it.
    const writes = await eventually(async () => {
      const found = writesOf(await world.recording.history()).filter(
        ({ audit, at }) => audit.user === operatorUser && at >= since,
      );
      const written = found.flatMap(({ audit }) => (audit.resource === 'nodes' ? [audit.name ?? ''] : []));
      expect(written.toSorted()).toEqual([...joining].toSorted());
      return found;
    });
    const statuses = writes.filter(({ audit }) => audit.resource.startsWith('nodepools'));
    expect(statuses.length).toBeLessThanOrEqual(seconds + 1);
  });
});

/** An admission policy that lets nobody change the node's attributes, and is in force when this returns. */
async function refuseWrites(name: string): Promise<void> {
  await client.create(validatingAdmissionPolicies, {
    metadata: { name: 'hands-off' },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['nodes'] },
        ],
      },
      validations: [{ expression: `object.metadata.name != '${name}'`, message: 'hands off' }],
    },
  });
  await client.create(validatingAdmissionPolicyBindings, {
    metadata: { name: 'hands-off' },
    spec: { policyName: 'hands-off', validationActions: ['Deny'] },
  });
  const probe = { type: 'merge', body: { metadata: { annotations: { probe: '1' } } } } as const;
  await eventually(async () => {
    await expect(client.patch(nodes, { name }, probe, { dryRun: true })).rejects.toThrow('hands off');
  });
}
