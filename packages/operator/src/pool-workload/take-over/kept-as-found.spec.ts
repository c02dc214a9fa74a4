import { describe, expect, test } from 'vitest';
import { annotations, labels, nodePools, yurtAppDaemons } from '@atoll/api';
import { controllerRevisions, deployments, type Deployment, type Stored } from '@atoll/kube';
import type { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import { left, readyOf, revision, templates } from '../../../simulation/examples/left-example.ts';
import {
  bj,
  childIn,
  editPods,
  editTemplate,
  hz,
  podSpec,
  rollOut,
  webKey,
} from '../../../simulation/examples/worked-example.ts';
import { isAsPlanned } from '../../engine/plan.ts';
import { createPoolWorkloadController, yurtAppDaemonKind } from '../controller.ts';
import { oldChild, oldRevision } from './old-operator.fixture.ts';

const field = 'spec.workloadTemplate.deploymentTemplate';
const podLabels = { labels: { app: 'web' } };
const earlier = { ...podSpec, containers: [{ name: 'web', image: 'web:0' }] };
const putBack = { template: { metadata: podLabels, spec: earlier } };
const ours = { manager: 'atoll', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:selector': {} } } } as const;
const byOldOperator = { manager: 'yurt-manager', operation: 'Update' } as const;
const maker = { ...byOldOperator, fieldsV1: { 'f:spec': { 'f:selector': {}, 'f:replicas': {} } } };

describe('a child that an old operator left otherwise than the template says', () => {
  test.each<readonly [string, object, string]>([
    [
      'with the image of a revision that was put back',
      putBack,
      `${field}.spec.template.spec.containers[web].image is "web:1" (child: "web:0")`,
    ],
    ['with replicas that were put back', { replicas: 3 }, `${field}.spec.replicas is 2 (child: 3)`],
    [
      'with a field that the template has lost',
      { template: { metadata: podLabels, spec: { ...podSpec, hostNetwork: true } } },
      `${field}.spec.template.spec.hostNetwork is not set (child: set)`,
    ],
    [
      'with an annotation of its pods that the template has lost',
      { template: { metadata: { ...podLabels, annotations: { note: 'x' } }, spec: podSpec } },
      `${field}.spec.template.metadata.annotations is not set (child: set)`,
    ],
    [
      'without tolerations that the template has',
      { template: { metadata: podLabels, spec: { ...podSpec, tolerations: [] } } },
      `with what the pool adds, ${field}.spec.template.spec.nodeSelector.disk is set (child: none) and 1 more`,
    ],
  ])('%s stays so, and the hold reports what differs and what applies it', (_title, spec, difference) => {
    const { world, controller } = left({ revision, spec }, [maker]);
    const before = pods(world);
    world.untilSteady(controller, 'ns/web');
    rollOut(world);
    world.untilSteady(controller, 'ns/web');
    expect(pods(world)).toEqual(before);
    const { plan } = world.reconcile(controller, 'ns/web');
    expect(plan.stages).toEqual([]);
    expect(plan.holds).toMatchObject([
      { reason: 'OldTemplateKept', bad: true, waitsFor: 'person', targets: ['bj', 'hz'] },
      ...plan.holds.slice(1),
    ]);
    expect(readyOf(world)?.message).toContain(`: ${difference}`);
    expect(readyOf(world)).toMatchObject({ status: 'False', reason: 'OldTemplateKept' });
    expect(readyOf(world)?.message).toContain('annotation atoll.dev/apply-template: "true"');
    expect(world.get(yurtAppDaemons, webKey).status).toMatchObject({
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'WorkLoadUpdated', status: 'False' }),
      ]),
      pools: [{ name: 'bj' }, { name: 'hz' }],
    });
  });

  test('is still kept by an operator that starts between any two of its writes', () => {
    const { world } = left({ revision, spec: { ...putBack, replicas: 3 } }, [maker]);
    const before = pods(world);
    for (let reconciled = 0; reconciled < 6; reconciled += 1) {
      world.reconcile(createPoolWorkloadController(yurtAppDaemonKind, world.readers), 'ns/web');
    }
    expect(pods(world)).toEqual(before);
  });

  test('is brought to the next change of the pod template', () => {
    const { world, controller } = kept({ ...putBack, replicas: 3 });
    editPods(world, (spec) => ({ ...spec, containers: [{ name: 'web', image: 'web:2' }] }));
    world.untilSteady(controller, 'ns/web');
    expect(images(world)).toEqual(['web:2', 'web:2']);
    expect(childIn(world, 'hz')?.spec?.template.spec?.nodeSelector).toHaveProperty('disk', 'ssd');
    expect(replicas(world)).toEqual([3, 3]);
    expect(childIn(world, 'hz')?.metadata.annotations).not.toHaveProperty([annotations.keptPods]);
  });

  test('is no longer kept when the template comes to say what runs, and its pods stay', () => {
    const { world, controller } = kept({ ...putBack, replicas: 3 });
    const before = pods(world);
    editPods(world, () => earlier);
    editTemplate(world, (spec) => ({ ...spec, replicas: 3 }));
    world.untilSteady(controller, 'ns/web');
    expect(pods(world)).toEqual(before);
    const { plan } = world.reconcile(controller, 'ns/web');
    expect(plan.holds.filter(({ reason }) => reason === 'OldTemplateKept')).toEqual([]);
  });

  test('is brought to the revision that it was put back to when that is asked for once more', () => {
    const { world, controller } = kept(putBack);
    for (const image of ['web:2', 'web:1']) {
      editPods(world, (spec) => ({ ...spec, containers: [{ name: 'web', image }] }));
      world.untilSteady(controller, 'ns/web');
    }
    expect(images(world)).toEqual(['web:1', 'web:1']);
  });

  test('follows a change of the replicas, and its pods stay', () => {
    const { world, controller } = kept({ ...putBack, replicas: 3 });
    editTemplate(world, (spec) => ({ ...spec, replicas: 5, minReadySeconds: 3 }));
    const before = templates(world);
    world.untilSteady(controller, 'ns/web');
    expect(replicas(world)).toEqual([5, 5]);
    expect(childIn(world, 'hz')?.spec?.minReadySeconds).toBe(3);
    expect(templates(world)).toEqual(before);
    expect(childIn(world, 'hz')?.metadata.annotations).not.toHaveProperty([annotations.keptReplicas]);
  });

  test.each([annotations.applyTemplate, annotations.discardOverrides])(
    'gets the template when a person says so by %s',
    (name) => {
      const { world, controller } = kept({ ...putBack, replicas: 3 });
      annotate(world, name);
      world.untilSteady(controller, 'ns/web');
      expect([images(world), replicas(world)]).toEqual([
        ['web:1', 'web:1'],
        [2, 2],
      ]);
      rollOut(world);
      world.untilSteady(controller, 'ns/web');
      expect(readyOf(world)).toMatchObject({ status: 'True' });
    },
  );

  test.each([annotations.applyTemplate, annotations.discardOverrides])(
    'keeps what it has where %s is taken back before the plan is carried out',
    (name) => {
      const { world, controller } = kept(putBack);
      annotate(world, name);
      const { plan } = world.reconcile(controller, 'ns/web');
      expect(plan.stages).not.toEqual([]);
      const isStillAsPlanned = (): boolean | undefined =>
        plan.guards?.every((guard) => isAsPlanned(guard, world.get(yurtAppDaemons, webKey)));
      expect(isStillAsPlanned()).toBe(true);
      world.edit(yurtAppDaemons, webKey, (found) => ({
        ...found,
        metadata: { ...found.metadata, annotations: {} },
      }));
      expect(isStillAsPlanned()).toBe(false);
    },
  );

  test('gets the template at once where that was asked for before the take-over', () => {
    const { world, controller } = left({ revision, spec: putBack });
    annotate(world, annotations.applyTemplate);
    world.untilSteady(controller, 'ns/web');
    expect(images(world)).toEqual(['web:1', 'web:1']);
  });

  test('is no longer kept when somebody gives it the image of the template', () => {
    const { world, controller } = kept(putBack);
    editChildren(world, ({ template }) => ({
      template: { ...template, spec: { ...template?.spec, containers: podSpec.containers } },
    }));
    const before = pods(world);
    world.untilSteady(controller, 'ns/web');
    expect(pods(world)).toEqual(before);
    rollOut(world);
    const { plan } = world.reconcile(controller, 'ns/web');
    expect(plan.holds.map(({ reason }) => reason)).toEqual(['OldRenderingKept']);
  });

  test('tolerates a taint that its pool gets, and is otherwise kept', () => {
    const { world, controller } = kept(putBack);
    const taint = { key: 'new', effect: 'NoExecute' } as const;
    world.edit(nodePools, { name: 'bj' }, (pool) => ({ ...pool, spec: { taints: [taint] } }));
    world.untilSteady(controller, 'ns/web');
    expect(images(world)).toEqual(['web:0', 'web:0']);
    expect(childIn(world, 'bj')?.spec?.template.spec?.tolerations).toContainEqual({
      key: 'new',
      operator: 'Equal',
      effect: 'NoExecute',
    });
  });

  test('is put back where somebody changes it later', () => {
    const { world } = kept(putBack);
    const before = pods(world);
    editChildren(world, ({ template }) => ({
      template: {
        ...template,
        spec: { ...template?.spec, containers: [{ name: 'web', image: 'web:again' }], hostNetwork: true },
      },
    }));
    const controller = createPoolWorkloadController(yurtAppDaemonKind, world.readers);
    world.untilSteady(controller, 'ns/web');
    expect(images(world)).toEqual(['web:0', 'web:0']);
    editChildren(world, ({ template: { spec, ...template } }) => {
      const { hostNetwork: _, ...rest } = spec ?? {};
      return { template: { ...template, spec: rest } };
    });
    expect(pods(world)).toEqual(before);
    rollOut(world);
    world.untilSteady(controller, 'ns/web');
    expect(readyOf(world)).toMatchObject({ status: 'False', reason: 'OldTemplateKept' });
  });

  test('keeps what others change of their own, as kubectl rollout restart does', () => {
    const restarted = (at: string) => ({ annotations: { 'kubectl.kubernetes.io/restartedAt': at } });
    const { world } = kept({ template: { metadata: { ...podLabels, ...restarted('1') }, spec: earlier } });
    for (const { metadata } of world.list(deployments)) {
      const { namespace = '', name } = metadata;
      const theirs = {
        manager: 'kubectl-rollout',
        operation: 'Update',
        fieldsV1: { 'f:spec': { 'f:template': { 'f:metadata': {} } } },
      };
      world.edit(deployments, { namespace, name }, (found) => ({
        ...found,
        metadata: { ...found.metadata, managedFields: [...(found.metadata.managedFields ?? []), theirs] },
      }));
    }
    editChildren(world, ({ template }) => ({
      template: { ...template, metadata: { ...template.metadata, ...restarted('2') } },
    }));
    const before = pods(world);
    const controller = createPoolWorkloadController(yurtAppDaemonKind, world.readers);
    world.untilSteady(controller, 'ns/web');
    expect(pods(world)).toEqual(before);
    expect(childIn(world, 'hz')?.metadata.annotations?.[annotations.keptTemplate]).toContain('"2"');
  });

  test('keeps the tolerations of a taint that its pool had for some time', () => {
    const { world, controller } = kept(putBack);
    const taint = { key: 'new', effect: 'NoExecute' } as const;
    world.edit(nodePools, { name: 'bj' }, (pool) => ({ ...pool, spec: { taints: [taint] } }));
    world.untilSteady(controller, 'ns/web');
    const before = pods(world);
    world.edit(nodePools, { name: 'bj' }, (pool) => ({ ...pool, spec: { taints: [] } }));
    world.untilSteady(controller, 'ns/web');
    expect(pods(world)).toEqual(before);
  });

  test('is as 0.4.0 wrote it where that kept it, without a note of its pods', () => {
    const { world } = kept(putBack);
    for (const { metadata } of world.list(deployments)) {
      const { namespace = '', name } = metadata;
      world.edit(deployments, { namespace, name }, (found) => {
        const { [annotations.keptTemplate]: note, ...noted } = found.metadata.annotations ?? {};
        expect(note).toContain('web:0');
        return { ...found, metadata: { ...found.metadata, annotations: noted } };
      });
    }
    const controller = createPoolWorkloadController(yurtAppDaemonKind, world.readers);
    world.untilSteady(controller, 'ns/web');
    for (const { metadata } of world.list(deployments)) {
      expect(metadata.annotations).toHaveProperty([annotations.keptPods]);
      expect(metadata.annotations).not.toHaveProperty([annotations.keptTemplate]);
    }
    expect(images(world)).toEqual(['web:0', 'web:0']);
  });

  test('gets a template and replicas that the old operator has not seen', () => {
    const { world, controller } = left({ revision, spec: { ...putBack, replicas: 3 } });
    editPods(world, (spec) => ({ ...spec, containers: [{ name: 'web', image: 'web:2' }] }));
    world.untilSteady(controller, 'ns/web');
    expect([images(world), replicas(world)]).toEqual([
      ['web:2', 'web:2'],
      [2, 2],
    ]);
    const scaled = left({ revision, spec: { replicas: 3 } });
    editTemplate(scaled.world, (spec) => ({ ...spec, replicas: 5 }));
    scaled.world.untilSteady(scaled.controller, 'ns/web');
    expect(replicas(scaled.world)).toEqual([5, 5]);
  });

  test('is kept also where no revision is left, and follows the next template', () => {
    const { world, controller } = left({ revision, spec: putBack });
    world.remove(controllerRevisions, { namespace: 'ns', name: revision });
    world.untilSteady(controller, 'ns/web');
    expect(images(world)).toEqual(['web:0', 'web:0']);
    editPods(world, (spec) => ({ ...spec, containers: [{ name: 'web', image: 'web:2' }] }));
    world.untilSteady(controller, 'ns/web');
    expect(images(world)).toEqual(['web:2', 'web:2']);
  });

  test('that somebody restarted is no other for that', () => {
    const noted = { annotations: { 'kubectl.kubernetes.io/restartedAt': '2024-05-01T10:00:00Z' } };
    const spec = { template: { metadata: { ...podLabels, ...noted }, spec: podSpec } };
    const { world, controller } = left({ revision, spec });
    world.untilSteady(controller, 'ns/web');
    expect(world.reconcile(controller, 'ns/web').plan.holds.map(({ reason }) => reason)).toEqual([
      'OldRenderingKept',
    ]);
  });

  function kept(spec: object) {
    const { world, controller } = left({ revision, spec }, [maker]);
    world.untilSteady(controller, 'ns/web');
    rollOut(world);
    world.untilSteady(controller, 'ns/web');
    expect(readyOf(world)).toMatchObject({ reason: 'OldTemplateKept' });
    return { world, controller };
  }
});

