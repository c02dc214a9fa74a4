import { describe, expect, test } from 'vitest';
import { labels, unitedDeployments, type UnitedDeployment } from '@atoll/api';
import { controllerRevisions, pods, replicaSets } from '@atoll/kube';
import type { CacheEvent, KubeObject, Pod, ReplicaSet, Stored } from '@atoll/kube';
import { childOf, rollOut, spread, web, zone } from '../../simulation/spread-example.ts';
import {
  changesOnlyStatus,
  keysForPod,
  keysForReplicaSet,
  keysForRevision,
  keysForSubsetChild,
} from './wake.ts';

function rolledOut() {
  const { world, controller } = spread(web([zone('a'), zone('b')]));
  world.settle(controller, 'ns/web');
  rollOut(world);
  const [pod] = world.list(pods);
  const [replicaSet] = world.list(replicaSets);
  if (pod === undefined || replicaSet === undefined) throw new Error('nothing runs');
  return { world, pod, replicaSet };
}

describe('a pod', () => {
  const rows: readonly { says: string; change: (pod: Stored<Pod>) => object; wakes: boolean }[] = [
    {
      says: 'that becomes not ready wakes',
      change: () => ({ status: { phase: 'Running', conditions: [] } }),
      wakes: true,
    },
    {
      says: 'that ends wakes',
      change: ({ status }) => ({ status: { ...status, phase: 'Failed' } }),
      wakes: true,
    },
    {
      says: 'that goes wakes',
      change: ({ metadata }) => ({ metadata: { ...metadata, deletionTimestamp: '2026-11-01T10:00:00Z' } }),
      wakes: true,
    },
    {
      says: 'that gets another label wakes',
      change: ({ metadata }) => ({
        metadata: { ...metadata, labels: { ...metadata.labels, [labels.reservedPod]: 'true' } },
      }),
      wakes: true,
    },
    {
      says: 'that gets an annotation does not',
      change: ({ metadata }) => ({
        metadata: { ...metadata, annotations: { a: 'b' }, resourceVersion: '99' },
      }),
      wakes: false,
    },
    {
      says: 'whose containers get further does not',
      change: ({ status }) => ({
        status: {
          ...status,
          conditions: [...(status?.conditions ?? []), { type: 'ContainersReady', status: 'True' }],
        },
      }),
      wakes: false,
    },
  ];
  test.each(rows)('$says', ({ change, wakes }) => {
    const { world, pod } = rolledOut();
    const object = { ...pod, ...change(pod) } as Stored<Pod>;
    expect(keysForPod(world.readers, { type: 'updated', old: pod, object })).toEqual(wakes ? ['ns/web'] : []);
  });

  test('of a child that is not ours wakes nobody', () => {
    const { world, pod } = rolledOut();
    const ownerReferences = [
      { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'u', controller: true },
    ];
    const object = { ...pod, metadata: { ...pod.metadata, ownerReferences } };
    expect(keysForPod(world.readers, { type: 'added', object })).toEqual([]);
  });
});

describe('a ReplicaSet', () => {
  test('wakes when it comes and goes, and not when it counts', () => {
    const { world, replicaSet } = rolledOut();
    const event = (type: 'added' | 'deleted'): CacheEvent<ReplicaSet> => ({ type, object: replicaSet });
    expect(keysForReplicaSet(world.readers, event('added'))).toEqual(['ns/web']);
    expect(keysForReplicaSet(world.readers, event('deleted'))).toEqual(['ns/web']);
    const object = { ...replicaSet, metadata: { ...replicaSet.metadata, resourceVersion: '99' } };
    expect(keysForReplicaSet(world.readers, { type: 'updated', old: replicaSet, object })).toEqual([]);
  });
});

describe('a UnitedDeployment', () => {
  const old = {
    metadata: { name: 'web', uid: 'u', generation: 1, annotations: { a: 'b' } },
  } as unknown as Stored<UnitedDeployment>;
  test.each<readonly [string, object, boolean]>([
    ['its status', { resourceVersion: '2' }, true],
    ['its spec', { generation: 2 }, false],
    ['an annotation', { annotations: { a: 'c' } }, false],
    ['a label', { labels: { a: 'b' } }, false],
    ['its end', { deletionTimestamp: '2026-11-01T10:00:00Z' }, false],
    ['another of its name', { uid: 'v' }, false],
  ])('%s', (_says, metadata, onlyStatus) => {
    const object = { ...old, metadata: { ...old.metadata, ...metadata } };
    expect(changesOnlyStatus({ type: 'updated', old, object })).toBe(onlyStatus);
  });

  test('that is new or gone is no matter of its status', () => {
    expect(changesOnlyStatus({ type: 'added', object: old })).toBe(false);
    expect(changesOnlyStatus({ type: 'deleted', object: old })).toBe(false);
  });

  test('wakes itself: at once by what people ask for, in time by its status', () => {
    const { world, controller } = spread();
    const own = controller.sources.filter(({ reader }) => reader === world.readers.unitedDeployments);
    const after = (metadata: object) =>
      own.map(({ keysFor, wakes }) => {
        const object = { ...old, metadata: { ...old.metadata, namespace: 'ns', ...metadata } };
        const event = { type: 'updated', old, object } as const;
        return { keys: [...keysFor(event)], wakes: wakes(event) };
      });
    expect(after({ resourceVersion: '2' })).toEqual([{ keys: ['ns/web'], wakes: 'in-time' }]);
    expect(after({ generation: 2 })).toEqual([{ keys: ['ns/web'], wakes: 'at-once' }]);
  });
});

describe('a child', () => {
  test('wakes its owner, and one that nobody owns wakes those who may want it', () => {
    const { world } = rolledOut();
    const owners = world.readers.unitedDeployments;
    const ours = childOf(world, 'a') as Stored<KubeObject>;
    expect(keysForSubsetChild(owners, { type: 'updated', old: ours, object: ours })).toEqual(['ns/web']);
    const orphan = { ...ours, metadata: { ...ours.metadata, ownerReferences: [] } };
    expect(keysForSubsetChild(owners, { type: 'added', object: orphan })).toEqual(['ns/web']);
    const foreign = { ...orphan, metadata: { ...orphan.metadata, name: 'db-1' } };
    expect(keysForSubsetChild(owners, { type: 'added', object: foreign })).toEqual([]);
    const elsewhere = { ...orphan, metadata: { ...orphan.metadata, namespace: 'other' } };
    expect(keysForSubsetChild(owners, { type: 'added', object: elsewhere })).toEqual([]);
    expect(world.list(unitedDeployments)).toHaveLength(1);
  });
});

describe('a revision', () => {
  test('wakes its owner, and one that nobody owns wakes the one whose name it has', () => {
    const { world } = rolledOut();
    const owners = world.readers.unitedDeployments;
    const [ours] = world.list(controllerRevisions) as readonly Stored<KubeObject>[];
    if (ours === undefined) throw new Error('no revision');
    const woken = (metadata: object) =>
      keysForRevision(owners, {
        type: 'added',
        object: { ...ours, metadata: { ...ours.metadata, ...metadata } },
      });
    expect(woken({})).toEqual(['ns/web']);
    expect(woken({ ownerReferences: [] })).toEqual(['ns/web']);
    expect(woken({ ownerReferences: [], name: 'web-2-bcd' })).toEqual([]);
    expect(woken({ ownerReferences: [], labels: {} })).toEqual([]);
    expect(woken({ ownerReferences: [], namespace: 'other' })).toEqual([]);
  });
});
