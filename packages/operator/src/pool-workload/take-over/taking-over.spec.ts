import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  annotations,
  labels,
  nodePools,
  unitedDaemonSets,
  yurtAppDaemons,
  type PoolWorkload,
} from '@atoll/api';
import {
  ApiError,
  controllerOf,
  controllerRevisions,
  deployments,
  normalised,
  type Deployment,
  type KubeObject,
  type Resource,
} from '@atoll/kube';
import type { Finding } from '../../causes/finding.ts';
import type { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import { left, readyOf, revision, templates, withPods } from '../../../simulation/examples/left-example.ts';
import {
  bj,
  childIn,
  editPods,
  editTemplate,
  rollOut,
  webKey,
  workedExample,
} from '../../../simulation/examples/worked-example.ts';
import { createPoolWorkloadController, unitedDaemonSetKind } from '../controller.ts';
import { oldChild, oldRevision, type OldChild } from './old-operator.fixture.ts';

const podWeb = { containers: [{ name: 'web', image: 'web:1' }] };
const byOldOperator = { manager: 'yurt-manager', operation: 'Update' } as const;
const maker = { ...byOldOperator, fieldsV1: { 'f:spec': { 'f:selector': {}, 'f:replicas': {} } } };

describe('a child of the old operator', () => {
  test.each<readonly [string, Partial<OldChild>]>([
    ['as v1.3 leaves it', { revision }],
    ['born under the render webhook, with an empty revision', { revision: '' }],
    ['whose revision is frozen at the first one', { revision: 'web-first' }],
    ['in the pods of which v1.4.0 copied the raw template', { revision, raw: true }],
  ])('%s keeps its name and its pods, and reports it', (_title, shape) => {
    const { world, controller } = left(shape);
    const before = templates(world);
    const reconciles = world.untilSteady(controller, 'ns/web');
    expect(templates(world)).toEqual(before);
    expect(reconciles.flatMap(({ plan }) => plan.stages.map(({ name }) => name))).toEqual(['apply children']);
    rollOut(world);
    world.untilSteady(controller, 'ns/web');
    expect(readyOf(world)).toMatchObject({
      status: 'True',
      message: expect.stringContaining('pods stay as the old operator rendered them'),
    });
    const { plan } = world.reconcile(controller, 'ns/web');
    expect(plan.holds).toMatchObject([{ reason: 'OldRenderingKept', bad: false, targets: ['bj', 'hz'] }]);
    expect(world.list(controllerRevisions).map(({ metadata }) => metadata.name)).toContain(revision);
    expect(world.get(yurtAppDaemons, webKey).status?.updateRevision).toBe(revision);
  });

  test('is rendered rightly with the next change of its pods', () => {
    const { world, controller } = left({ revision });
    world.untilSteady(controller, 'ns/web');
    editTemplate(world, (spec) => ({ ...spec, replicas: 5, minReadySeconds: 3 }));
    const before = templates(world);
    world.untilSteady(controller, 'ns/web');
    expect(templates(world)).toEqual(before);
    expect(world.list(deployments).map(({ spec }) => [spec?.replicas, spec?.minReadySeconds])).toEqual([
      [5, 3],
      [5, 3],
    ]);
    editPods(world, (spec) => ({ ...spec, containers: [{ name: 'web', image: 'web:2' }] }));
    world.untilSteady(controller, 'ns/web');
    expect(childIn(world, 'hz')?.spec?.template.spec).toMatchObject({
      nodeSelector: { disk: 'ssd', [labels.nodePool]: 'hz' },
      tolerations: [
        { key: 'k', operator: 'Exists' },
        { key: 'edge', operator: 'Equal', value: 'x', effect: 'NoSchedule' },
      ],
    });
    expect(world.reconcile(controller, 'ns/web').plan.holds.map(({ reason }) => reason)).not.toContain(
      'OldRenderingKept',
    );
  });

  test('is replaced when its pool gets a taint that its pods do not bear, and only there', () => {
    const { world, controller } = left({ revision });
    world.untilSteady(controller, 'ns/web');
    const before = childIn(world, 'hz')?.spec?.template;
    const taint = { key: 'new', effect: 'NoExecute' } as const;
    world.edit(nodePools, { name: 'bj' }, (pool) => ({ ...pool, spec: { taints: [taint] } }));
    world.untilSteady(controller, 'ns/web');
    expect(childIn(world, 'bj')?.spec?.template.spec?.nodeSelector).toHaveProperty('disk', 'ssd');
    expect(childIn(world, 'hz')?.spec?.template).toEqual(before);
  });

  test('whose image somebody changed by hand gets its own again, and no more than that', () => {
    const { world, controller } = left({ revision });
    world.untilSteady(controller, 'ns/web');
    const before = templates(world);
    world.edit(deployments, { namespace: 'ns', name: 'web-hz-x7k2p' }, (found) => ({
      ...found,
      spec: {
        ...found.spec,
        template: {
          ...found.spec?.template,
          spec: { ...found.spec?.template.spec, containers: [{ name: 'web', image: 'mine' }] },
        },
      },
    }));
    world.untilSteady(controller, 'ns/web');
    expect(templates(world)).toEqual(before);
  });

  test('follows a change of nothing but the placement, made after it was taken over', () => {
    const { world, controller } = left({ revision });
    world.untilSteady(controller, 'ns/web');
    editPods(world, (spec) => ({ ...spec, nodeSelector: { disk: 'hdd' } }));
    world.untilSteady(controller, 'ns/web');
    expect(childIn(world, 'bj')?.spec?.template.spec?.nodeSelector).toEqual({
      disk: 'hdd',
      [labels.nodePool]: 'bj',
    });
  });

  test('is rendered rightly when somebody else changes its placement, for its pods are replaced by that', () => {
    const { world, controller } = left({ revision });
    world.untilSteady(controller, 'ns/web');
    world.edit(deployments, { namespace: 'ns', name: 'web-bj-x7k2p' }, (found) => {
      const spec = { ...found.spec?.template.spec, nodeSelector: { mine: '1', [labels.nodePool]: 'bj' } };
      return { ...found, spec: { ...found.spec, template: { ...found.spec?.template, spec } } };
    });
    world.untilSteady(controller, 'ns/web');
    expect(childIn(world, 'bj')?.spec?.template.spec?.nodeSelector).toMatchObject({ disk: 'ssd' });
  });

  test('is not held back where the user changed only the placement while nobody ran', () => {
    const { world, controller } = left({ revision });
    editPods(world, (spec) => ({ ...spec, nodeSelector: { disk: 'hdd' } }));
    world.untilSteady(controller, 'ns/web');
    expect(childIn(world, 'bj')?.spec?.template.spec?.nodeSelector).toHaveProperty('disk', 'hdd');
  });

  test('is not held back by a crash between the new revision and the child', () => {
    const { world, controller } = left({ revision });
    editPods(world, (spec) => ({ ...spec, nodeSelector: { disk: 'hdd' } }));
    const attempted = 'apply deployments.apps';
    const refusal = {
      fate: 'refused',
      code: 500,
      reason: 'InternalError',
      message: 'away',
      attempted,
    } as const;
    world.refuse = ({ verb }) => (verb === 'apply' ? new ApiError(refusal) : undefined);
    world.reconcile(controller, 'ns/web');
    expect(world.list(controllerRevisions)).toHaveLength(2);
    world.refuse = () => undefined;
    world.untilSteady(controller, 'ns/web');
    expect(childIn(world, 'bj')?.spec?.template.spec?.nodeSelector).toHaveProperty('disk', 'hdd');
  });

  test('is kept where no revision is left that shows whether the template changed', () => {
    const { world, controller } = left({ revision });
    world.remove(controllerRevisions, { namespace: 'ns', name: revision });
    const before = templates(world);
    world.untilSteady(controller, 'ns/web');
    expect(templates(world)).toEqual(before);
  });
});

/** The workload is made anew, and what it had is there without an owner: after `--cascade=orphan`, or a restore that drops owners. */
function makeAnew(world: FreshWorld, as: Resource<PoolWorkload> = yurtAppDaemons): void {
  for (const resource of [deployments, controllerRevisions] as readonly Resource<KubeObject>[]) {
    for (const { metadata } of world.list(resource)) {
      const key = { namespace: 'ns', name: metadata.name };
      world.edit(resource, key, (found) => ({
        ...found,
        metadata: { ...found.metadata, ownerReferences: [] },
      }));
    }
  }
  const { spec } = world.get(yurtAppDaemons, webKey);
  world.remove(yurtAppDaemons as Resource<KubeObject>, webKey);
  world.put(as, { metadata: webKey, spec });
}

describe('a child of the old operator that lost its owner', () => {
  const shapes = [
    ['as v1.3 leaves it', { revision }],
    ['into which v1.4.0 copied the raw template, selector included', { revision, raw: true }],
  ] as const;

  test.each(shapes)('comes back, and its pods stay: %s', (_, shape) => {
    const { world, controller } = left(shape, [maker]);
    const before = templates(world);
    makeAnew(world);
    world.untilSteady(controller, 'ns/web');
    expect(templates(world)).toEqual(before);
    rollOut(world);
    world.untilSteady(controller, 'ns/web');
    expect(readyOf(world)).toMatchObject({ status: 'True' });
  });

  test.each(shapes)('comes back also where it was taken over before: %s', (_, shape) => {
    const { world, controller } = left(shape, [maker]);
    const before = templates(world);
    world.untilSteady(controller, 'ns/web');
    rollOut(world);
    world.untilSteady(controller, 'ns/web');
    makeAnew(world);
    world.untilSteady(controller, 'ns/web');
    expect(templates(world)).toEqual(before);
    expect(readyOf(world)).toMatchObject({ status: 'True' });
  });

  test.each(shapes)('comes back to a UnitedDaemonSet of the same name: %s', (_, shape) => {
    const { world, controller } = left(shape, [maker]);
    world.untilSteady(controller, 'ns/web');
    rollOut(world);
    world.untilSteady(controller, 'ns/web');
    const before = [templates(world), world.list(controllerRevisions).map(({ metadata }) => metadata.uid)];
    makeAnew(world, unitedDaemonSets);
    const other = createPoolWorkloadController(unitedDaemonSetKind, world.readers, world.findings);
    world.untilSteady(other, 'ns/web');
    expect([templates(world), world.list(controllerRevisions).map(({ metadata }) => metadata.uid)]).toEqual(
      before,
    );
    const { uid } = world.get(unitedDaemonSets, webKey).metadata;
    const owners = [...world.list(deployments), ...world.list(controllerRevisions)].map(
      (each) => controllerOf(each as KubeObject)?.uid,
    );
    expect(new Set(owners)).toEqual(new Set([uid]));
  });

  test('comes back once for a pool, and the other one is reported', () => {
    const { world, controller } = left({ revision, raw: true }, [maker]);
    const { metadata, spec } = childIn(world, 'hz') ?? {};
    if (metadata === undefined || spec === undefined) throw new Error('no child');
    const { name: _, uid: __, resourceVersion: ___, ...rest } = metadata;
    world.put(deployments, { metadata: { ...rest, name: 'web-hz-aaaaa' }, spec });
    makeAnew(world);
    world.untilSteady(controller, 'ns/web');
    const owned = world
      .list(deployments)
      .filter(({ metadata: { ownerReferences = [] } }) => ownerReferences.length > 0);
    expect(owned).toHaveLength(2);
    expect(world.list(deployments)).toHaveLength(3);
    const { plan } = world.reconcile(controller, 'ns/web');
    expect(plan.holds).toContainEqual(expect.objectContaining({ reason: 'OrphanLeft', targets: ['hz'] }));
  });
});

describe("a child that the old operator's overrider has changed", () => {
  const changes: readonly (readonly [string, (spec: Spec) => object])[] = [
    ['its image', (spec) => withPodSpec(spec, { containers: [{ name: 'web', image: 'of-this-pool' }] })],
    ['its replicas', (spec) => ({ ...spec, replicas: 7 })],
    [
      'a field that the template does not have',
      (spec) => withPodSpec(spec, { containers: [{ name: 'web', image: 'web:1', env: [{ name: 'POOL' }] }] }),
    ],
    ['its strategy', (spec) => ({ ...spec, strategy: { type: 'Recreate' } })],
  ];

  test.each(changes)('in %s is left alone, and the other is taken over', (_title, change) => {
    const { world, controller } = overridden(change);
    const before = childIn(world, 'hz');
    world.untilSteady(controller, 'ns/web');
    expect(childIn(world, 'hz')).toEqual(before);
    expect(childIn(world, 'bj')?.metadata.annotations).toHaveProperty([annotations.appliedHash]);
    const { plan } = world.reconcile(controller, 'ns/web');
    expect(plan.holds).toMatchObject([
      { reason: 'OverrideKept', bad: true, waitsFor: 'person', targets: ['hz'] },
      { reason: 'OldRenderingKept' },
    ]);
    const { conditions } = world.get(yurtAppDaemons, webKey).status ?? {};
    expect(Object.fromEntries((conditions ?? []).map(({ type, status }) => [type, status]))).toMatchObject({
      Ready: 'False',
      WorkLoadUpdated: 'False',
      WorkLoadFailure: 'True',
    });
    expect(readyOf(world)).toMatchObject({
      reason: 'OverrideKept',
      message: expect.stringMatching(/^hz: .*atoll.dev\/discard-overrides: "true"/),
    });
  });

  test.each(['web:1', 'web:2'])('whose pods fail shows why, beside that it is left alone: %s', (image) => {
    const { world, controller } = overridden((spec) => ({ ...spec, replicas: 7 }));
    world.untilSteady(controller, 'ns/web');
    editPods(world, (spec) => ({ ...spec, containers: [{ name: 'web', image }] }));
    world.untilSteady(controller, 'ns/web');
    const hz = childIn(world, 'hz');
    world.edit(deployments, { namespace: 'ns', name: hz?.metadata.name ?? '' }, (found) => ({
      ...found,
      status: { ...found.status, availableReplicas: 0 },
    }));
    const message = 'container web does not start';
    world.findings.set(hz?.metadata.uid ?? '', { word: 'CrashLoopBackOff', message } as Finding);
    const { plan } = world.reconcile(controller, 'ns/web');
    const ofHz = plan.holds.filter(({ bad, targets }) => bad && targets.includes('hz'));
    expect(ofHz.map(({ reason }) => reason)).toEqual(['CrashLoopBackOff', 'OverrideKept']);
    expect(plan.inspect?.map(({ name }) => name)).toContain(hz?.metadata.name);
    expect(readyOf(world)).toMatchObject({ status: 'False', reason: 'CrashLoopBackOff' });
    expect(readyOf(world)?.message).toContain(message);
    expect(readyOf(world)?.message).toContain('(OverrideKept)');
  });

  test('is marked also where only the workload names the overrider', () => {
    const { world, controller } = overridden((spec) => ({ ...spec, replicas: 7 }), false);
    world.untilSteady(controller, 'ns/web');
    expect(childIn(world, 'hz')?.spec?.replicas).toBe(7);
    const { plan } = world.reconcile(controller, 'ns/web');
    expect(plan.holds).toMatchObject([{ reason: 'OverrideKept', targets: ['hz'] }, {}]);
  });

  test('is brought to the template when a person asks for it', () => {
    const { world, controller } = overridden((spec) => ({ ...spec, replicas: 7 }));
    world.untilSteady(controller, 'ns/web');
    world.edit(yurtAppDaemons, webKey, (found) => ({
      ...found,
      metadata: { ...found.metadata, annotations: { [annotations.discardOverrides]: 'true' } },
    }));
    world.untilSteady(controller, 'ns/web');
    expect(childIn(world, 'hz')?.spec?.replicas).toBe(2);
  });

  test('is an ordinary child once we have applied it, whatever marks the overrider has left', () => {
    const { world, controller } = overridden((spec) => ({ ...spec, replicas: 7 }));
    const discard = (value: string) =>
      world.edit(yurtAppDaemons, webKey, (found) => ({
        ...found,
        metadata: { ...found.metadata, annotations: { [annotations.discardOverrides]: value } },
      }));
    discard('true');
    world.untilSteady(controller, 'ns/web');
    discard('false');
    editTemplate(world, (spec) => ({ ...spec, replicas: 5 }));
    world.untilSteady(controller, 'ns/web');
    expect(childIn(world, 'hz')?.spec?.replicas).toBe(5);
  });

  test('is taken over, with no pod touched, when the template comes to say the same', () => {
    const { world, controller } = overridden((spec) =>
      withPodSpec(spec, { containers: [{ name: 'web', image: 'of-this-pool' }] }),
    );
    world.untilSteady(controller, 'ns/web');
    const before = childIn(world, 'hz')?.spec?.template;
    const { tolerations } = (before?.spec ?? {}) as { readonly tolerations?: unknown };
    editPods(world, () => ({
      tolerations,
      nodeSelector: {},
      containers: [{ name: 'web', image: 'of-this-pool' }],
    }));
    world.untilSteady(controller, 'ns/web');
    expect(childIn(world, 'hz')?.metadata.annotations).toHaveProperty([annotations.appliedHash]);
    expect(childIn(world, 'hz')?.spec?.template).toEqual(before);
  });

  test('is deleted with its pool all the same', () => {
    const { world, controller } = overridden((spec) => ({ ...spec, replicas: 7 }));
    world.untilSteady(controller, 'ns/web');
    world.remove(nodePools, { name: 'hz' });
    world.untilSteady(controller, 'ns/web');
    expect(childIn(world, 'hz')).toBeUndefined();
  });

  test('is an ordinary child where nothing shows an overrider', () => {
    const { world, controller } = left({ revision });
    changeSpec(world, (spec) => ({ ...spec, strategy: { type: 'Recreate' } }), {});
    world.untilSteady(controller, 'ns/web');
    expect(childIn(world, 'hz')?.metadata.annotations).toHaveProperty([annotations.appliedHash]);
  });

  type Spec = NonNullable<Deployment['spec']>;

  function overridden(change: (spec: Spec) => object, poked = true) {
    const { world, controller } = left({ revision });
    const pokes = { [annotations.lastOverrideTime]: '2024-05-01 10:00:00' };
    changeSpec(world, change, poked ? pokes : {});
    world.edit(yurtAppDaemons, webKey, (found) => ({
      ...found,
      status: { currentRevision: revision, templateType: 'Deployment', overriderRef: 'by-pool' },
    }));
    rollOut(world);
    return { world, controller };
  }

  function changeSpec(world: FreshWorld, change: (spec: Spec) => object, marks: object): void {
    world.edit(deployments, { namespace: 'ns', name: 'web-hz-x7k2p' }, (found) => ({
      ...found,
      metadata: { ...found.metadata, annotations: { ...found.metadata.annotations, ...marks } },
      spec: change(found.spec as Spec) as Spec,
    }));
  }

  function withPodSpec(spec: Spec, fields: object): object {
    return { ...spec, template: { ...spec.template, spec: { ...spec.template.spec, ...fields } } };
  }
});

describe('whatever the template, the pool and the generation', () => {
  const required = { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'Exists' }] }] };
  const pods = fc.record(
    {
      nodeSelector: fc.constantFrom({ disk: 'ssd' }, { disk: 'ssd', zone: 'a' }, {}),
      tolerations: fc.subarray([
        { key: 'k', operator: 'Exists' },
        { key: 'edge', value: 'x', effect: 'NoSchedule' },
      ]),
      affinity: fc.constantFrom(
        { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
        { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
      ),
      hostNetwork: fc.boolean(),
    },
    { requiredKeys: [] },
  );
  const taints = fc.subarray([
    { key: 'edge', value: 'x', effect: 'NoSchedule' as const },
    { key: 'l', effect: 'NoExecute' as const },
  ]);
  const shape = fc.record({ raw: fc.boolean(), revision: fc.constantFrom('', revision, 'web-first') });

  test('pods stay as they are, all comes to rest, and the next change is rendered as if there had been nobody', () => {
    fc.assert(
      fc.property(pods, taints, shape, (fields, poolTaints, child) => {
        const pool = { ...bj, spec: { taints: poolTaints } };
        const { world, controller } = left(child, undefined, { ...podWeb, ...fields }, [pool]);
        const before = templates(world);
        world.untilSteady(controller, 'ns/web');
        expect(templates(world)).toEqual(before);
        expect(world.untilSteady(controller, 'ns/web')).toEqual([]);
        const containers = [{ name: 'web', image: 'web:2' }];
        editPods(world, (spec) => ({ ...spec, containers }));
        world.untilSteady(controller, 'ns/web');
        const fresh = workedExample(withPods({ ...podWeb, ...fields, containers }), [pool]);
        fresh.world.untilSteady(fresh.controller, 'ns/web');
        const [ours, theirs] = [world, fresh.world].map((each) => childIn(each, 'bj')?.spec?.template.spec);
        expect(normalised(ours)).toEqual(normalised(theirs));
      }),
      { numRuns: 60 },
    );
  });
});

