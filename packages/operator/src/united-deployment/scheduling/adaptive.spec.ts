import { describe, expect, test } from 'vitest';
import { labels, type Subset } from '@atoll/api';
import { ApiError, deployments, isReady, keyOf, pods, type KubeObject, type Resource } from '@atoll/kube';
import type { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import {
  childOf,
  childrenOf,
  conditionsOf,
  editSpec,
  partlyScheduled,
  putPod,
  removePods,
  rollOut,
  scaleChild,
  setImage,
  spread,
  statusOf,
  unschedulable,
  web,
  zone,
} from '../../../simulation/examples/spread-example.ts';
import type { ChildWorkload } from '../../children/child.ts';
import { kindFacts } from '../subsets/child-kind.ts';

const windows = { rescheduleCriticalSeconds: 10, unschedulableDuration: 10 };

const three = [zone('a', { maxReplicas: 2 }), zone('b', { maxReplicas: 2 }), zone('c')];
const subsetLabel = labels.subsetName;
/** As an operator that made the child with an update owns it. */
const ownedByKruise = {
  manager: 'manager',
  operation: 'Update',
  fieldsV1: { 'f:spec': { 'f:selector': {} } },
} as const;

function adaptively(subsets: readonly Subset[], reserveUnschedulablePods: boolean) {
  const scheduleStrategy = {
    type: 'Adaptive' as const,
    adaptive: { ...windows, reserveUnschedulablePods },
  };
  return { subsets, scheduleStrategy };
}

function adaptive(reserveUnschedulablePods = false, replicas = 3, subsets: readonly Subset[] = three) {
  const topology = adaptively(subsets, reserveUnschedulablePods);
  const { world, controller } = spread(web(subsets, 'Deployment', { replicas, topology }));
  const untilSteady = () => world.untilSteady(controller, 'ns/web');
  untilSteady();
  rollOut(world, 'a', 'c');
  partlyScheduled(world, 'b', 0);
  untilSteady();
  return { world, controller, untilSteady };
}

/** Of four replicas, b has one pod and no room for another one. */
function withoutRoomForMore() {
  const found = adaptive(false, 4);
  const { world, untilSteady } = found;
  partlyScheduled(world, 'b', 1);
  world.now += 11_000;
  untilSteady();
  rollOut(world);
  untilSteady();
  expect([numbers(world), schedulable(world, 'b')]).toEqual(['2 1 1', 'False reschedule']);
  return found;
}

/** b had no room once; the window is over, and all replicas are ready. */
function recovered() {
  const found = adaptive(false, 5);
  const { world, untilSteady } = found;
  world.now += 11_000;
  untilSteady();
  rollOut(world);
  world.now += 11_000;
  untilSteady();
  expect([numbers(world), schedulable(world, 'b')]).toEqual(['2 0 3', 'True recover']);
  return found;
}

describe('adaptive', () => {
  test('moves what finds no node, keeps away for the window, and tries again after it', () => {
    const { world, controller, untilSteady } = adaptive();
    expect(numbers(world)).toBe('2 1 0');
    expect(world.reconcile(controller, 'ns/web').plan.requeueAt).toBe(world.now + 10_000);
    world.now += 11_000;
    untilSteady();
    expect(numbers(world)).toBe('2 0 1');
    expect(schedulable(world, 'b')).toBe('False reschedule');
    partlyScheduled(world, 'b', 0);
    rollOut(world, 'c');
    untilSteady();
    editSpec(world, () => ({ replicas: 5 }));
    untilSteady();
    expect(numbers(world)).toBe('2 0 3');
    rollOut(world);
    untilSteady();
    editSpec(world, () => ({ replicas: 4 }));
    untilSteady();
    expect(numbers(world)).toBe('2 0 2');
    rollOut(world);
    world.now += 11_000;
    untilSteady();
    expect(schedulable(world, 'b')).toBe('True recover');
    editSpec(world, () => ({ replicas: 5 }));
    untilSteady();
    expect(numbers(world)).toBe('2 1 2');
  });

  test.each([
    ['that a rollout has just made', (world: FreshWorld) => setImage(world, 'web:2')],
    [
      'of a child that becomes one of another kind',
      (world: FreshWorld) => editSpec(world, () => ({ template: web(three, 'CloneSet').spec.template })),
    ],
  ])('moves nothing away from pods %s, though an earlier subset had no room before', (_, change) => {
    const { world, untilSteady } = adaptive();
    world.now += 11_000;
    untilSteady();
    rollOut(world);
    world.now += 11_000;
    untilSteady();
    expect([numbers(world), schedulable(world, 'b')]).toEqual(['2 0 1', 'True recover']);
    change(world);
    untilSteady();
    for (const kind of ['Deployment', 'CloneSet'] as const) noneIsReady(world, kind);
    untilSteady();
    expect(numbers(world)).toBe('2 0 1');
  });

  test('takes nothing from a subset without room while its pods are replaced, until one of them is stuck', () => {
    const { world, untilSteady } = withoutRoomForMore();
    setImage(world, 'web:2');
    untilSteady();
    noneIsReady(world, 'Deployment', 0);
    untilSteady();
    expect(numbers(world)).toBe('2 1 1');
    partlyScheduled(world, 'b', 0);
    untilSteady();
    expect(numbers(world)).toBe('2 1 1');
    world.now += 11_000;
    untilSteady();
    expect(numbers(world)).toBe('2 0 2');
  });

  test('writes first that there is no room and moves then, so that no crash loses the window', () => {
    const { world, controller } = adaptive();
    world.now += 11_000;
    const first = world.reconcile(controller, 'ns/web');
    expect([first.outcome.results, first.plan.requeueAt]).toEqual([[], world.now]);
    expect(schedulable(world, 'b')).toBe('False reschedule');
    const second = world.reconcile(controller, 'ns/web');
    expect(second.outcome.results.map(({ step }) => step.target)).toEqual(['b', 'c']);
  });

  test('takes replicas away from a subset without room, and gives them to another, only while both are as they were seen', () => {
    const { world, controller } = adaptive();
    world.now += 11_000;
    world.reconcile(controller, 'ns/web');
    const { plan } = world.reconcile(controller, 'ns/web');
    const applies = plan.stages.flatMap(({ steps }) => steps).filter((step) => step.do === 'apply');
    expect(applies.map(({ target, resourceVersion }) => [target, resourceVersion !== undefined])).toEqual([
      ['b', true],
      ['c', true],
    ]);
  });

  describe('what grows at the expense of a subset without room', () => {
    const moving = (subsets = three, replicas = 3) => {
      const { world, controller } = adaptive(false, 3, subsets);
      world.now += 11_000;
      world.reconcile(controller, 'ns/web');
      editSpec(world, () => ({ replicas }));
      return { world, controller, reconcile: () => world.reconcile(controller, 'ns/web') };
    };
    const refuseApplies = (world: ReturnType<typeof moving>['world'], code: number, reason: string) => {
      world.refuse = ({ verb, ...operation }) =>
        verb === 'apply' && 'object' in operation && operation.object.metadata.labels?.[subsetLabel] === 'b'
          ? new ApiError({ fate: 'refused', code, reason, attempted: 'apply', message: 'no' })
          : undefined;
    };

    test('is written behind it, and only where that was written', () => {
      const { world, reconcile } = moving();
      const { uid } = childOf(world, 'b').metadata;
      const stages = reconcile().plan.stages.map(({ name, steps }) => [
        name,
        steps.map(({ target, dependsOn }) => [target, dependsOn]),
      ]);
      expect(stages).toEqual([
        ['apply children', [['b', undefined]]],
        ['apply dependent children', [['c', [uid]]]],
      ]);
    });

    test.each([
      [409, 'Conflict'],
      [503, 'ServiceUnavailable'],
    ])('waits for the next look where that is answered with %i %s', (code, reason) => {
      const { world, reconcile } = moving();
      refuseApplies(world, code, reason);
      reconcile();
      expect(numbers(world)).toBe('2 1 0');
      world.refuse = () => undefined;
      reconcile();
      expect(numbers(world)).toBe('2 0 1');
    });

    test('waits for nothing where that is refused for good', () => {
      const { world, reconcile } = moving();
      refuseApplies(world, 422, 'Invalid');
      reconcile();
      expect(numbers(world)).toBe('2 1 1');
    });

    test('is only what does not fit into the total beside it', () => {
      const { world, reconcile } = moving(
        [...three.slice(0, 2), zone('c', { maxReplicas: 1 }), zone('d')],
        5,
      );
      refuseApplies(world, 409, 'Conflict');
      reconcile();
      expect(numbers(world)).toBe('2 1 1 0');
      world.refuse = () => undefined;
      reconcile();
      expect(numbers(world)).toBe('2 0 1 2');
    });

    test('waits for the next look where somebody else still owns the fields of that subset', () => {
      const { world, reconcile } = moving();
      const { name } = childOf(world, 'b').metadata;
      world.edit(deployments, { namespace: 'ns', name }, ({ metadata, ...found }) => ({
        ...found,
        metadata: { ...metadata, managedFields: [ownedByKruise] },
      }));
      const first = reconcile();
      expect(first.outcome.results.map(({ did, step: { do: does } }) => [does, did])).toEqual([
        ['patch', 'done'],
        ['apply', 'skipped'],
      ]);
      expect(numbers(world)).toBe('2 1 0');
    });
  });

  describe('a child that somebody deletes is made again with its own number', () => {
    const endChild = (world: FreshWorld, subset: string) => {
      const { name } = childOf(world, subset).metadata;
      removePods(world, 'Deployment', name);
      world.end(deployments, { namespace: 'ns', name });
    };

    test('though an earlier subset may have more', () => {
      const { world, controller, untilSteady } = recovered();
      endChild(world, 'c');
      const { outcome } = world.reconcile(controller, 'ns/web');
      expect(outcome.results.map(({ step }) => `${step.do} ${step.target}`)).toEqual(['create c']);
      untilSteady();
      expect(numbers(world)).toBe('2 0 3');
    });

    test('also where it goes slowly, with its pods in the foreground', () => {
      const { world, untilSteady } = recovered();
      const key = keyOf(childOf(world, 'c'));
      world.edit(deployments, key, (found) => ({
        ...found,
        metadata: { ...found.metadata, finalizers: ['foregroundDeletion'] },
      }));
      world.remove(deployments as Resource<KubeObject>, key);
      untilSteady();
      expect(numbers(world)).toBe('2 0 3');
      removePods(world, 'Deployment', key.name);
      world.end(deployments, key);
      untilSteady();
      expect(numbers(world)).toBe('2 0 3');
    });

    test('also in a subset that has no room for more', () => {
      const { world, untilSteady } = withoutRoomForMore();
      endChild(world, 'b');
      untilSteady();
      expect(numbers(world)).toBe('2 1 1');
    });

    test('and what is too much since then goes', () => {
      const { world, untilSteady } = recovered();
      endChild(world, 'c');
      editSpec(world, () => ({ replicas: 3 }));
      untilSteady();
      expect(numbers(world)).toBe('2 0 1');
    });
  });

  describe('a child that somebody scales is set back to its own number', () => {
    test.each([
      ['in', 'c', 0],
      ['out', 'b', 2],
      ['out', 'c', 5],
    ])('where that was %s: %s to %i, and the others keep theirs', (_, subset, to) => {
      const { world, controller, untilSteady } = recovered();
      scaleChild(world, subset, to);
      // The pods come and go before it is noticed.
      rollOut(world);
      const { outcome } = world.reconcile(controller, 'ns/web');
      expect(outcome.results.map(({ step }) => `${step.do} ${step.target}`)).toEqual([`apply ${subset}`]);
      untilSteady();
      expect(numbers(world)).toBe('2 0 3');
    });

    test('also in a subset that has no room for more', () => {
      const { world, untilSteady } = withoutRoomForMore();
      scaleChild(world, 'b', 0);
      rollOut(world, 'b');
      untilSteady();
      expect(numbers(world)).toBe('2 1 1');
      rollOut(world, 'b');
      scaleChild(world, 'b', 2);
      partlyScheduled(world, 'b', 1);
      world.now += 11_000;
      untilSteady();
      expect(numbers(world)).toBe('2 1 1');
    });
  });

  describe('in a subset that is full and rolls with a surge', () => {
    const limits = [zone('a', { maxReplicas: 4 }), zone('b')];

    /** Three old pods are left of four and one is new; one more finds no node, and so many have just been made. */
    function rolling(justMade: number) {
      const topology = adaptively(limits, false);
      const { world, controller } = spread(web(limits, 'Deployment', { replicas: 6, topology }));
      const untilSteady = () => world.untilSteady(controller, 'ns/web');
      untilSteady();
      rollOut(world);
      untilSteady();
      setImage(world, 'web:2');
      untilSteady();
      rollOut(world, 'b');
      const child = childOf(world, 'a');
      const ready = 4 - justMade;
      removePods(world, 'Deployment', child.metadata.name);
      for (let index = 0; index < ready; index += 1) putPod(world, 'Deployment', child, index);
      const noNode = unschedulable(new Date(world.now).toISOString());
      putPod(world, 'Deployment', child, ready, noNode);
      world.now += 11_000;
      for (let index = 1; index <= justMade; index += 1)
        putPod(world, 'Deployment', child, ready + index, noNode);
      const counts = { replicas: 5, readyReplicas: ready, updatedReplicas: 3, availableReplicas: ready };
      const status = { ...counts, observedGeneration: child.metadata.generation ?? 0 };
      world.edit(deployments, keyOf(child), (found) => ({ ...found, status }));
      untilSteady();
      return { world, untilSteady };
    }

    test.each([
      ['every replica has a node', 0],
      ['the pod that has the place of an older one has just been made', 1],
    ])('nothing moves because of the pod beyond its replicas, where %s', (_, justMade) => {
      const { world } = rolling(justMade);
      expect([numbers(world), schedulable(world, 'a')]).toEqual(['4 2', 'False reschedule']);
    });

    /** An older pod of a, so many of which are left beside those in the place of others, begins to end on its node. */
    function ending(graceSeconds: number) {
      const made = rolling(0);
      const { world } = made;
      const child = childOf(world, 'a');
      const old = world
        .list(pods)
        .find((pod) => isReady(pod) && pod.metadata.name.startsWith(`${child.metadata.name}-`));
      if (old === undefined) throw new Error('no pod is ready');
      const deletionTimestamp = new Date(world.now + 1000 * graceSeconds).toISOString();
      world.end(pods as Resource<KubeObject>, keyOf(old));
      world.put(pods, {
        ...old,
        metadata: { ...old.metadata, deletionTimestamp, deletionGracePeriodSeconds: graceSeconds },
        spec: { containers: [], nodeName: 'n' },
      });
      const counts = { replicas: 4, readyReplicas: 3, updatedReplicas: 4, availableReplicas: 3 };
      world.edit(deployments, keyOf(child), (found) => ({
        ...found,
        status: { ...found.status, ...counts },
      }));
      made.untilSteady();
      return made;
    }

    test.each([
      [5, 15],
      [10, 20],
      [3600, 20],
    ])(
      'nothing moves while the pod that makes room for the one beyond them ends within %i s, for %i s at most',
      (graceSeconds, seconds) => {
        const { world, untilSteady } = ending(graceSeconds);
        expect(numbers(world)).toBe('4 2');
        world.now += 1000 * (seconds - 1);
        untilSteady();
        expect(numbers(world)).toBe('4 2');
        world.now += 1000;
        untilSteady();
        expect(numbers(world)).toBe('3 3');
      },
    );

    test('a replica moves when it found no node in time itself', () => {
      const { world, untilSteady } = rolling(1);
      world.now += 11_000;
      untilSteady();
      expect(numbers(world)).toBe('3 3');
    });
  });

  test('a removed subset that comes back is not remembered as full', () => {
    const { world, untilSteady } = adaptive();
    world.now += 11_000;
    untilSteady();
    const all = [zone('a', { maxReplicas: 2 }), zone('b', { maxReplicas: 2 }), zone('c')];
    editSpec(world, ({ topology }) => ({ topology: { ...topology, subsets: [...all].toSpliced(1, 1) } }));
    untilSteady();
    editSpec(world, ({ topology }) => ({ topology: { ...topology, subsets: all } }));
    untilSteady();
    expect(schedulable(world, 'b')).toBeUndefined();
  });
});

describe('adaptive with reservation', () => {
  test('keeps what finds no node, and others stand in for it until it runs', () => {
    const { world, untilSteady } = adaptive(true, 4);
    expect(numbers(world)).toBe('2 2 0');
    world.now += 11_000;
    untilSteady();
    expect(numbers(world)).toBe('2 2 2');
    expect(reserved(world)).toEqual({ a: 'false false', b: 'true true' });
    expect(statusOf(world)).toMatchObject({
      reservedPods: 2,
      replicas: 2,
      labelSelector: `app=web,${labels.reservedPod}=false`,
    });
    rollOut(world, 'c');
    untilSteady();
    const status = statusOf(world);
    expect(status).toMatchObject({ reservedPods: 2, replicas: 4 });
    // As Kruise 1.9 reports it: the child's own count, and beside it who of them waits.
    expect(status.subsetStatuses).toMatchObject([{}, { name: 'b', replicas: 2, reservedPods: 2 }, {}]);
    expect(conditionsOf(world)['Ready']).toBe('True RolloutComplete');
    expect(status.conditions?.find(({ type }) => type === 'Ready')?.message).toBe(
      'all 3 subsets run the current template with 4 replicas, all available; 2 reserved pods wait for room in b',
    );
  });

  test('that is switched on takes nothing from pods that serve until those that are to replace them are ready', () => {
    const subsets = [zone('a'), zone('b')];
    const { world, controller } = spread(web(subsets, 'Deployment', { replicas: 4 }));
    const untilSteady = () => world.untilSteady(controller, 'ns/web');
    untilSteady();
    rollOut(world);
    untilSteady();
    editSpec(world, () => ({ topology: adaptively(subsets, true) }));
    untilSteady();
    expect(numbers(world)).toBe('4 2');
    partlyScheduled(world, 'a', 2);
    world.now += 11_000;
    untilSteady();
    expect([numbers(world), statusOf(world).reservedPods]).toEqual(['4 2', 2]);
    rollOut(world);
    untilSteady();
    expect([numbers(world), statusOf(world).reservedPods]).toEqual(['4 0', 0]);
  });

  test('that is switched off counts every pod again, whatever their labels still say', () => {
    const { world, untilSteady } = adaptive(true, 4);
    world.now += 11_000;
    untilSteady();
    rollOut(world, 'c');
    untilSteady();
    expect(statusOf(world)).toMatchObject({ reservedPods: 2, replicas: 4 });
    editSpec(world, ({ topology }) => ({ topology: { subsets: topology?.subsets ?? [] } }));
    untilSteady();
    expect(reserved(world)['b']).toBe('true true');
    const status = statusOf(world);
    // What the children counted last.
    expect(status.replicas).toBe(6);
    expect(status).not.toHaveProperty('reservedPods');
    expect(status.subsetStatuses?.every((subset) => subset.reservedPods === undefined)).toBe(true);
    expect(status.labelSelector).toBe('app=web');
  });

  test('reserves no pod that a paused rollout holds back', () => {
    const { world, untilSteady } = adaptive(true, 2, [zone('a'), zone('b')]);
    const pause = (paused: boolean) =>
      editSpec(world, ({ template }) => {
        const { deploymentTemplate } = template;
        const spec = { ...deploymentTemplate?.spec, paused };
        return { template: { deploymentTemplate: { ...deploymentTemplate, spec } } as typeof template };
      });
    rollOut(world);
    untilSteady();
    pause(true);
    setImage(world, 'web:2');
    untilSteady();
    world.now += 11_000;
    untilSteady();
    expect(statusOf(world)).toMatchObject({ replicas: 2, reservedPods: 0 });
    expect(conditionsOf(world)['Ready']).toBe('False Paused');
  });

  test('stands in for pods of a Deployment whose update does not come, also where the spec names a partition, which no Deployment has', () => {
    const { world, untilSteady } = adaptive(true, 2, [zone('a'), zone('b')]);
    rollOut(world);
    untilSteady();
    const manualUpdate = { partitions: { a: 1, b: 1 } };
    editSpec(world, () => ({ updateStrategy: { type: 'Manual', manualUpdate } }));
    setImage(world, 'web:2');
    untilSteady();
    world.now += 11_000;
    untilSteady();
    expect(statusOf(world)).toMatchObject({ reservedPods: 2 });
  });

  test('lets no more pods of a rollout go at once because new ones take long to start', () => {
    const { world, untilSteady } = adaptive(true, 2, [zone('a'), zone('b')]);
    rollOut(world);
    untilSteady();
    setImage(world, 'web:2');
    untilSteady();
    // Its controller has seen the new template, and waits for the first new pod.
    const counts = { replicas: 2, readyReplicas: 2, updatedReplicas: 0, availableReplicas: 2 };
    const { generation = 0, ...child } = childOf(world, 'a').metadata;
    const status = { ...counts, observedGeneration: generation };
    world.edit(deployments, keyOf({ metadata: child }), (found) => ({ ...found, status }));
    world.now += 11_000;
    untilSteady();
    const { strategy } = childOf(world, 'a').spec as { readonly strategy?: object };
    expect([statusOf(world).reservedPods, strategy]).toEqual([2, undefined]);
  });

  test('writes a child whose pods wait for room once for each change, also before its controller has seen that', () => {
    const { world, untilSteady } = adaptive(true, 4);
    world.now += 11_000;
    untilSteady();
    /** How often the child is written after its controller has seen what was written. */
    const writesOnceSeen = () => {
      partlyScheduled(world, 'b', 0);
      const results = untilSteady().flatMap(({ outcome }) => outcome.results);
      return results.filter(({ step }) => step.do === 'apply').length;
    };
    editSpec(world, () => ({
      replicas: 5,
      topology: adaptively([zone('a'), zone('b', { minReplicas: 3 })], true),
    }));
    untilSteady();
    expect(childrenOf(world)['b']).toBe('Deployment 3');
    expect(writesOnceSeen()).toBe(0);
    world.now += 11_000;
    setImage(world, 'web:2');
    untilSteady();
    expect([writesOnceSeen(), writesOnceSeen()]).toEqual([1, 0]);
    expect((childOf(world, 'b').spec as { readonly strategy?: object }).strategy).toBeUndefined();
  });

  test('lets a rollout go on past pods that wait for room', () => {
    const { world, untilSteady } = adaptive(true, 4);
    world.now += 11_000;
    untilSteady();
    setImage(world, 'web:2');
    untilSteady();
    const { strategy } = childOf(world, 'b').spec as { readonly strategy?: object };
    expect(strategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } });
    expect((childOf(world, 'a').spec as { readonly strategy?: object }).strategy).toBeUndefined();
  });
});

