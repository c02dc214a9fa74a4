import { labels, unitedDeployments, type Subset } from '@atoll/api';
import { keyOf, type KubeObject, type Resource } from '@atoll/kube';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import { putLeftByKruise } from '../../../simulation/examples/left-by-kruise.ts';
import {
  childOf,
  putPod,
  removePods,
  unschedulable,
  web,
  webKey,
  zone,
} from '../../../simulation/examples/spread-example.ts';
import type { ChildWorkload } from '../../children/child.ts';
import { kindFacts } from '../subsets/child-kind.ts';
import { createUnitedDeploymentController } from '../controller.ts';
import { allocateReservingByKruise, type Reserved } from './kruise-allocation.fixture.ts';

const resource = kindFacts.Deployment.resource as Resource<KubeObject> as Resource<ChildWorkload>;
const longAgo = '2026-10-01T10:00:00Z';
const names = ['a', 'b', 'c'] as const;

/** Of a subset: its bounds, and for how many of its pods its nodes have room. */
const given = fc.record({
  min: fc.nat(2),
  more: fc.option(fc.nat(3), { nil: undefined }),
  room: fc.option(fc.nat(3), { nil: Infinity }),
});

/*
 * Nothing is noted of these numbers: they follow the pods, whose labels are the memory, so that what Kruise left is allocated again.
 */
test('a take-over from reservation takes no replica of a subset away from what Kruise left at rest', () => {
  fc.assert(
    fc.property(fc.array(given, { minLength: 1, maxLength: 3 }), fc.nat(8), (all, total) => {
      const subsets = all.map(({ min, more }, index) =>
        zone(names[index] ?? '', {
          minReplicas: min,
          ...(more === undefined || index === all.length - 1 ? {} : { maxReplicas: min + more }),
        }),
      );
      const rooms = Object.fromEntries(all.map(({ room }, index) => [names[index] ?? '', room]));
      const standing = atRest(total, subsets, rooms);
      fc.pre(standing !== undefined);
      const world = new FreshWorld();
      put(world, total, subsets, standing ?? {});
      const after = numbersAfter(world, subsets);
      for (const [name, { replicas }] of Object.entries(standing ?? {}))
        expect(after[name]).toBeGreaterThanOrEqual(replicas);
    }),
    { numRuns: 80 },
  );
});

test('healthy pods that a paused Deployment holds back count, so that those that Kruise made in their place go', () => {
  const world = new FreshWorld();
  const subsets = [zone('a'), zone('b')];
  put(world, 2, subsets, { a: { replicas: 2, reserved: 2 }, b: { replicas: 2, reserved: 0 } });
  const child = childOf(world, 'a');
  world.edit(resource, keyOf(child), (found) => ({ ...found, spec: { ...found.spec, paused: true } }));
  removePods(world, 'Deployment', child.metadata.name);
  for (const index of [0, 1]) {
    const older = { [labels.reservedPod]: 'true', [labels.subsetRevision]: 'web-older' };
    const conditions = [{ type: 'Ready', status: 'True' as const, lastTransitionTime: longAgo }];
    putPod(world, 'Deployment', child, index, { labels: older, conditions });
  }
  expect(numbersAfter(world, subsets)).toEqual({ a: 2, b: 0 });
});

type Standing = Readonly<Record<string, Reserved>>;

function atRest(
  total: number,
  subsets: readonly Subset[],
  rooms: Readonly<Record<string, number>>,
): Standing | undefined {
  let standing: Standing = {};
  for (let round = 0; round < 20; round += 1) {
    const given = allocateReservingByKruise(total, subsets, standing);
    const next = Object.fromEntries(
      Object.entries(given).map(([name, replicas]) => [
        name,
        { replicas, reserved: Math.max(0, replicas - (rooms[name] ?? Infinity)) },
      ]),
    );
    if (JSON.stringify(next) === JSON.stringify(standing)) return standing;
    standing = next;
  }
  return undefined;
}

function put(world: FreshWorld, total: number, subsets: readonly Subset[], standing: Standing): void {
  const scheduleStrategy = { type: 'Adaptive' as const, adaptive: { reserveUnschedulablePods: true } };
  const object = web(subsets, 'Deployment', { replicas: total, topology: { subsets, scheduleStrategy } });
  putLeftByKruise(world, 'Deployment', object, (child) => {
    const { replicas } = standing[child.metadata.labels?.[labels.subsetName] ?? ''] ?? { replicas: 0 };
    return { ...child, spec: { ...child.spec, replicas } };
  });
  for (const { name } of subsets) putPods(world, name, standing[name]?.reserved ?? 0);
  const subsetStatuses = subsets.map(({ name }) => {
    const { replicas, reserved } = standing[name] ?? { replicas: 0, reserved: 0 };
    const status = reserved === 0 ? ('True' as const) : ('False' as const);
    const condition = { type: 'Schedulable', status, reason: 'reschedule', lastTransitionTime: longAgo };
    return { name, replicas, reservedPods: reserved, conditions: [condition] };
  });
  world.edit(unitedDeployments, webKey, (found) => ({
    ...found,
    status: { ...found.status, subsetStatuses },
  }));
}

/** Of the children, once Atoll has taken them over. */
function numbersAfter(world: FreshWorld, subsets: readonly Subset[]): Readonly<Record<string, number>> {
  world.untilSteady(createUnitedDeploymentController(world.readers), 'ns/web');
  return Object.fromEntries(
    subsets.map(({ name }) => [name, childOf(world, name).spec?.replicas ?? 1] as const),
  );
}

/** Those that are reserved find no node; the others have been ready for long. */
function putPods(world: FreshWorld, subset: string, reserved: number): void {
  const child = childOf(world, subset);
  const replicas = child.spec?.replicas ?? 1;
  removePods(world, 'Deployment', child.metadata.name);
  for (let index = 0; index < replicas; index += 1) {
    const isReserved = index < reserved;
    const state = isReserved ? unschedulable(longAgo) : { ready: true };
    const marked = { [labels.reservedPod]: String(isReserved) };
    putPod(world, 'Deployment', child, index, { ...state, labels: marked });
  }
  const ready = replicas - reserved;
  const counts = { replicas, readyReplicas: ready, updatedReplicas: replicas, availableReplicas: ready };
  const status = { ...counts, observedGeneration: child.metadata.generation ?? 0 };
  world.edit(resource, keyOf(child), (found) => ({ ...found, status }));
}
