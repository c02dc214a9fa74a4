import { describe, expect, test } from 'vitest';
import { nodePools, yurtAppDaemons, type NodePool, type PoolWorkload } from '@atoll/api';
import { deployments, statefulSets } from '@atoll/kube';
import type { CacheEvent, KubeObject, Pod, Stored } from '@atoll/kube';
import { FreshWorld } from '../../simulation/examples/fresh-world.ts';
import { leavesNothingUndone, refusedForAWhile } from '../../simulation/explorer/left-undone.ts';
import { editPods, rollOut, web, workedExample } from '../../simulation/examples/worked-example.ts';
import { keysForChild } from '../children/keys-for-child.ts';
import { keysForSelectedPool } from '../places/pools/keys-for-selected-pool.ts';
import { keysForPoolPod } from './keys-for-event.ts';

const other: PoolWorkload = {
  metadata: { name: 'other', namespace: 'ns' },
  spec: { ...web.spec, nodepoolSelector: { matchLabels: { tier: 'b' } } },
};
const broken: PoolWorkload = {
  metadata: { name: 'broken', namespace: 'ns' },
  spec: { ...web.spec, nodepoolSelector: { matchLabels: { 'not valid!': 'x' } } },
};

describe('a pool event', () => {
  const a = pool({ tier: 'a' });
  const rows: readonly { title: string; event: CacheEvent<NodePool>; keys: readonly string[] }[] = [
    { title: 'a new pool enqueues who selects it', event: { type: 'added', object: a }, keys: ['ns/web'] },
    {
      title: 'a deleted pool enqueues who selected it',
      event: { type: 'deleted', object: a },
      keys: ['ns/web'],
    },
    { title: 'a pool that leaves enqueues who selected it', event: updated(a, pool({})), keys: ['ns/web'] },
    { title: 'a pool that comes enqueues who selects it', event: updated(pool({}), a), keys: ['ns/web'] },
    {
      title: 'a pool that changes sides enqueues both',
      event: updated(a, pool({ tier: 'b' })),
      keys: ['ns/other', 'ns/web'],
    },
    { title: 'a pool of no interest enqueues nothing', event: { type: 'added', object: pool({}) }, keys: [] },
    {
      title: 'a taint enqueues',
      event: updated(a, pool({ tier: 'a' }, { spec: { taints: [{ key: 'k', effect: 'NoExecute' }] } })),
      keys: ['ns/web'],
    },
    { title: 'the beginning of its end enqueues', event: updated(a, terminating(a)), keys: ['ns/web'] },
    { title: 'its first node enqueues', event: updated(counted(0), counted(1)), keys: ['ns/web'] },
    { title: 'its last node enqueues', event: updated(counted(1), counted(0)), keys: ['ns/web'] },
    { title: 'its second node does not', event: updated(counted(1), counted(2)), keys: [] },
    { title: 'a node that becomes ready does not', event: updated(counted(1, 1), counted(2, 0)), keys: [] },
    { title: 'the last of both kinds enqueues', event: updated(counted(1, 1), counted(0)), keys: ['ns/web'] },
    { title: 'the first count of no nodes enqueues', event: updated(a, counted(0)), keys: ['ns/web'] },
    {
      title: 'the first count of ready nodes alone enqueues',
      event: updated(a, withCounts({ readyNodeNum: 0 })),
      keys: ['ns/web'],
    },
    {
      title: 'the first count of unready nodes alone enqueues',
      event: updated(a, withCounts({ unreadyNodeNum: 0 })),
      keys: ['ns/web'],
    },
    {
      title: 'its first node enqueues where only ready ones are counted',
      event: updated(counted(0), withCounts({ readyNodeNum: 1 })),
      keys: ['ns/web'],
    },
    {
      title: 'its first node enqueues where only unready ones are counted',
      event: updated(counted(0), withCounts({ unreadyNodeNum: 1 })),
      keys: ['ns/web'],
    },
    {
      title: 'leaving out a count of no nodes does not',
      event: updated(counted(1), withCounts({ readyNodeNum: 1 })),
      keys: [],
    },
    {
      title: 'an annotation does not',
      event: updated(a, pool({ tier: 'a' }, { spec: { annotations: { a: 'b' } } })),
      keys: [],
    },
  ];
  test.each(rows)('$title', ({ event, keys }) => {
    const world = new FreshWorld();
    for (const workload of [web, other, broken]) world.put(yurtAppDaemons, workload);
    expect(
      keysForSelectedPool(world.readers.yurtAppDaemons, ({ spec }) => spec.nodepoolSelector, event),
    ).toEqual(keys);
  });
});

describe('a child event', () => {
  const ours = child('x', { apiVersion: 'apps.openyurt.io/v1alpha1', kind: 'YurtAppDaemon', name: 'web' });
  const sibling = child('x', {
    apiVersion: 'apps.openyurt.io/v1alpha1',
    kind: 'UnitedDaemonSet',
    name: 'web',
  });
  const laterVersion = child('x', { apiVersion: 'apps.openyurt.io/v1', kind: 'YurtAppDaemon', name: 'web' });
  const stranger = child('web-hz-abc');
  const rows: readonly { title: string; event: CacheEvent<KubeObject>; keys: readonly string[] }[] = [
    { title: 'enqueues its owner', event: { type: 'updated', old: ours, object: ours }, keys: ['ns/web'] },
    {
      title: 'enqueues an owner of any version',
      event: { type: 'added', object: laterVersion },
      keys: ['ns/web'],
    },
    {
      title: 'of the other kind enqueues nothing',
      event: { type: 'updated', old: sibling, object: sibling },
      keys: [],
    },
    {
      title: 'enqueues the owner that it lost',
      event: { type: 'updated', old: ours, object: stranger },
      keys: ['ns/web'],
    },
    { title: 'of nobody enqueues nothing', event: { type: 'added', object: stranger }, keys: [] },
    {
      title: 'that frees a name enqueues who may want it',
      event: { type: 'deleted', object: stranger },
      keys: ['ns/web'],
    },
    {
      title: 'that frees another name enqueues nothing',
      event: { type: 'deleted', object: child('db') },
      keys: [],
    },
  ];
  test.each(rows)('$title', ({ event, keys }) => {
    const world = new FreshWorld();
    world.put(nodePools, pool({ tier: 'a' }));
    for (const workload of [web, other]) world.put(yurtAppDaemons, workload);
    expect(keysForChild(yurtAppDaemons, world.readers.yurtAppDaemons, event)).toEqual(keys);
  });
});