describe('the owners of fields', () => {
  test('become us before anything else is written, in one patch at the version that was seen', () => {
    const { world, controller } = left({ revision }, [{ manager: 'kubectl', operation: 'Update' }, maker]);
    const [first, second] = world.untilSteady(controller, 'ns/web');
    expect(first?.outcome.results.map(({ step }) => `${step.do} ${step.target} ${step.why.word}`)).toEqual([
      'patch bj ChildTakenOver',
      'patch hz ChildTakenOver',
    ]);
    const [step] = first?.plan.stages[0]?.steps ?? [];
    expect(step).toMatchObject({
      resourceVersion: expect.any(String),
      patch: {
        body: [
          { op: 'test', path: '/metadata/managedFields/1/manager', value: 'yurt-manager' },
          { op: 'replace', path: '/metadata/managedFields/1/manager', value: 'atoll' },
          { op: 'replace', path: '/metadata/managedFields/1/operation', value: 'Apply' },
        ],
      },
    });
    expect(second?.outcome.results.map(({ step: { do: verb } }) => verb)).toEqual(['apply', 'apply']);
  });

  test('of a second old operator become us when all else is done, and what was applied is applied again', () => {
    const ours = { ...maker, manager: 'atoll', operation: 'Apply' } as const;
    const { world, controller } = left({ revision }, [ours, byOldOperator]);
    const verbs = world
      .untilSteady(controller, 'ns/web')
      .map(({ outcome }) => outcome.results.map(({ step }) => step.do));
    expect(verbs).toEqual([
      ['apply', 'apply'],
      ['patch', 'patch'],
      ['apply', 'apply'],
    ]);
    expect(childIn(world, 'hz')?.metadata.managedFields).toEqual([
      { ...byOldOperator, manager: 'atoll', operation: 'Apply' },
    ]);
  });

  test('whose binary is merely called like an old one, and made nothing, stay as they are', () => {
    const ours = { ...maker, manager: 'atoll', operation: 'Apply' } as const;
    const { world, controller } = left({ revision }, [ours, { manager: 'manager', operation: 'Update' }]);
    const verbs = world
      .untilSteady(controller, 'ns/web')
      .flatMap(({ outcome }) => outcome.results.map(({ step }) => step.do));
    expect(verbs).toEqual(['apply', 'apply']);
  });

  test('let go of replicas before an apply that leaves them out', () => {
    const { world, controller } = left({ revision }, [maker]);
    editTemplate(world, ({ replicas: _replicas, ...spec }) => spec);
    const [first] = world.untilSteady(controller, 'ns/web');
    const [step] = first?.plan.stages.find(({ name }) => name === 'change owners of fields')?.steps ?? [];
    expect(step).toHaveProperty(
      'patch.body',
      expect.arrayContaining([
        { op: 'remove', path: '/metadata/managedFields/0/fieldsV1/f:spec/f:replicas' },
      ]),
    );
    const ours = { ...maker, manager: 'atoll', operation: 'Apply' } as const;
    const again = left({ revision }, [ours]);
    editTemplate(again.world, ({ replicas: _replicas, ...spec }) => spec);
    const words = again.world
      .untilSteady(again.controller, 'ns/web')
      .map(({ outcome }) => outcome.results.map(({ step: { why } }) => why.word));
    expect(words).toEqual([
      ['ReplicasReleased', 'ReplicasReleased'],
      ['ChildUpdated', 'ChildUpdated'],
    ]);
  });
});

