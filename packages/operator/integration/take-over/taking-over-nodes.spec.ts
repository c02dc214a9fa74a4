// Node pools and their nodes in the state that the old operators leave, and what becomes of them when Atoll starts.
import { annotations, labels, nodePools, type NodePool, type PoolTaint } from '@atoll/api';
import {
  events,
  nodes,
  pods,
  serviceAccounts,
  type Node,
  type Resource,
  type Stored,
  type StreamingClient,
  type Taint,
} from '@atoll/kube';
import { concernsWrite, noWastedWrites, writesOf, type Write } from '@atoll/testbed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  operatorUser,
  restless,
  withoutElection,
  type OperatorControlPlane,
} from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { conditionsOf, eventually } from '../set-up/standing.ts';

let world: OperatorControlPlane;
let client: StreamingClient;
const namespace = 'default';
const { nodePool, desiredNodePool, hostNetwork, poolType, oldPoolType } = labels;
const { previousAttributes, earlierAttributes, followedPool, keptLabels } = annotations;
const [region, tier, contact, memo] = [
  'example.com/region',
  'example.com/tier',
  'example.com/contact',
  'example.com/memo',
];

interface Attributes {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly taints?: readonly PoolTaint[];
}

/** Pods of these tests bear the first two with exactly these values: to touch them ends pods. */
const gpu: PoolTaint = { key: 'example.com/gpu', value: 'mine', effect: 'NoExecute' };
const edge: PoolTaint = { key: 'example.com/edge', value: 'x', effect: 'NoExecute' };
const shy: PoolTaint = { key: 'example.com/shy', value: 'y', effect: 'NoSchedule' };
const worn: PoolTaint = { key: 'example.com/worn', effect: 'NoSchedule' };

/** What every node carries that its owner gave it. */
const own = {
  labels: { 'example.com/mine': '1' },
  annotations: { 'example.com/mine': '1' },
  taints: [gpu],
};

const older = { labels: { [region]: 'south' }, annotations: { [contact]: 'older' }, taints: [edge, shy] };
const newer = { labels: { [region]: 'north' }, annotations: { [contact]: 'newer' }, taints: [edge, shy] };
const next = { labels: { [region]: 'next' }, taints: [edge] };
/** What the pool `changed` was when the old operator looked last, and what it is. */
const then = {
  labels: { [region]: 'west', [tier]: 'old' },
  annotations: { [contact]: 'changed', [memo]: 'old' },
  taints: [edge, worn],
};
const now = { labels: { [region]: 'east' }, annotations: { [contact]: 'changed' }, taints: [edge] };

/** Who wrote last, by the name of its binary. */
type OldOperator = 'yurt-app-manager' | 'yurt-manager';

interface OldNode {
  readonly by: OldOperator;
  /** The labels of membership, and those that webhooks put beside them without a record. */
  readonly labels: Readonly<Record<string, string>>;
  /** What the old operator propagated, and remembered; `{}` is a record too, that of a pool without attributes. */
  readonly put?: Attributes;
  /** What somebody changed by hand since, which the old operators do not look at. */
  readonly byHand?: Attributes;
}

/** Up to v1.3 the user writes one label and the operator the other. */
const asked = (pool: string) => ({ [nodePool]: pool, [desiredNodePool]: pool });
const byHand = { labels: { [region]: 'hand' }, annotations: { [contact]: 'hand' } };
const byHandShy: PoolTaint = { ...shy, value: 'hand' };

