import { describe, expect, test } from 'vitest';
import { labels, unitedDeployments, type UnitedDeployment } from '@atoll/api';
import { controllerRevisions, deployments, pods } from '@atoll/kube';
import type { KubeObject, Pod, Stored } from '@atoll/kube';
import { leavesNothingUndone, refusedForAWhile } from '../../simulation/left-undone.ts';
import {
  childOf,
  editSpec,
  partlyScheduled,
  rollOut,
  setImage,
  spread,
  web,
  zone,
} from '../../simulation/spread-example.ts';
import type { ChildWorkload } from '../children/child.ts';
import type { Waking } from '../engine/controller.ts';
import {
  keysForPod,
  keysForRevision,
  keysForSubsetChild,
  leadsOn,
  wakesByChild,
  wakesByPod,
  wakesByRevision,
} from './wake.ts';

function rolledOut(spec: Partial<UnitedDeployment['spec']> = {}) {
  const { world, controller } = spread(web([zone('a'), zone('b')], 'Deployment', spec));
  world.settle(controller, 'ns/web');
  rollOut(world);
  const [pod] = world.list(pods);
  if (pod === undefined) throw new Error('nothing runs');
  return { world, pod };
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

/** Changes the child of a subset, and says how the change wakes. */
function wakesAfter(
  world: ReturnType<typeof rolledOut>['world'],
  subset: string,
  change: (child: Stored<ChildWorkload>) => object,
): Waking {
  const old = childOf(world, subset) as Stored<ChildWorkload>;
  const object = { ...old, ...change(old) } as Stored<ChildWorkload>;
  const isSame = object.metadata.uid === old.metadata.uid;
  if (isSame) world.edit(deployments, { namespace: 'ns', name: old.metadata.name }, () => object as never);
  return wakesByChild(world.readers, 'Deployment', { type: 'updated', old, object });
}

const unavailable = ({ status }: ChildWorkload) => ({ status: { ...status, availableReplicas: 0 } });
const available = ({ status, spec }: ChildWorkload) => ({
  status: { ...status, availableReplicas: spec?.replicas ?? 1 },
});

describe('by its own status, where a plan finds more to do,', () => {
  const windows = { rescheduleCriticalSeconds: 10, unschedulableDuration: 10 };
  const adaptive = (reserveUnschedulablePods: boolean) => ({
    type: 'Adaptive' as const,
    adaptive: { ...windows, reserveUnschedulablePods },
  });

  test.each([
    ['where numbers are given', undefined],
    ['where pods find room or not', adaptive(false)],
    ['where pods without room are reserved', adaptive(true)],
  ])('%s', (_says, scheduleStrategy) => {
    const subsets = [zone('a', { maxReplicas: 2 }), zone('b', { maxReplicas: 2 }), zone('c')];
    const topology = { subsets, ...(scheduleStrategy === undefined ? {} : { scheduleStrategy }) };
    const object = web(subsets, 'Deployment', { replicas: 3, revisionHistoryLimit: 0, topology });
    const tried = leavesNothingUndone({
      resource: unitedDeployments,
      object,
      leadsOn,
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
    expect(tried).toBeGreaterThan(100);
  });
});

describe('what a child counts', () => {
  test('wakes in time when the first becomes incomplete or the last complete, and by and by otherwise', () => {
    const { world } = rolledOut();
    expect(wakesAfter(world, 'a', unavailable)).toBe('in-time');
    expect(wakesAfter(world, 'b', unavailable)).toBe('counted');
    expect(wakesAfter(world, 'b', ({ status }) => ({ status: { ...status, readyReplicas: 0 } }))).toBe(
      'counted',
    );
    expect(wakesAfter(world, 'a', available)).toBe('counted');
    expect(wakesAfter(world, 'b', available)).toBe('in-time');
  });

  test('wakes in time where pods decide who gets replicas', () => {
    const topology = { scheduleStrategy: { type: 'Adaptive' as const }, subsets: [zone('a'), zone('b')] };
    const { world, pod } = rolledOut({ topology });
    wakesAfter(world, 'a', unavailable);
    expect(wakesAfter(world, 'b', unavailable)).toBe('in-time');
    expect(wakesByPod(world.readers, { type: 'added', object: pod })).toBe('in-time');
  });

  test('wakes in time where a child that is too many may wait for it', () => {
    const { world } = rolledOut();
    editSpec(world, () => ({ topology: { subsets: [zone('a')] } }));
    wakesAfter(world, 'a', unavailable);
    expect(wakesAfter(world, 'b', unavailable)).toBe('in-time');
  });

  const others: readonly (readonly [string, (child: Stored<ChildWorkload>) => object])[] = [
    ['its spec', ({ metadata }) => ({ metadata: { ...metadata, generation: 9 } })],
    ['a label', ({ metadata }) => ({ metadata: { ...metadata, labels: {} } })],
    ['an annotation', ({ metadata }) => ({ metadata: { ...metadata, annotations: { a: 'b' } } })],
    ['its owner', ({ metadata }) => ({ metadata: { ...metadata, ownerReferences: [] } })],
    ['its end', ({ metadata }) => ({ metadata: { ...metadata, deletionTimestamp: '2026-11-01T10:00:00Z' } })],
    ['another of its name', ({ metadata }) => ({ metadata: { ...metadata, uid: 'other' } })],
    [
      'what its controller calls a failure',
      ({ status }) => ({ status: { ...status, conditions: [{ type: 'ReplicaFailure', status: 'True' }] } }),
    ],
  ];
  test.each(others)('is not all where %s changes', (_says, change) => {
    const { world } = rolledOut();
    wakesAfter(world, 'a', unavailable);
    expect(wakesAfter(world, 'b', change)).toBe('in-time');
  });

  test('is all where the Deployment controller numbers what it rolls out', () => {
    const { world } = rolledOut();
    const numbered = ({ metadata }: Stored<ChildWorkload>) => ({
      metadata: {
        ...metadata,
        annotations: { ...metadata.annotations, 'deployment.kubernetes.io/revision': '7' },
      },
    });
    expect(wakesAfter(world, 'a', numbered)).toBe('counted');
  });

  test('of a child that has just been made is nothing yet, and one that goes is missed in time', () => {
    const { world } = rolledOut();
    const child = childOf(world, 'a') as Stored<ChildWorkload>;
    const fresh = { ...child, status: {} };
    const wakes = (type: 'added' | 'deleted', object: Stored<ChildWorkload>): Waking =>
      wakesByChild(world.readers, 'Deployment', { type, object });
    expect(wakes('added', fresh)).toBe('counted');
    expect(wakes('added', child)).toBe('in-time');
    expect(wakes('deleted', fresh)).toBe('in-time');
    const orphan = { ...fresh, metadata: { ...fresh.metadata, ownerReferences: [] } };
    expect(wakes('added', orphan)).toBe('in-time');
  });

  test('of pods is told by their child, but for those of whom we hear after it, and the homeless', () => {
    const { world, pod } = rolledOut();
    const wakes = (object: Stored<Pod>): Waking => wakesByPod(world.readers, { type: 'added', object });
    expect(wakes(pod)).toBe('in-time');
    for (const subset of ['a', 'b']) wakesAfter(world, subset, unavailable);
    expect(wakes(pod)).toBe('counted');
    const unschedulable = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }];
    const homeless = { ...pod, status: { phase: 'Pending', conditions: unschedulable } } as Stored<Pod>;
    expect(wakes(homeless)).toBe('in-time');
    const foreign = { ...pod, metadata: { ...pod.metadata, ownerReferences: [] } };
    expect(wakes(foreign)).toBe('in-time');
  });
});

describe('a UnitedDeployment', () => {
  const old = {
    metadata: { name: 'web', uid: 'u', generation: 1, annotations: { a: 'b' } },
  } as unknown as Stored<UnitedDeployment>;
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

  test('that comes is the echo of our own, unless nobody owns it', () => {
    const { world } = rolledOut();
    const [ours] = world.list(controllerRevisions) as readonly Stored<KubeObject>[];
    if (ours === undefined) throw new Error('no revision');
    const orphan = { ...ours, metadata: { ...ours.metadata, ownerReferences: [] } };
    expect(wakesByRevision({ type: 'added', object: ours })).toBe('counted');
    expect(wakesByRevision({ type: 'added', object: orphan })).toBe('in-time');
    expect(wakesByRevision({ type: 'deleted', object: ours })).toBe('in-time');
    expect(wakesByRevision({ type: 'updated', old: ours, object: orphan })).toBe('in-time');
  });
});
