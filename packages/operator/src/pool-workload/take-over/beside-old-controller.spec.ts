import { describe, expect, test } from 'vitest';
import { fieldManagers, nodePools, yurtAppDaemons } from '@atoll/api';
import { deployments, type Deployment } from '@atoll/kube';
import { left, readyOf, revision, templates } from '../../../simulation/examples/left-example.ts';
import { editPods, rollOut, webKey } from '../../../simulation/examples/worked-example.ts';
import {
  noteStatusWriter,
  oldManager,
  reconcileAsOldController,
} from '../../../simulation/neighbours/old-yurt-controller.ts';
import { createPoolWorkloadController, yurtAppDaemonKind } from '../controller.ts';
import { quietMs } from '../../children/ownership/status-writers.ts';

const maker = {
  manager: oldManager,
  operation: 'Update',
  fieldsV1: { 'f:spec': { 'f:selector': {}, 'f:replicas': {} } },
} as const;
const reason = 'ServedByYurtManager';

/** What an old operator left that goes on, and the two in turn. */
function beside(manager = oldManager) {
  const { world, controller } = left({ revision }, [maker]);
  const seen = new Set<string>();
  const note = (): void => {
    seen.add(JSON.stringify(templates(world)));
  };
  note();
  const ours = (): boolean => {
    const { outcome, statusWritten } = world.reconcile(controller, 'ns/web');
    if (statusWritten) noteStatusWriter(world, fieldManagers.atoll);
    note();
    return statusWritten || outcome.results.length > 0;
  };
  const theirs = (pools?: readonly string[]): boolean => {
    const wrote = reconcileAsOldController(world, pools, manager);
    note();
    return wrote;
  };
  /** Both react to each other, within the second, until nobody writes. */
  const settle = (): void => {
    for (let round = 0; round < 10; round += 1) {
      world.now += 100;
      const wrote = ours();
      if (!theirs() && !wrote) return;
    }
    throw new Error('they write without end');
  };
  return { world, controller, settle, ours, theirs, templatesSeen: () => seen.size };
}

describe('beside an old operator that was not stopped, a workload', () => {
  test('comes to rest, loses no pod, and reports what ends it', () => {
    const { world, settle, templatesSeen } = beside();
    settle();
    expect(templatesSeen()).toBe(1);
    expect(readyOf(world)).toMatchObject({ status: 'False', reason });
    expect(readyOf(world)?.message).toBe(
      "OpenYurt's yurt-manager serves it too, and wrote the status after Atoll. Switch that controller off there: add -yurt-app-daemon-controller (in 1.3 -yurtappdaemon) to its flag --controllers, whose default is *, and delete its webhooks for this kind; waiting until it has written nothing for 10 minutes",
    );
  });

  test('is left to it while a template rolls out, and each child gets that once', () => {
    const { world, settle, templatesSeen } = beside();
    settle();
    editPods(world, (spec) => ({ ...spec, containers: [{ name: 'web', image: 'web:2' }] }));
    settle();
    expect(templatesSeen()).toBe(2);
    expect(readyOf(world)?.reason).toBe(reason);
  });

  test('gets no status from Atoll when the other one writes its own again and again', () => {
    const { world, settle, ours, theirs } = beside();
    settle();
    for (const pools of [
      ['hz', 'bj'],
      ['bj', 'hz'],
      ['hz', 'bj'],
    ]) {
      world.now += 1_000;
      expect(theirs(pools)).toBe(true);
      expect(ours()).toBe(false);
    }
  });

  test('is served again when the other one is silent', () => {
    const { world, controller, settle } = beside();
    settle();
    const { plan } = world.reconcile(controller, 'ns/web');
    expect(plan.stages).toEqual([]);
    world.now = plan.requeueAt ?? 0;
    expect(plan.requeueAt).toBeGreaterThan(world.now - quietMs);
    world.untilSteady(controller, 'ns/web');
    rollOut(world);
    world.untilSteady(controller, 'ns/web');
    expect(readyOf(world)).toMatchObject({ status: 'True', reason: 'RolloutComplete' });
  });

  test.each<readonly [string, string, number, object]>([
    ['is scaled to zero', 'yurt-manager', 0, {}],
    ['has its controller off', 'yurt-manager', 1, { args: ['--controllers=*,-yurt-app-daemon-controller'] }],
    [
      'has its controller off by the older name',
      'yurt-manager',
      1,
      { args: ['--controllers=*,-yurtappdaemon'] },
    ],
    [
      'starts the controllers of other kinds only',
      'yurt-app-manager',
      1,
      { env: [{ name: 'CUSTOM_RESOURCE_ENABLE', value: 'YurtAppSet,YurtIngress,UnitedDeployment' }] },
    ],
  ])('is served again as soon as the Deployment of the other one %s', (_, name, replicas, container) => {
    const { world, controller, settle } = beside(name);
    const manager = { namespace: 'kube-system', name };
    const deployed = (count: number, more: object): Deployment => ({
      metadata: manager,
      spec: {
        replicas: count,
        selector: {},
        template: { spec: { containers: [{ name: 'manager', image: 'm', ...more }] } },
      },
    });
    world.put(deployments, deployed(1, {}));
    const served = world.list(deployments).length;
    settle();
    expect(readyOf(world)?.message).toContain(`, Deployment kube-system/${name}, serves it too`);
    const { keysFor } = controller.sources.find(({ reader }) => reader === world.readers.deployments) ?? {};
    world.edit(deployments, manager, (found) => ({ ...found, spec: deployed(replicas, container).spec }));
    const object = world.get(deployments, manager);
    expect([...(keysFor?.({ type: 'updated', old: object, object }) ?? [])]).toEqual(['ns/web']);
    world.untilSteady(controller, 'ns/web');
    expect(readyOf(world)?.reason).not.toBe(reason);
    expect(world.list(deployments)).toHaveLength(served);
  });
});