const oldNodes: Readonly<Record<string, OldNode>> = {
  'older-right': { by: 'yurt-app-manager', labels: asked('older'), put: older },
  'older-leaves': { by: 'yurt-app-manager', labels: asked('older'), put: older },
  'older-moves': { by: 'yurt-app-manager', labels: asked('older'), put: older },
  'older-drifted': {
    by: 'yurt-app-manager',
    labels: asked('older'),
    put: older,
    byHand: { ...byHand, taints: [gpu, edge, byHandShy] },
  },
  // While nobody ran, one user wanted it elsewhere, another in the pool.
  'older-torn': {
    by: 'yurt-app-manager',
    labels: { [nodePool]: 'older', [desiredNodePool]: 'newer' },
    put: older,
  },
  'older-asks': { by: 'yurt-app-manager', labels: { [desiredNodePool]: 'older' } },
  'bare-right': { by: 'yurt-app-manager', labels: asked('bare'), put: {} },
  // The webhook of v1.4 wrote the type; nobody removes it.
  'newer-right': { by: 'yurt-manager', labels: { [nodePool]: 'newer', [poolType]: 'edge' }, put: newer },
  'newer-leaves': { by: 'yurt-manager', labels: { [nodePool]: 'newer' }, put: newer },
  'newer-moves': { by: 'yurt-manager', labels: { [nodePool]: 'newer' }, put: newer },
  // A taint of the user's own that had been there first: yurt-manager leaves it, and records its own.
  'newer-foreign': {
    by: 'yurt-manager',
    labels: { [nodePool]: 'newer' },
    put: newer,
    byHand: { taints: [gpu, edge, byHandShy] },
  },
  // v1.7 lets a node leave, and leaves on it what it had put there.
  'newer-left': { by: 'yurt-manager', labels: {}, put: newer },
  'newer-left-own': {
    by: 'yurt-manager',
    labels: {},
    put: newer,
    byHand: { ...byHand, taints: [gpu, edge, byHandShy] },
  },
  'gone-left': { by: 'yurt-manager', labels: { [nodePool]: 'gone' }, put: newer },
  'changed-stale': { by: 'yurt-manager', labels: { [nodePool]: 'changed' }, put: then },
  'changed-own': {
    by: 'yurt-manager',
    labels: { [nodePool]: 'changed' },
    put: then,
    byHand: {
      labels: { [tier]: 'hand' },
      annotations: { [memo]: 'hand' },
      taints: [gpu, edge, { ...worn, value: 'hand' }],
    },
  },
  // The webhook put the marker there, and the pool has nothing that would be recorded.
  'host-right': { by: 'yurt-manager', labels: { [nodePool]: 'host', [hostNetwork]: 'true' } },
  stranger: { by: 'yurt-manager', labels: {} },
};

interface OldPool {
  readonly by: OldOperator;
  /** In which the old operator read and wrote it. */
  readonly version: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: NonNullable<NodePool['spec']>;
  readonly status: NonNullable<NodePool['status']>;
}

const none = { readyNodeNum: 0, unreadyNodeNum: 0, nodes: [] };
const elected = {
  type: 'LeaderReady',
  status: 'True',
  reason: 'LeaderElected',
  message: 'elected',
  lastTransitionTime: '2026-05-06T10:00:00Z',
};
/** Of the leader election of v1.7, which goes on beside Atoll. */
const leaders = {
  leaderEndpoints: [{ nodeName: 'newer-right', address: '10.0.0.1' }],
  leaderNum: 1,
  leaderLastElectedTime: '2026-05-06T10:00:00Z',
};

const oldPools: Readonly<Record<string, OldPool>> = {
  older: {
    by: 'yurt-app-manager',
    version: 'v1alpha1',
    labels: { [oldPoolType]: 'edge' },
    spec: { ...older, type: 'Edge', selector: { matchLabels: { [nodePool]: 'older' } } },
    // As it stopped in the middle of something.
    status: { readyNodeNum: 1, unreadyNodeNum: 1, nodes: ['older-right', 'older-gone', 'older-leaves'] },
  },
  newer: {
    by: 'yurt-manager',
    version: 'v1beta2',
    labels: { [poolType]: 'edge' },
    spec: { ...newer, type: 'Edge' },
    status: {
      ...leaders,
      readyNodeNum: 4,
      unreadyNodeNum: 0,
      nodes: ['newer-foreign', 'newer-leaves', 'newer-moves', 'newer-right'],
      conditions: [elected],
    },
  },
  // One that went through v1.3 and v1.4 has both labels.
  next: {
    by: 'yurt-manager',
    version: 'v1beta1',
    labels: { [poolType]: 'edge', [oldPoolType]: 'edge' },
    spec: { ...next, type: 'Edge' },
    status: none,
  },
  changed: {
    by: 'yurt-manager',
    version: 'v1beta1',
    labels: { [poolType]: 'edge' },
    spec: { ...now, type: 'Edge' },
    status: { readyNodeNum: 2, unreadyNodeNum: 0, nodes: ['changed-stale', 'changed-own'] },
  },
  bare: {
    by: 'yurt-app-manager',
    version: 'v1alpha1',
    labels: {},
    spec: { type: 'Cloud', selector: { matchLabels: { [nodePool]: 'bare' } } },
    status: { readyNodeNum: 1, unreadyNodeNum: 0, nodes: ['bare-right'] },
  },
  host: {
    by: 'yurt-manager',
    version: 'v1beta1',
    labels: { [poolType]: 'edge' },
    spec: { type: 'Edge', hostNetwork: true },
    status: { readyNodeNum: 1, unreadyNodeNum: 0, nodes: ['host-right'] },
  },
};

