import { describe, expect, test } from 'vitest';
import { yurtAppDaemons, type NodePool, type PoolWorkload } from '@atoll/api';
import type { CacheEvent, KubeObject, Stored } from '@atoll/kube';
import { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import { web } from '../../../simulation/examples/worked-example.ts';
import { keysForSelectedPool } from './keys-for-selected-pool.ts';

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

function stored<M extends KubeObject['metadata']>(metadata: M) {
  return { ...metadata, uid: 'u', resourceVersion: '1', creationTimestamp: '2026-11-01T10:00:00Z' };
}

function updated(old: Stored<NodePool>, object: Stored<NodePool>): CacheEvent<NodePool> {
  return { type: 'updated', old, object };
}
