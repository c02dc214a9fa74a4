import { describe, expect, test } from 'vitest';
import { annotations, yurtAppDaemons } from '@atoll/api';
import { controllerRevisions, deployments, type KubeObject, type Resource } from '@atoll/kube';
import { left, readyOf, revision, templates } from '../../../simulation/examples/left-example.ts';
import { editPods, rollOut, webKey } from '../../../simulation/examples/worked-example.ts';
import type { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import { createPoolWorkloadController, yurtAppDaemonKind } from '../controller.ts';

const maker = {
  manager: 'yurt-manager',
  operation: 'Update',
  fieldsV1: { 'f:spec': { 'f:selector': {}, 'f:replicas': {} } },
} as const;

/** What a user has in git, and what the webhook of yurt-manager stored of it. */
const inGit = podsOf({ initContainers: [{ name: 'first', image: 'first:1' }] });
const stored = podsOf(
  {
    initContainers: [{ name: 'first', image: 'first:1', imagePullPolicy: 'IfNotPresent' }],
    restartPolicy: 'Always',
    dnsPolicy: 'ClusterFirst',
  },
  { imagePullPolicy: 'Always', terminationMessagePolicy: 'File' },
);

describe('a manifest that is applied again once the webhook of the old operator is gone', () => {
  test('restarts no pod, and the hold says what stays and what ends it', () => {
    const { world, controller } = takenOver();
    const before = templates(world);
    applyAgain(world);
    world.untilSteady(controller, 'ns/web');
    expect(templates(world)).toEqual(before);
    expect(world.list(controllerRevisions)).toHaveLength(1);
    const { plan } = world.reconcile(controller, 'ns/web');
    expect(plan.stages).toEqual([]);
    expect(plan.holds).toMatchObject([
      { reason: 'OldRenderingKept', targets: ['hz'] },
      {
        reason: 'OldRenderingKept',
        bad: false,
        problem: expect.stringContaining('spec.workloadTemplate.deploymentTemplate'),
        waitingUntil: expect.stringContaining('atoll.dev/apply-template: "true"'),
      },
    ]);
    expect(readyOf(world)).toMatchObject({
      status: 'True',
      message: expect.stringMatching(/; containers without imagePullPolicy keep Always$/),
    });
    expect(world.get(yurtAppDaemons, webKey).status).toMatchObject({
      currentRevision: revision,
      updateRevision: revision,
    });
  });

  test('restarts none where that was done before Atoll ever looked, or it starts again and again', () => {
    const { world } = left({ revision }, [maker], stored);
    const before = templates(world);
    applyAgain(world);
    for (let reconciled = 0; reconciled < 8; reconciled += 1) {
      world.reconcile(createPoolWorkloadController(yurtAppDaemonKind, world.readers), 'ns/web');
    }
    rollOut(world);
    world.untilSteady(createPoolWorkloadController(yurtAppDaemonKind, world.readers), 'ns/web');
    expect(templates(world)).toEqual(before);
    expect(readyOf(world)?.status).toBe('True');
  });

  test('restarts none where the workload was deleted with --cascade=orphan and is made again of it', () => {
    const { world, controller } = takenOver();
    const before = templates(world);
    for (const resource of [deployments, controllerRevisions] as Resource<KubeObject>[]) {
      for (const { metadata } of world.list(resource)) {
        world.edit(resource, { namespace: 'ns', name: metadata.name }, (found) => ({
          ...found,
          metadata: { ...found.metadata, ownerReferences: [] },
        }));
      }
    }
    const { spec } = world.get(yurtAppDaemons, webKey);
    world.remove(yurtAppDaemons as Resource<KubeObject>, webKey);
    world.put(yurtAppDaemons, { metadata: webKey, spec });
    applyAgain(world);
    world.untilSteady(controller, 'ns/web');
    expect(templates(world)).toEqual(before);
  });

  test.each<readonly [string, object, object]>([
    ['in which the image is another', { image: 'web:2' }, { image: 'web:2' }],
    ['in which the policy is another', { imagePullPolicy: 'Never' }, { imagePullPolicy: 'Never' }],
    ['in which a variable is new', { env: [{ name: 'A' }] }, { env: [{ name: 'A' }] }],
  ])('%s is rolled out without what the webhook had filled in', (_, change, has) => {
    const { world, controller } = takenOver();
    editPods(world, () => podsOf({}, change));
    world.untilSteady(controller, 'ns/web');
    expect(container(world)).toEqual({ name: 'web', image: 'web:1', ...has });
    expect(world.list(controllerRevisions)).toHaveLength(2);
  });

  test('is rolled out when a person asks for it, and not taken back when the annotation goes', () => {
    const { world, controller } = takenOver();
    applyAgain(world);
    world.untilSteady(controller, 'ns/web');
    for (const value of ['true', 'false']) {
      world.edit(yurtAppDaemons, webKey, (found) => ({
        ...found,
        metadata: { ...found.metadata, annotations: { [annotations.applyTemplate]: value } },
      }));
      world.untilSteady(controller, 'ns/web');
      expect(container(world)).toEqual({ name: 'web', image: 'web:1' });
    }
    expect(world.list(controllerRevisions)).toHaveLength(2);
  });
});

test('a policy that is taken out of a template that Atoll rolled out is taken out of the pods', () => {
  const { world, controller } = takenOver();
  editPods(world, () => podsOf({}, { image: 'web:2', imagePullPolicy: 'Always' }));
  world.untilSteady(controller, 'ns/web');
  editPods(world, () => podsOf({}, { image: 'web:2' }));
  world.untilSteady(controller, 'ns/web');
  expect(container(world)).toEqual({ name: 'web', image: 'web:2' });
});

test('a template that was rolled out since is not left for an older revision of the old operator', () => {
  const { world, controller } = takenOver();
  editPods(world, () => podsOf({}, { image: 'web:2' }));
  world.untilSteady(controller, 'ns/web');
  applyAgain(world);
  world.untilSteady(controller, 'ns/web');
  expect(container(world)).toEqual({ name: 'web', image: 'web:1' });
  // What the old operator stored is put back as a whole, and then the manifest, which Atoll has rolled out before.
  editPods(world, () => stored);
  world.untilSteady(controller, 'ns/web');
  expect(container(world)).toMatchObject({ imagePullPolicy: 'Always' });
  applyAgain(world);
  world.untilSteady(controller, 'ns/web');
  expect(container(world)).toEqual({ name: 'web', image: 'web:1' });
});

function podsOf(more: object, ofContainer: object = {}): Readonly<Record<string, unknown>> {
  return { ...more, containers: [{ name: 'web', image: 'web:1', ...ofContainer }] };
}

function takenOver() {
  const { world, controller } = left({ revision }, [maker], stored);
  world.untilSteady(controller, 'ns/web');
  rollOut(world);
  world.untilSteady(controller, 'ns/web');
  return { world, controller };
}

/** A merge patch of a custom resource replaces lists as a whole, and leaves other fields that were filled in. */
function applyAgain(world: FreshWorld): void {
  editPods(world, (spec) => ({ ...spec, ...inGit }));
}

function container(world: FreshWorld): unknown {
  const all = world.list(deployments).map(({ spec }) => spec?.template.spec?.containers[0]);
  expect(all[1]).toEqual(all[0]);
  return all[0];
}

test('a policy that a user stated under Atoll, going back to the old revision, is taken out again', () => {
  const { world, controller } = takenOver();
  editPods(world, () => podsOf({}, { image: 'web:2' }));
  world.untilSteady(controller, 'ns/web');
  rollOut(world);
  // The user states it under Atoll, and Atoll rolls it out.
  editPods(world, () => stored);
  world.untilSteady(controller, 'ns/web');
  rollOut(world);
  world.untilSteady(controller, 'ns/web');
  applyAgain(world);
  world.untilSteady(controller, 'ns/web');
  expect(container(world)).toEqual({ name: 'web', image: 'web:1' });
});