/** As Go writes it: what is empty is left out. */
function recordOf({ labels: l = {}, annotations: a = {}, taints: t = [] }: Attributes): string {
  return JSON.stringify({
    ...(Object.keys(l).length === 0 ? {} : { labels: l }),
    ...(Object.keys(a).length === 0 ? {} : { annotations: a }),
    ...(t.length === 0 ? {} : { taints: t }),
  });
}

/** As a kubelet and its owner make it. */
async function register(name: string): Promise<void> {
  const capacity = { cpu: '32', memory: '256Gi', pods: '110' };
  await client.create(nodes, {
    metadata: {
      name,
      labels: { 'kubernetes.io/hostname': name, ...own.labels },
      annotations: own.annotations,
    },
    spec: { taints: own.taints },
    status: { capacity, allocatable: capacity },
  });
}

async function change(name: string, attributes: Attributes, fieldManager: string): Promise<void> {
  const { labels: changed = {}, annotations: noted = {}, taints } = attributes;
  const body = {
    metadata: { labels: changed, annotations: noted },
    ...(taints === undefined ? {} : { spec: { taints } }),
  };
  await client.patch(nodes, { name }, { type: 'merge', body }, { fieldManager });
}

async function leaveNode(name: string, { by, labels: given, put, byHand: edited }: OldNode): Promise<void> {
  const record = put === undefined ? {} : { [previousAttributes]: recordOf(put) };
  const left = {
    labels: { ...given, ...put?.labels },
    annotations: { ...put?.annotations, ...record },
    taints: [gpu, ...(put?.taints ?? [])],
  };
  await change(name, left, by);
  if (edited !== undefined) await change(name, edited, 'kubectl-edit');
  // Only those who bear exactly what is there are distinguished from those who bear anything.
  const tolerations = left.taints.map((taint) => ({ ...taint, operator: 'Equal' }));
  await client.create(pods, {
    metadata: { namespace, name: `on-${name}` },
    spec: { nodeName: name, tolerations, containers: [{ name: 'web', image: 'nginx:1.27' }] },
  });
}

async function leavePool(name: string, { by, version, labels: given, spec, status }: OldPool): Promise<void> {
  const resource: Resource<NodePool> = { ...nodePools, version };
  const mine = { 'example.com/mine': '1' };
  await client.create(
    resource,
    { metadata: { name, labels: mine }, spec },
    { fieldManager: 'kubectl-create' },
  );
  const metadata = { labels: given };
  await client.patch(resource, { name }, { type: 'merge', body: { metadata } }, { fieldManager: by });
  const found = await client.get(resource, { name });
  await client.update(resource, { ...found, status }, { subresource: 'status', fieldManager: by });
}

type Changes = Readonly<Record<string, readonly [from: unknown, to: unknown]>>;

function isOfOperator(resource: string): (write: Write) => boolean {
  return (write) =>
    concernsWrite({ user: operatorUser, resources: [resource] }, write) &&
    write.audit.subresource === undefined &&
    // Somebody else wrote at that very moment; it tries again.
    write.audit.code !== 409;
}

/** What each write of Atoll changed, by object; objects that it has not written are not named. */
async function writtenBy(resource: string): Promise<Readonly<Record<string, readonly Changes[]>>> {
  const history = await world.recording.history();
  expect(history.gaps).toEqual([]);
  const written: Record<string, Changes[]> = {};
  for (const { audit, effects } of writesOf(history).filter(isOfOperator(resource))) {
    const changes = effects.flatMap((effect) => effect.changes);
    const byPath = Object.fromEntries(changes.map(({ path, from, to }) => [path, [from, to] as const]));
    (written[audit.name ?? ''] ??= []).push(byPath);
  }
  return written;
}