/** The controllers of the children have deleted the old pods, and made at most so many new ones of each, which start. */
function noneIsReady(world: FreshWorld, kind: 'Deployment' | 'CloneSet', most = Infinity): void {
  const resource = kindFacts[kind].resource as Resource<ChildWorkload>;
  for (const child of world.list(resource)) {
    const replicas = Math.min(child.spec?.replicas ?? 1, most);
    removePods(world, kind, child.metadata.name);
    for (let index = 0; index < replicas; index += 1)
      putPod(world, kind, child, index, { ready: false, phase: 'Pending', node: 'n' });
    const counts = { replicas, readyReplicas: 0, updatedReplicas: replicas, availableReplicas: 0 };
    const status = { ...counts, observedGeneration: child.metadata.generation ?? 0 };
    world.edit(resource, keyOf(child), (found) => ({ ...found, status }));
  }
}

function numbers(world: Parameters<typeof childrenOf>[0]): string {
  return Object.values(childrenOf(world))
    .map((text) => text.replace(/^\w+ /, ''))
    .join(' ');
}

function schedulable(world: Parameters<typeof statusOf>[0], subset: string): string | undefined {
  const found = statusOf(world).subsetStatuses?.find(({ name }) => name === subset)?.conditions?.[0];
  return found === undefined ? undefined : `${found.status} ${found.reason}`;
}

function reserved(world: Parameters<typeof statusOf>[0]): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { metadata } of world.list(pods)) {
    const subset = metadata.labels?.[labels.subsetName] ?? '';
    const value = metadata.labels?.[labels.reservedPod] ?? '-';
    found[subset] = found[subset] === undefined ? value : `${found[subset]} ${value}`;
  }
  return found;
}