describe('a child that an old operator wrote since Atoll did', () => {
  test.each([
    ['with a template that Atoll had changed', 'web:2', podSpec],
    ['with the template of the first take-over', 'web:1', podSpec],
    ['without placement of its own', 'web:2', { containers: podSpec.containers }],
  ])('%s keeps its pods', (_title, image, given) => {
    const { world, controller } = left({ revision }, [maker], given);
    world.untilSteady(controller, 'ns/web');
    editPods(world, (spec) => ({ ...spec, containers: [{ name: 'web', image }] }));
    world.untilSteady(controller, 'ns/web');
    rewrite(world, 'web-6e5a9d');
    const before = pods(world);
    world.untilSteady(controller, 'ns/web');
    expect(pods(world)).toEqual(before);
    const { plan } = world.reconcile(controller, 'ns/web');
    expect(plan.stages).toEqual([]);
    expect(plan.holds.filter(({ bad }) => bad)).toEqual([]);
    expect(childIn(world, 'hz')?.metadata.managedFields?.map(({ manager }) => manager)).toEqual(['atoll']);
  });

  test('with a template that was edited under the old operator keeps its pods', () => {
    const { world, controller } = left({ revision }, [maker]);
    world.untilSteady(controller, 'ns/web');
    editPods(world, (spec) => ({ ...spec, containers: [{ name: 'web', image: 'web:2' }] }));
    rewrite(world, 'web-6e5a9d');
    const before = pods(world);
    world.untilSteady(controller, 'ns/web');
    expect(pods(world)).toEqual(before);
  });

  test('is kept as it is where it was put back there', () => {
    const { world, controller } = left({ revision }, [maker]);
    world.untilSteady(controller, 'ns/web');
    rewrite(world, 'web-6e5a9d', putBack);
    const before = pods(world);
    world.untilSteady(controller, 'ns/web');
    rollOut(world);
    world.untilSteady(controller, 'ns/web');
    expect(pods(world)).toEqual(before);
    expect(readyOf(world)).toMatchObject({ reason: 'OldTemplateKept' });
    editPods(world, (spec) => ({ ...spec, containers: [{ name: 'web', image: 'web:3' }] }));
    world.untilSteady(controller, 'ns/web');
    expect(images(world)).toEqual(['web:3', 'web:3']);
  });

  test('is repaired as ever where somebody else wrote it', () => {
    const { world, controller } = left({ revision }, [maker]);
    world.untilSteady(controller, 'ns/web');
    editPods(world, (spec) => ({ ...spec, containers: [{ name: 'web', image: 'web:2' }] }));
    world.untilSteady(controller, 'ns/web');
    editChildren(world, ({ template }) => ({
      template: { ...template, spec: { ...template?.spec, ...earlier } },
    }));
    world.untilSteady(controller, 'ns/web');
    expect(images(world)).toEqual(['web:2', 'web:2']);
  });

  /** The old operator renders the present template, as an update: what it does not know of the metadata stays. */
  function rewrite(world: FreshWorld, name: string, spec: object = {}): void {
    const owner = world.get(yurtAppDaemons, webKey);
    world.put(controllerRevisions, oldRevision(owner, name, 9));
    for (const pool of [hz, bj]) {
      const live = childIn(world, pool.metadata.name) as Stored<Deployment>;
      const wanted = oldChild({ owner, pool, suffix: 'x7k2p', revision: name, spec });
      const { namespace = '' } = live.metadata;
      world.edit(deployments, { namespace, name: live.metadata.name }, (found) => ({
        ...found,
        metadata: {
          ...found.metadata,
          labels: { ...found.metadata.labels, ...wanted.metadata.labels },
          annotations: { ...found.metadata.annotations, ...wanted.metadata.annotations },
          managedFields: [ours, byOldOperator],
        },
        spec: wanted.spec,
      }));
    }
  }
});