describe('duplicate children of the old operator', () => {
  test.each([
    ['the one whose pods are available stays, though it is the younger', 0, 2, 'web-bj-young'],
    ['of two that serve the older stays', 2, 2, 'web-bj-old11'],
    ['of two that do not serve the older stays', 0, 0, 'web-bj-old11'],
  ])('%s', (_title, older, younger, stays) => {
    const { world, controller } = left({ revision });
    world.remove(deployments, { namespace: 'ns', name: 'web-bj-x7k2p' });
    const owner = world.get(yurtAppDaemons, webKey);
    for (const [suffix, availableReplicas] of [
      ['old11', older],
      ['young', younger],
    ] as const) {
      world.put(deployments, {
        ...oldChild({ owner, pool: bj, suffix, revision }),
        status: { availableReplicas },
      });
      world.now += 5_000;
    }
    const [reconciled] = world.untilSteady(controller, 'ns/web');
    const gone = reconciled?.plan.stages.flatMap(({ steps }) => steps).filter((step) => step.do === 'delete');
    const why = { word: 'DuplicateChild' };
    expect(gone).toMatchObject([{ target: 'bj', why, resourceVersion: expect.any(String) }]);
    expect(world.list(deployments).map(({ metadata }) => metadata.name)).toEqual([stays, 'web-hz-x7k2p']);
  });

  test.each([
    [
      'the one that runs the template stays, though it is the younger',
      2,
      2,
      'web-bj-young',
      /has the current template/,
    ],
    ['where none is available, the older one stays', 0, 0, 'web-bj-old11', /an older child/],
    ['one that is not available goes, though it has the template', 2, 0, 'web-bj-old11', /an older child/],
    [
      'one that has not all of its pods yet goes, though it has the template',
      2,
      1,
      'web-bj-old11',
      /an older child/,
    ],
    ['the one that is available stays, and has the template', 0, 2, 'web-bj-young', /pods are available/],
  ])('of which one missed the last change: %s', (_title, older, younger, stays, message) => {
    const { world, controller } = left({ revision: 'web-first' });
    world.remove(deployments, { namespace: 'ns', name: 'web-bj-x7k2p' });
    const owner = world.get(yurtAppDaemons, webKey);
    for (const [suffix, availableReplicas, carried] of [
      ['old11', older, 'web-first'],
      ['young', younger, revision],
    ] as const) {
      world.put(deployments, {
        ...oldChild({ owner, pool: bj, suffix, revision: carried }),
        status: { availableReplicas, observedGeneration: 1 },
      });
      world.now += 5_000;
    }
    const [reconciled] = world.untilSteady(controller, 'ns/web');
    const gone = reconciled?.plan.stages.flatMap(({ steps }) => steps).filter((step) => step.do === 'delete');
    const why = { word: 'DuplicateChild', message: expect.stringMatching(message) };
    expect(gone).toMatchObject([{ target: 'bj', why, resourceVersion: expect.any(String) }]);
    expect(world.list(deployments).map(({ metadata }) => metadata.name)).toEqual([stays, 'web-hz-x7k2p']);
  });

  test('of which the one with the template has too few replicas: the older stays, with more pods', () => {
    const { world, controller } = left({ revision: 'web-first' });
    world.remove(deployments, { namespace: 'ns', name: 'web-bj-x7k2p' });
    const owner = world.get(yurtAppDaemons, webKey);
    for (const [suffix, replicas, carried] of [
      ['old11', 2, 'web-first'],
      ['young', 1, revision],
    ] as const) {
      world.put(deployments, {
        ...oldChild({ owner, pool: bj, suffix, revision: carried, spec: { replicas } }),
        status: { availableReplicas: replicas, observedGeneration: 1 },
      });
      world.now += 5_000;
    }
    world.untilSteady(controller, 'ns/web');
    const names = world.list(deployments).map(({ metadata }) => metadata.name);
    expect(names).toEqual(['web-bj-old11', 'web-hz-x7k2p']);
  });

  test('whose revisions differ and mean the same are of one template: the older stays', () => {
    const { world, controller } = left({ revision });
    world.remove(deployments, { namespace: 'ns', name: 'web-bj-x7k2p' });
    const owner = world.get(yurtAppDaemons, webKey);
    world.put(controllerRevisions, oldRevision(owner, 'web-same', 1));
    for (const [suffix, carried] of [
      ['old11', 'web-same'],
      ['young', revision],
    ] as const) {
      world.put(deployments, {
        ...oldChild({ owner, pool: bj, suffix, revision: carried }),
        status: { availableReplicas: 2 },
      });
      world.now += 5_000;
    }
    world.untilSteady(controller, 'ns/web');
    const names = world.list(deployments).map(({ metadata }) => metadata.name);
    expect(names).toEqual(['web-bj-old11', 'web-hz-x7k2p']);
  });
});
