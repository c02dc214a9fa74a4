import { describe, expect, test } from 'vitest';
import { labels, unitedDeployments } from '@atoll/api';
import { pods, statefulSets } from '@atoll/kube';
import type { KubeObject, Resource, StatefulSet } from '@atoll/kube';
import type { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import {
  childOf,
  editSpec,
  putPod,
  removePods,
  rollOut,
  setImage,
  spread,
  web,
  zone,
} from '../../../simulation/examples/spread-example.ts';

/** A StatefulSet of five whose pods never became ready, and then another image. */
function broken(partitions: Readonly<Record<string, number>> = {}, more: object = {}) {
  const given = web([zone('a')], 'StatefulSet', {
    replicas: 5,
    updateStrategy: { type: 'Manual', manualUpdate: { partitions } },
  });
  const { statefulSetTemplate } = given.spec.template;
  const spec = { ...statefulSetTemplate?.spec, ...more };
  const template = { statefulSetTemplate: { ...statefulSetTemplate, spec } } as typeof given.spec.template;
  const { world, controller } = spread({ ...given, spec: { ...given.spec, template } });
  const untilSteady = () => world.untilSteady(controller, 'ns/web');
  untilSteady();
  rollOut(world);
  untilSteady();
  showPods(world, 0);
  if (Object.keys(more).length === 0) setImage(world, 'web:2', 'StatefulSet');
  else editSpec(world, () => ({ template: withImage(template) }));
  untilSteady();
  observed(world);
  untilSteady();
  return {
    world,
    untilSteady,
    deleted: () => gone(world),
    look: () => world.reconcile(controller, 'ns/web').plan.requeueAt,
  };
}

describe('a StatefulSet whose old pods are broken', () => {
  test('loses them one by one, the first first, once they were broken for a minute', () => {
    const { world, untilSteady, deleted, look } = broken();
    expect(deleted()).toEqual([]);
    expect(look()).toBe(world.now + 60_000);
    world.now += 61_000;
    untilSteady();
    expect(deleted()).toEqual([0]);
    const child = childOf(world, 'a', 'StatefulSet');
    const marks = { 'controller-revision-hash': 'new' };
    putPod(world, 'StatefulSet', child, 0, { ready: true, labels: marks });
    untilSteady();
    expect(deleted()).toEqual([1]);
  });

  test('keeps those that the partition holds back', () => {
    const { world, untilSteady, deleted } = broken({ a: 4 });
    world.now += 61_000;
    untilSteady();
    expect(deleted()).toEqual([]);
    showPods(world, 4);
    world.now += 61_000;
    untilSteady();
    expect(deleted()).toEqual([4]);
  });

  test('keeps them while a pod of the new template is not ready either', () => {
    const { world, untilSteady, deleted } = broken();
    world.now += 61_000;
    const child = childOf(world, 'a', 'StatefulSet');
    world.remove(pods as Resource<KubeObject>, { namespace: 'ns', name: `${child.metadata.name}-4` });
    putPod(world, 'StatefulSet', child, 4, { ready: false, labels: { 'controller-revision-hash': 'new' } });
    untilSteady();
    expect(deleted()).toEqual([]);
  });

  test.each([
    ['with OnDelete', { updateStrategy: { type: 'OnDelete' } }],
    ['with parallel pods', { podManagementPolicy: 'Parallel' }],
  ])('keeps them %s', (_title, more) => {
    const { world, untilSteady, deleted } = broken({}, more);
    world.now += 61_000;
    untilSteady();
    expect(deleted()).toEqual([]);
  });
});

test('scaling deletes no pod that is slow to start', () => {
  const { world, controller } = spread(web([zone('a')], 'StatefulSet', { replicas: 5 }));
  world.untilSteady(controller, 'ns/web');
  rollOut(world);
  showPods(world, 0);
  editSpec(world, () => ({ replicas: 6 }));
  world.now += 61_000;
  world.untilSteady(controller, 'ns/web');
  expect(gone(world)).toEqual([]);
});

test('a StatefulSet whose pods do not become ready counts as late after ten minutes without a move', () => {
  const { world, controller } = spread(web([zone('a')], 'StatefulSet', { replicas: 5 }));
  const untilSteady = () => world.untilSteady(controller, 'ns/web');
  const shown = () => {
    const { conditions = [] } = world.get(unitedDeployments, { namespace: 'ns', name: 'web' }).status ?? {};
    const asked = ['SubsetFailure', 'Degraded'];
    return asked.map((type) => `${type} ${conditions.find((each) => each.type === type)?.status}`);
  };
  untilSteady();
  const child = childOf(world, 'a', 'StatefulSet');
  for (let ordinal = 0; ordinal < 5; ordinal += 1) {
    const marks = { 'controller-revision-hash': 'new' };
    putPod(world, 'StatefulSet', child, ordinal, { ready: ordinal < 2, labels: marks });
  }
  observed(world);
  untilSteady();
  expect(shown()).toEqual(['SubsetFailure False', 'Degraded False']);
  const { plan } = world.reconcile(controller, 'ns/web');
  expect(plan.requeueAt).toBe(world.now + 600_000);
  world.now += 600_000;
  untilSteady();
  expect(shown()).toEqual(['SubsetFailure True', 'Degraded False']);
  world.now += 60_000;
  untilSteady();
  expect(shown()).toEqual(['SubsetFailure True', 'Degraded True']);
});

test('a StatefulSet whose pods have to be ready for long is not late before they could have been', () => {
  const given = web([zone('a')], 'StatefulSet', { replicas: 5 });
  const { statefulSetTemplate } = given.spec.template;
  const spec = { ...statefulSetTemplate?.spec, minReadySeconds: 900 };
  const template = { statefulSetTemplate: { ...statefulSetTemplate, spec } } as typeof given.spec.template;
  const { world, controller } = spread({ ...given, spec: { ...given.spec, template } });
  const look = () => world.reconcile(controller, 'ns/web').plan.requeueAt;
  world.untilSteady(controller, 'ns/web');
  const child = childOf(world, 'a', 'StatefulSet');
  for (let ordinal = 0; ordinal < 5; ordinal += 1) putPod(world, 'StatefulSet', child, ordinal);
  observed(world);
  expect(look()).toBe(world.now + 1_500_000);
});

test('pods that find no node are reported as such also when they are late', () => {
  const { world, controller } = spread(web([zone('a')], 'StatefulSet', { replicas: 1 }));
  world.untilSteady(controller, 'ns/web');
  const child = childOf(world, 'a', 'StatefulSet');
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] as const;
  putPod(world, 'StatefulSet', child, 0, { phase: 'Pending', conditions: [...conditions] });
  const holds = () => {
    const { plan } = world.reconcile(controller, 'ns/web');
    return plan.holds.map(({ reason, bad }) => `${reason} ${bad}`);
  };
  expect(holds()).toEqual(['PodsUnschedulable false']);
  world.now += 600_000;
  expect(holds()).toEqual(['PodsUnschedulable true']);
});