const label = (key: string): string => `metadata.labels["${key}"]`;
const annotation = (key: string): string => `metadata.annotations["${key}"]`;
const taint = ({ key }: PoolTaint): string => `spec.taints[${key}]`;
const value = (of: PoolTaint): string => `${taint(of)}.value`;

const notes = (pool: string): Changes => ({ [annotation(followedPool)]: [undefined, pool] });
const keeps = (pool: string, kept: Attributes): Changes => ({
  [annotation(keptLabels)]: [undefined, JSON.stringify({ pool, labels: kept.labels })],
});
/** Everything that the pool `newer` had put on a node goes. */
const cleaned: Changes = {
  [label(region)]: ['north', undefined],
  [annotation(contact)]: ['newer', undefined],
  [annotation(previousAttributes)]: [recordOf(newer), undefined],
  [taint(edge)]: [edge, undefined],
  [taint(shy)]: [shy, undefined],
};

/** All that Atoll writes to nodes because it was started. */
const atStart: Readonly<Record<string, readonly Changes[]>> = {
  'older-right': [notes('older')],
  'older-leaves': [notes('older')],
  'older-moves': [notes('older')],
  'older-torn': [notes('newer')],
  'older-drifted': [
    {
      ...notes('older'),
      ...keeps('older', older),
      [annotation(contact)]: ['hand', 'older'],
      [value(shy)]: ['hand', 'y'],
    },
  ],
  'older-asks': [
    {
      ...notes('older'),
      [label(nodePool)]: [undefined, 'older'],
      [label(region)]: [undefined, 'south'],
      [annotation(contact)]: [undefined, 'older'],
      [annotation(previousAttributes)]: [undefined, recordOf(older)],
      [taint(edge)]: [undefined, edge],
      [taint(shy)]: [undefined, shy],
    },
  ],
  'bare-right': [{ ...notes('bare'), [annotation(previousAttributes)]: ['{}', undefined] }],
  'newer-foreign': [{ [value(shy)]: ['hand', 'y'] }],
  'newer-left': [keeps('', newer)],
  'newer-left-own': [
    {
      [annotation(previousAttributes)]: [recordOf(newer), undefined],
      [taint(edge)]: [edge, undefined],
    },
  ],
  'gone-left': [keeps('', newer)],
  'changed-stale': [
    {
      [label(region)]: ['west', 'east'],
      [label(tier)]: ['old', undefined],
      [annotation(memo)]: ['old', undefined],
      [annotation(previousAttributes)]: [recordOf(then), recordOf(now)],
      [taint(worn)]: [worn, undefined],
    },
  ],
  'changed-own': [
    {
      [label(region)]: ['west', 'east'],
      [annotation(previousAttributes)]: [recordOf(then), recordOf(now)],
    },
  ],
  'host-right': [{ [annotation(earlierAttributes)]: [undefined, '{"hostNetwork":true}'] }],
};

const before = {
  pools: new Map<string, Stored<NodePool>>(),
  nodes: new Map<string, Stored<Node>>(),
  pods: new Map<string, string>(),
};

async function podsByName(): Promise<Map<string, string>> {
  const { items } = await client.list(pods, { namespace });
  const live = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return new Map(live.map(({ metadata }) => [metadata.name, metadata.uid]));
}

async function poolsByName(): Promise<Map<string, Stored<NodePool>>> {
  const { items } = await client.list(nodePools);
  return new Map(items.map((pool) => [pool.metadata.name, pool]));
}

/** What the API server puts on a node until it is Ready has gone, and pods can be made. */
async function nodesAreFree(): Promise<void> {
  await eventually(async () => {
    const { items } = await client.list(nodes);
    for (const { spec } of items) expect(spec?.taints).toEqual(own.taints);
    await client.get(serviceAccounts, { namespace, name: 'default' });
  });
}

async function podsRun(count: number): Promise<void> {
  await eventually(async () => {
    const { items } = await client.list(pods, { namespace });
    expect(items.map(({ status }) => status?.phase)).toEqual(Array(count).fill('Running'));
  });
}