describe('a child of ours', () => {
  test('is not written for another form of the same tolerations, nor for a label that others put on its pods', () => {
    const stated = [
      { key: 'k', operator: 'Equal', value: 'v' },
      { key: 'l', operator: 'Exists' },
    ];
    const { world, controller } = left({ revision }, [maker], { ...podSpec, tolerations: stated });
    world.untilSteady(controller, 'ns/web');
    editPods(world, (spec) => ({ ...spec, containers: [{ name: 'web', image: 'web:2' }] }));
    world.untilSteady(controller, 'ns/web');
    const before = pods(world);
    const shorter = [
      { key: 'l', operator: 'Exists' },
      { key: 'k', value: 'v' },
    ];
    editPods(world, (spec) => ({ ...spec, tolerations: shorter }));
    world.untilSteady(controller, 'ns/web');
    expect(pods(world)).toEqual(before);
    editChildren(world, ({ template }) => {
      const { metadata } = template ?? {};
      const label = { [labels.controllerRevisionHash]: 'other' };
      return {
        template: { ...template, metadata: { ...metadata, labels: { ...metadata?.labels, ...label } } },
      };
    });
    const relabelled = pods(world);
    world.untilSteady(controller, 'ns/web');
    expect(pods(world)).toEqual(relabelled);
  });
});

/** Everything of the children that a pod is made of, and how many. */
function pods(world: FreshWorld): unknown {
  return [templates(world), replicas(world)];
}

function images(world: FreshWorld): unknown {
  return world.list(deployments).map(({ spec }) => spec?.template.spec?.containers[0]?.image);
}

function replicas(world: FreshWorld): unknown {
  return world.list(deployments).map(({ spec }) => spec?.replicas);
}

function annotate(world: FreshWorld, name: string): void {
  world.edit(yurtAppDaemons, webKey, (found) => ({
    ...found,
    metadata: { ...found.metadata, annotations: { [name]: 'true' } },
  }));
}

function editChildren(world: FreshWorld, change: (spec: NonNullable<Deployment['spec']>) => object): void {
  for (const { metadata } of world.list(deployments)) {
    const { namespace = '', name } = metadata;
    world.edit(deployments, { namespace, name }, (found) => ({
      ...found,
      spec: { ...found.spec, ...change(found.spec as NonNullable<Deployment['spec']>) },
    }));
  }
}