/** So many of the five pods are ready. */
function showPods(world: FreshWorld, ready: number): void {
  const child = childOf(world, 'a', 'StatefulSet');
  removePods(world, 'StatefulSet', child.metadata.name);
  for (let ordinal = 0; ordinal < 5; ordinal += 1) {
    const labels = { 'controller-revision-hash': 'old' };
    putPod(world, 'StatefulSet', child, ordinal, { ready: ordinal < ready, labels });
  }
}

/** Its controller has seen the new template, and waits. */
function observed(world: FreshWorld): void {
  const { name, generation = 0 } = childOf(world, 'a', 'StatefulSet').metadata;
  const counts = { replicas: 5, readyReplicas: 0, updatedReplicas: 0 };
  const status = { ...counts, observedGeneration: generation, updateRevision: 'new' };
  world.edit<StatefulSet>(statefulSets, { namespace: 'ns', name }, (found) => ({ ...found, status }));
}

function gone(world: FreshWorld): readonly number[] {
  const left = new Set(
    world
      .list(pods)
      .filter(({ metadata }) => metadata.labels?.[labels.subsetName] === 'a')
      .map(({ metadata }) => Number(/-(\d+)$/.exec(metadata.name)?.[1])),
  );
  return [0, 1, 2, 3, 4].filter((ordinal) => !left.has(ordinal));
}

function withImage<T extends object>(template: T): T {
  return JSON.parse(JSON.stringify(template).replace('web:1', 'web:2')) as T;
}