beforeAll(async () => {
  world = await sharedOperatorControlPlane({});
  ({ client } = world);
  const names = Object.keys(oldNodes);
  await Promise.all(names.map(register));
  await world.controlPlane.nodesReady();
  await nodesAreFree();
  for (const [name, pool] of Object.entries(oldPools)) await leavePool(name, pool);
  for (const [name, node] of Object.entries(oldNodes)) await leaveNode(name, node);
  await podsRun(names.length);
  before.pools = await poolsByName();
  before.nodes = new Map((await client.list(nodes)).items.map((node) => [node.metadata.name, node]));
  before.pods = await podsByName();
  await world.start({ args: withoutElection });
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

describe('when Atoll starts where an old operator was', () => {
  it.each([
    ['older', ['older-asks', 'older-drifted', 'older-leaves', 'older-moves', 'older-right', 'older-torn']],
    ['newer', ['newer-foreign', 'newer-leaves', 'newer-moves', 'newer-right']],
    ['next', []],
    ['changed', ['changed-own', 'changed-stale']],
    ['bare', ['bare-right']],
    ['host', ['host-right']],
  ])('the pool %s counts its nodes and names them in order', async (name, members) => {
    await eventually(async () => {
      expect(await conditionsOf(client, nodePools, name)).toMatchObject({
        Ready: { status: 'True', reason: 'PoolSynced' },
        Degraded: { status: 'False' },
      });
      const { status } = await client.get(nodePools, { name });
      expect([status?.nodes, status?.readyNodeNum, status?.unreadyNodeNum]).toEqual([
        members,
        members.length,
        0,
      ]);
    });
  });

  it('what is right is not written, and what is not is put right by one write', async () => {
    const resources = ['nodes', 'nodepools.apps.openyurt.io'];
    await eventually(async () => expect(await writtenBy('nodes')).toEqual(atStart));
    await world.recording.waitForQuiescence({ user: operatorUser, except: restless, resources });
    expect(await writtenBy('nodes')).toEqual(atStart);
  });

  it('a pool gets the labels of its type that it lacks, and nothing else of it changes', async () => {
    const edgeAs = (key: string): Changes => ({ [label(key)]: [undefined, 'edge'] });
    expect(await writtenBy('nodepools.apps.openyurt.io')).toEqual({
      older: [edgeAs(poolType)],
      newer: [edgeAs(oldPoolType)],
      changed: [edgeAs(oldPoolType)],
      host: [edgeAs(oldPoolType)],
      bare: [{ [label(poolType)]: [undefined, 'cloud'], [label(oldPoolType)]: [undefined, 'cloud'] }],
    });
    for (const [name, { metadata, spec }] of await poolsByName()) {
      expect([metadata.uid, metadata.generation, spec], name).toEqual([
        before.pools.get(name)?.metadata.uid,
        before.pools.get(name)?.metadata.generation,
        before.pools.get(name)?.spec,
      ]);
    }
  });

  it('what others wrote into the status of a pool stays', async () => {
    const { status } = await client.get(nodePools, { name: 'newer' });
    expect(status).toMatchObject(leaders);
    expect(status?.conditions).toContainEqual(elected);
  });

  it('a node whose two labels contradict each other stays, and it is reported once', async () => {
    await eventually(async () => {
      const { items } = await client.list(events, { namespace });
      const recorded = items.filter(({ reason }) => reason === 'DesiredPoolIgnored');
      expect(recorded.map(({ regarding, note }) => [regarding?.name, note])).toEqual([
        ['older-torn', expect.stringContaining('stays in the pool older')],
      ]);
    });
  });
});

describe('after the take-over', () => {
  it.each([
    {
      way: 'by the older label',
      name: 'older-leaves',
      remove: desiredNodePool,
      lost: {
        [label(region)]: ['south', undefined],
        [annotation(contact)]: ['older', undefined],
        [annotation(previousAttributes)]: [recordOf(older), undefined],
        [taint(edge)]: [edge, undefined],
        [taint(shy)]: [shy, undefined],
        [label(nodePool)]: ['older', undefined],
        [annotation(followedPool)]: ['older', undefined],
      },
    },
    { way: 'by the label that decides', name: 'newer-leaves', remove: nodePool, lost: cleaned },
  ])('a node that leaves $way loses what the old operator had put there', async ({ name, remove, lost }) => {
    await world.controlPlane.labelNodes([name], { [remove]: null });
    await eventually(async () => {
      const { [name]: changes } = await writtenBy('nodes');
      expect(changes).toEqual([...(atStart[name] ?? []), lost]);
    });
    const { metadata, spec } = await client.get(nodes, { name });
    expect(metadata.labels).toEqual({ 'kubernetes.io/hostname': name, ...own.labels });
    expect(metadata.annotations).toMatchObject(own.annotations);
    expect(spec?.taints).toEqual(own.taints);
  });

  it.each([
    {
      way: 'by the older label',
      name: 'older-moves',
      by: desiredNodePool,
      from: older,
      also: { [label(nodePool)]: ['older', 'next'], [annotation(followedPool)]: ['older', 'next'] },
    },
    { way: 'by the label that decides', name: 'newer-moves', by: nodePool, from: newer, also: {} },
  ])('a node that moves $way keeps what both pools want', async ({ name, by, from, also }) => {
    await world.controlPlane.labelNodes([name], { [by]: 'next' });
    await eventually(async () => {
      const { [name]: changes } = await writtenBy('nodes');
      expect(changes).toEqual([
        ...(atStart[name] ?? []),
        {
          ...also,
          [label(region)]: [from.labels[region], 'next'],
          [annotation(contact)]: [from.annotations[contact], undefined],
          [annotation(previousAttributes)]: [recordOf(from), recordOf(next)],
          [taint(shy)]: [shy, undefined],
        },
      ]);
    });
  });

  it('the pools that they left and joined show it', async () => {
    await eventually(async () => {
      const pools = await poolsByName();
      const members = ['older', 'newer', 'next'].map((name) => pools.get(name)?.status?.nodes);
      expect(members).toEqual([
        ['older-asks', 'older-drifted', 'older-right', 'older-torn'],
        ['newer-foreign', 'newer-right'],
        ['newer-moves', 'older-moves'],
      ]);
    });
  });
});

describe('in the end', () => {
  it('a taint that ends pods came only to the node that joined, and went only from those that left', async () => {
    await world.recording.waitForQuiescence({ user: operatorUser, except: restless, resources: ['nodes'] });
    const seen = Object.fromEntries([...before.nodes].map(([name, node]) => [name, statesOf(node)]));
    const [stays, goes] = [[[gpu, edge]], [[gpu, edge], [gpu]]];
    expect(seen).toEqual({
      ...Object.fromEntries(Object.keys(oldNodes).map((name) => [name, stays])),
      'older-asks': [[gpu], [gpu, edge]],
      'older-leaves': goes,
      'newer-leaves': goes,
      'newer-left-own': goes,
      'bare-right': [[gpu]],
      'host-right': [[gpu]],
      stranger: [[gpu]],
    });
  });

  it('every pod is still there, but for the one on the node that joined', async () => {
    const kept = new Map([...before.pods].filter(([name]) => name !== 'on-older-asks'));
    // That one shows that the taint would have ended the others as well.
    await eventually(async () => expect(await podsByName()).toEqual(kept));
  });

  it('no write was in vain', async () => {
    const wasted = noWastedWrites({ user: operatorUser, except: restless })(await world.recording.history());
    // A conflict says that somebody else wrote the same object at that very moment.
    expect(wasted.filter(({ message }) => !message.endsWith('→ 409 Conflict'))).toEqual([]);
  });
});

/** The NoExecute taints of a node, Kubernetes' own left out, in all its versions since Atoll was started; once while they last. */
function statesOf({ metadata: { uid, resourceVersion } }: Stored<Node>): readonly (readonly Taint[])[] {
  const since = world.recording.events.filter(
    (event) => event.uid === uid && event.version >= Number(resourceVersion),
  );
  const states = since.map(({ object }) =>
    ((object as Stored<Node>).spec?.taints ?? []).filter(
      ({ key, effect }) => effect === 'NoExecute' && key.startsWith('example.com/'),
    ),
  );
  return states.filter((state, at) => JSON.stringify(state) !== JSON.stringify(states[at - 1]));
}