test('the echo of its own status enqueues it where a plan finds more to do', () => {
  const setImage = (world: FreshWorld, image: string): void =>
    editPods(world, (pods) => ({ ...pods, containers: [{ name: 'web', image }] }));
  const tried = leavesNothingUndone({
    resource: yurtAppDaemons,
    object: web,
    begin: () => workedExample({ ...web, spec: { ...web.spec, revisionHistoryLimit: 0 } }),
    acts: [
      () => undefined,
      rollOut,
      (world) => setImage(world, 'web:2'),
      rollOut,
      ...refusedForAWhile(deployments, (world) => setImage(world, 'web:3')),
      rollOut,
    ],
  });
  expect(tried).toBeGreaterThan(20);
});

describe('a pod event', () => {
  const ready = podOf('u', 'True');
  const unready = podOf('u', 'False');
  const labelled = { ...ready, metadata: { ...ready.metadata, labels: { a: 'b' } } };
  const going = { ...ready, metadata: { ...ready.metadata, deletionTimestamp: '2026-11-01T10:00:00Z' } };
  const rows: readonly (readonly [string, CacheEvent<Pod>, readonly string[]])[] = [
    ['of a new pod enqueues', { type: 'added', object: unready }, ['ns/web']],
    ['of a pod that becomes ready enqueues', { type: 'updated', old: unready, object: ready }, ['ns/web']],
    [
      'of a pod that ceases to be ready enqueues',
      { type: 'updated', old: ready, object: unready },
      ['ns/web'],
    ],
    ['of a pod that is going enqueues', { type: 'updated', old: ready, object: going }, ['ns/web']],
    ['of a pod that is gone enqueues', { type: 'deleted', object: ready }, ['ns/web']],
    ['of anything else of a pod enqueues nothing', { type: 'updated', old: ready, object: labelled }, []],
    ['of a namesake that is gone enqueues nothing', { type: 'added', object: podOf('older', 'True') }, []],
  ];
  test.each(rows)('%s', (_title, event, keys) => {
    const world = new FreshWorld();
    const { metadata } = child('web-hz', {
      apiVersion: 'apps.openyurt.io/v1alpha1',
      kind: 'YurtAppDaemon',
      name: 'web',
    });
    const { uid } = world.put(statefulSets, { metadata }).metadata;
    const named = <E extends Stored<Pod>>(pod: E): E => owned(pod, uid);
    const { object } = event;
    const delivered: CacheEvent<Pod> =
      event.type === 'updated'
        ? { ...event, old: named(event.old), object: named(object) }
        : { ...event, object: named(object) };
    expect(keysForPoolPod(yurtAppDaemons, world.readers.statefulSets, delivered)).toEqual(keys);
  });
});

/** `u` stands for the uid that the StatefulSet gets. */
function owned<P extends Stored<Pod>>(pod: P, uid: string): P {
  const ownerReferences = (pod.metadata.ownerReferences ?? []).map((each) => ({
    ...each,
    uid: each.uid === 'u' ? uid : each.uid,
  }));
  return { ...pod, metadata: { ...pod.metadata, ownerReferences } };
}

function podOf(uid: string, ready: 'True' | 'False'): Stored<Pod> {
  const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web-hz', uid, controller: true };
  return {
    metadata: stored({ name: 'web-hz-0', namespace: 'ns', ownerReferences: [owner] }),
    status: { conditions: [{ type: 'Ready', status: ready }] },
  };
}

function pool(poolLabels: Readonly<Record<string, string>>, more: Partial<NodePool> = {}): Stored<NodePool> {
  return { ...more, metadata: stored({ name: 'hz', labels: poolLabels }) };
}

function counted(ready: number, unready = 0): Stored<NodePool> {
  return withCounts({ readyNodeNum: ready, unreadyNodeNum: unready });
}

function withCounts(status: NonNullable<NodePool['status']>): Stored<NodePool> {
  return pool({ tier: 'a' }, { status });
}

function terminating(found: Stored<NodePool>): Stored<NodePool> {
  return { ...found, metadata: { ...found.metadata, deletionTimestamp: '2026-11-01T10:00:00Z' } };
}

function child(name: string, owner?: { apiVersion: string; kind: string; name: string }): Stored<KubeObject> {
  const ownerReferences =
    owner === undefined ? [] : [{ ...owner, uid: `uid-${owner.name}`, controller: true }];
  return { metadata: stored({ name, namespace: 'ns', ownerReferences }) };
}

function stored<M extends KubeObject['metadata']>(metadata: M) {
  return { ...metadata, uid: 'u', resourceVersion: '1', creationTimestamp: '2026-11-01T10:00:00Z' };
}

function updated(old: Stored<NodePool>, object: Stored<NodePool>): CacheEvent<NodePool> {
  return { type: 'updated', old, object };
}
