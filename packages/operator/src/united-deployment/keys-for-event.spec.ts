import { describe, expect, test } from 'vitest';
import { labels, unitedDeployments, type UnitedDeployment } from '@atoll/api';
import { deployments, pods } from '@atoll/kube';
import type { Pod, Stored } from '@atoll/kube';
import { leavesNothingUndone, refusedForAWhile } from '../../simulation/explorer/left-undone.ts';
import {
  editSpec,
  partlyScheduled,
  rollOut,
  setImage,
  spread,
  web,
  zone,
} from '../../simulation/examples/spread-example.ts';
import { keysForSubsetPod } from './keys-for-event.ts';

function rolledOut(spec: Partial<UnitedDeployment['spec']> = {}) {
  const { world, controller } = spread(web([zone('a'), zone('b')], 'Deployment', spec));
  world.untilSteady(controller, 'ns/web');
  rollOut(world);
  const [pod] = world.list(pods);
  if (pod === undefined) throw new Error('nothing runs');
  return { world, pod };
}

describe('a pod', () => {
  const rows: readonly { title: string; change: (pod: Stored<Pod>) => object; enqueues: boolean }[] = [
    {
      title: 'that becomes not ready enqueues',
      change: () => ({ status: { phase: 'Running', conditions: [] } }),
      enqueues: true,
    },
    {
      title: 'that ends enqueues',
      change: ({ status }) => ({ status: { ...status, phase: 'Failed' } }),
      enqueues: true,
    },
    {
      title: 'that goes enqueues',
      change: ({ metadata }) => ({ metadata: { ...metadata, deletionTimestamp: '2026-11-01T10:00:00Z' } }),
      enqueues: true,
    },
    {
      title: 'that gets another label enqueues',
      change: ({ metadata }) => ({
        metadata: { ...metadata, labels: { ...metadata.labels, [labels.reservedPod]: 'true' } },
      }),
      enqueues: true,
    },
    {
      title: 'that gets an annotation does not',
      change: ({ metadata }) => ({
        metadata: { ...metadata, annotations: { a: 'b' }, resourceVersion: '99' },
      }),
      enqueues: false,
    },
    {
      title: 'whose containers get further does not',
      change: ({ status }) => ({
        status: {
          ...status,
          conditions: [...(status?.conditions ?? []), { type: 'ContainersReady', status: 'True' }],
        },
      }),
      enqueues: false,
    },
  ];
  test.each(rows)('$title', ({ change, enqueues }) => {
    const { world, pod } = rolledOut();
    const object = { ...pod, ...change(pod) } as Stored<Pod>;
    expect(keysForSubsetPod(world.readers, { type: 'updated', old: pod, object })).toEqual(
      enqueues ? ['ns/web'] : [],
    );
  });

  test('that nobody controlled and that becomes one of a child enqueues, as it counts from then on', () => {
    const { world, pod } = rolledOut();
    const old = { ...pod, metadata: { ...pod.metadata, ownerReferences: [] } };
    expect(keysForSubsetPod(world.readers, { type: 'updated', old, object: pod })).toEqual(['ns/web']);
  });

  test('of a child that is not ours enqueues nothing', () => {
    const { world, pod } = rolledOut();
    const ownerReferences = [
      { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'u', controller: true },
    ];
    const object = { ...pod, metadata: { ...pod.metadata, ownerReferences } };
    expect(keysForSubsetPod(world.readers, { type: 'added', object })).toEqual([]);
  });
});

describe('the echo of its own status enqueues it where a plan finds more to do,', () => {
  const windows = { rescheduleCriticalSeconds: 10, unschedulableDuration: 10 };
  const adaptive = (reserveUnschedulablePods: boolean) => ({
    type: 'Adaptive' as const,
    adaptive: { ...windows, reserveUnschedulablePods },
  });

  test.each([
    ['where numbers are given', undefined],
    ['where pods find room or not', adaptive(false)],
    ['where pods without room are reserved', adaptive(true)],
  ])('%s', (_title, scheduleStrategy) => {
    const subsets = [zone('a', { maxReplicas: 2 }), zone('b', { maxReplicas: 2 }), zone('c')];
    const topology = { subsets, ...(scheduleStrategy === undefined ? {} : { scheduleStrategy }) };
    const object = web(subsets, 'Deployment', { replicas: 3, revisionHistoryLimit: 0, topology });
    const tried = leavesNothingUndone({
      resource: unitedDeployments,
      object,
      begin: () => spread(object),
      acts: [
        () => undefined,
        (world) => {
          rollOut(world, 'a', 'c');
          partlyScheduled(world, 'b', 0);
        },
        (world) => void (world.now += 11_000),
        (world) => void (world.now += 11_000),
        rollOut,
        (world) => setImage(world, 'web:2'),
        rollOut,
        (world) => editSpec(world, () => ({ topology: { subsets: [zone('a', { replicas: 9 })] } })),
        (world) => editSpec(world, () => ({ topology })),
        ...refusedForAWhile(deployments, (world) => setImage(world, 'web:3')),
        rollOut,
      ],
    });
    expect(tried).toBeGreaterThan(20);
  });
});