const standing = (name: string): Deployment => ({
  metadata: { namespace: 'kube-system', name },
  spec: { replicas: 0, selector: {}, template: { spec: { containers: [{ name: 'manager', image: 'm' }] } } },
});

test('another manager of OpenYurt that stands still does not hide one that is not seen', () => {
  const { world, settle } = beside('yurt-manager');
  world.put(deployments, standing('yurt-app-manager'));
  settle();
  expect(readyOf(world)?.reason).toBe(reason);
  expect(readyOf(world)?.message).toMatch(/; waiting until it has written nothing for 10 minutes$/);
});

test('a manager that stands still is heard of also before the conditions say that it had written', () => {
  const { world, controller, ours, theirs } = beside();
  ours();
  const { keysFor } = controller.sources.find(({ reader }) => reader === world.readers.deployments) ?? {};
  const object = world.put(deployments, standing(oldManager));
  const keys = () => [...(keysFor?.({ type: 'added', object }) ?? [])];
  expect(keys()).toEqual([]);
  world.now += 1_000;
  expect(theirs(['hz', 'bj'])).toBe(true);
  expect(keys()).toEqual(['ns/web']);
});

describe('a workload is taken over', () => {
  test('where only the old operator wrote, a moment ago', () => {
    const { world, controller } = left({ revision }, [maker]);
    reconcileAsOldController(world, ['hz', 'bj']);
    expect(world.reconcile(controller, 'ns/web').plan.stages).not.toEqual([]);
    expect(readyOf(world)?.reason).not.toBe(reason);
  });

  test('for the second time, where the conditions of Atoll were removed on the way back', () => {
    const { world, ours, theirs } = beside();
    ours();
    world.edit(yurtAppDaemons, webKey, ({ status, ...found }) => ({
      ...found,
      status: { ...status, conditions: [] },
    }));
    world.now += 5_000;
    expect(theirs(['hz', 'bj'])).toBe(true);
    ours();
    expect(readyOf(world)?.reason).not.toBe(reason);
  });
});

test('a pool that joins while the other one is at work gets no child from Atoll', () => {
  const { world, settle } = beside();
  settle();
  world.put(nodePools, { metadata: { name: 'sh', labels: { tier: 'a' } } });
  const controller = createPoolWorkloadController(yurtAppDaemonKind, world.readers);
  expect(world.reconcile(controller, 'ns/web').plan.stages).toEqual([]);
});
