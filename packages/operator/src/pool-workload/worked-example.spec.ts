import { beforeEach, describe, expect, test } from 'vitest';
import { annotations, labels, nodePools, yurtAppDaemons } from '@atoll/api';
import { controllerRevisions, deployments } from '@atoll/kube';
import type { Deployment, Stored } from '@atoll/kube';
import type { FreshWorld } from '../../simulation/examples/fresh-world.ts';
import {
  editPods,
  editTemplate,
  rollOut,
  webKey,
  workedExample,
} from '../../simulation/examples/worked-example.ts';
import { childName } from '../children/names.ts';

/** `reference/openyurt.md` 3.5, with our fixes. */
let world: FreshWorld;
let controller: ReturnType<typeof workedExample>['controller'];

beforeEach(() => {
  ({ world, controller } = workedExample());
});

const apart = [{ topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } }];
const terms = { nodeSelectorTerms: [{ matchExpressions: [{ key: 'gpu', operator: 'Exists' }] }] };

describe('the first reconcile', () => {
  test('makes revision 1 in the shape of the old operator, without replicas', () => {
    world.untilSteady(controller, 'ns/web');
    const [revision, ...more] = world.list(controllerRevisions);
    expect(more).toEqual([]);
    const hash = revision?.metadata.name.replace(/^web-/, '');
    expect(revision).toMatchObject({
      metadata: {
        name: `web-${hash}`,
        labels: { app: 'web', 'controller.kubernetes.io/hash': hash },
        ownerReferences: [{ kind: 'YurtAppDaemon', name: 'web', controller: true, blockOwnerDeletion: true }],
      },
      revision: 1,
      data: {
        spec: {
          workloadTemplate: {
            $patch: 'replace',
            deploymentTemplate: { metadata: { labels: { app: 'web' } } },
          },
        },
      },
    });
    expect(JSON.stringify(revision?.data)).not.toContain('replicas');
  });

  test('makes one Deployment for each pool', () => {
    world.untilSteady(controller, 'ns/web');
    const { uid } = world.get(yurtAppDaemons, webKey).metadata;
    const revision = world.list(controllerRevisions)[0]?.metadata.name;
    const child = childOf('hz');
    expect(child).toMatchObject({
      metadata: {
        name: childName({ name: 'web', uid }, 'hz'),
        labels: {
          app: 'web',
          'apps.openyurt.io/pool-name': 'hz',
          'apps.openyurt.io/controller-revision-hash': revision,
        },
        annotations: { 'apps.openyurt.io/ref-nodepool': 'hz' },
        ownerReferences: [{ apiVersion: 'apps.openyurt.io/v1alpha1', uid, controller: true }],
      },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'web', 'apps.openyurt.io/pool-name': 'hz' } },
        template: {
          metadata: {
            labels: {
              app: 'web',
              'apps.openyurt.io/pool-name': 'hz',
              'apps.openyurt.io/controller-revision-hash': revision,
            },
          },
          spec: { nodeSelector: { disk: 'ssd', 'apps.openyurt.io/nodepool': 'hz' } },
        },
      },
    });
    expect(child.spec?.template.spec?.tolerations).toEqual([
      { key: 'k', operator: 'Exists' },
      { key: 'edge', operator: 'Equal', value: 'x', effect: 'NoSchedule' },
    ]);
    expect(childOf('bj').spec?.template.spec?.tolerations).toEqual([{ key: 'k', operator: 'Exists' }]);
    expect(childNames()).toHaveLength(2);
  });

  test('records the event of the old operator, once', () => {
    const [reconciled, ...more] = world.untilSteady(controller, 'ns/web');
    expect(reconciled?.events).toMatchObject([
      {
        type: 'Normal',
        reason: 'Successful CreateWorkload',
        note: 'Create 2 Workload type(Deployment): pools bj, hz',
      },
    ]);
    expect(more.flatMap(({ events }) => events)).toEqual([]);
  });

  test('writes the status of the example, sorted, and reports that it goes on', () => {
    world.reconcile(controller, 'ns/web');
    const revision = world.list(controllerRevisions)[0]?.metadata.name;
    expect(world.get(yurtAppDaemons, webKey).status).toMatchObject({
      observedGeneration: 1,
      templateType: 'Deployment',
      currentRevision: revision,
      updateRevision: revision,
      collisionCount: 0,
      nodepools: ['bj', 'hz'],
    });
    expect(conditions()).toMatchObject({
      WorkLoadProvisioned: 'True ',
      WorkLoadUpdated: 'True ',
      WorkLoadFailure: 'False ',
      Ready: 'False WaitingForReady',
      Progressing: 'True WaitingForReady',
      Degraded: 'False WaitingForReady',
    });
  });

  test('is followed by readiness when the children are available', () => {
    world.untilSteady(controller, 'ns/web');
    rollOut(world);
    const reconciles = world.untilSteady(controller, 'ns/web');
    expect(reconciles).toHaveLength(1);
    expect(conditions()).toMatchObject({
      Ready: 'True RolloutComplete',
      Progressing: 'False RolloutComplete',
      Degraded: 'False RolloutComplete',
    });
    expect(world.get(yurtAppDaemons, webKey).status?.workloadSummary).toEqual(
      ['bj', 'hz'].map((pool) => ({
        availableCondition: 'True',
        replicas: 2,
        readyReplicas: 2,
        workloadName: childOf(pool).metadata.name,
      })),
    );
  });
});

describe('then', () => {
  beforeEach(() => {
    world.untilSteady(controller, 'ns/web');
    rollOut(world);
    world.untilSteady(controller, 'ns/web');
  });

  test.each<readonly [string, object]>([
    ['required node affinity', { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } }],
    [
      'pod anti-affinity alone',
      { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: apart } },
    ],
  ])("the template's own %s stays as it is, beside the pool's term", (_what, affinity) => {
    editPods(world, (spec) => ({ ...spec, affinity }));
    world.untilSteady(controller, 'ns/web');
    expect(childOf('hz').spec?.template.spec).toMatchObject({
      affinity,
      nodeSelector: { disk: 'ssd', [labels.nodePool]: 'hz' },
    });
  });

  test('a taint on bj updates bj alone, and nothing happens when it goes, as with the old operator', () => {
    const before = childOf('hz').metadata.resourceVersion;
    const taint = { key: 'maintenance', effect: 'NoExecute' } as const;
    world.edit(nodePools, { name: 'bj' }, (pool) => ({ ...pool, spec: { taints: [taint] } }));
    const [reconciled] = world.untilSteady(controller, 'ns/web');
    expect(words(reconciled)).toEqual(['apply bj ChildUpdated']);
    expect(childOf('bj').spec?.template.spec?.tolerations?.[1]).toEqual({ ...taint, operator: 'Equal' });
    const tolerating = childOf('bj').metadata.resourceVersion;
    world.edit(nodePools, { name: 'bj' }, (pool) => ({ ...pool, spec: {} }));
    world.untilSteady(controller, 'ns/web');
    expect(childOf('bj').metadata.resourceVersion).toBe(tolerating);
    expect(childOf('hz').metadata.resourceVersion).toBe(before);
    expect(world.list(controllerRevisions)).toHaveLength(1);
  });

  test('a pool that comes to match gets a child, a pool that no longer matches loses it', () => {
    world.put(nodePools, { metadata: { name: 'sh', labels: { tier: 'a' } } });
    expect(words(world.untilSteady(controller, 'ns/web')[0])).toEqual(['create sh ChildCreated']);
    relabel('hz', {});
    const [reconciled] = world.untilSteady(controller, 'ns/web');
    expect(words(reconciled)).toEqual(['delete hz PoolUnselected']);
    expect(reconciled?.events).toMatchObject([{ reason: 'Successful DeleteWorkload' }]);
    expect(world.get(yurtAppDaemons, webKey).status?.nodepools).toEqual(['bj', 'sh']);
  });

  test('a pool that is gone loses its child; one that is being deleted keeps it until then, and gets no other', () => {
    world.remove(nodePools, { name: 'hz' });
    expect(words(world.untilSteady(controller, 'ns/web')[0])).toEqual(['delete hz PoolUnselected']);
    world.edit(nodePools, { name: 'bj' }, (pool) => ({
      ...pool,
      metadata: { ...pool.metadata, finalizers: ['x/y'] },
    }));
    world.remove(nodePools, { name: 'bj' });
    expect(world.untilSteady(controller, 'ns/web')).toEqual([]);
    expect(world.get(yurtAppDaemons, webKey).status?.nodepools).toEqual(['bj']);
    const [child] = world.list(deployments);
    world.remove(deployments, { namespace: 'ns', name: child?.metadata.name ?? '' });
    expect(words(world.untilSteady(controller, 'ns/web')[0])).toEqual([]);
    expect(conditions()).toMatchObject({ Ready: 'True NoPoolsSelected' });
  });

  test('a new image is revision 2 and rolls every pool; currentRevision follows when all are done', () => {
    const first = world.get(yurtAppDaemons, webKey).status?.currentRevision;
    world.now += 60_000;
    editPods(world, (spec) => ({ ...spec, containers: [{ name: 'web', image: 'web:2' }] }));
    const [reconciled] = world.untilSteady(controller, 'ns/web');
    expect(words(reconciled)).toEqual([
      'create - RevisionCreated',
      'apply bj ChildUpdated',
      'apply hz ChildUpdated',
    ]);
    const second = world.get(yurtAppDaemons, webKey).status?.updateRevision;
    // The Deployments still count the pods of before, and nobody has looked at their new spec.
    expect(world.get(yurtAppDaemons, webKey).status?.pools?.map((pool) => pool.updatedReplicas)).toEqual([
      0, 0,
    ]);
    expect(second).not.toBe(first);
    expect(world.get(yurtAppDaemons, webKey).status?.currentRevision).toBe(first);
    expect(childOf('hz').spec?.template.metadata?.labels?.[labels.controllerRevisionHash]).toBe(second);
    expect(childOf('hz').metadata.annotations?.[annotations.startedAt]).toBe('2026-11-01T10:01:00Z');
    rollOut(world, childOf('bj').metadata.name);
    world.untilSteady(controller, 'ns/web');
    expect(world.get(yurtAppDaemons, webKey).status?.currentRevision).toBe(first);
    rollOut(world);
    world.untilSteady(controller, 'ns/web');
    expect(world.get(yurtAppDaemons, webKey).status?.currentRevision).toBe(second);
  });

  test('going back to the old image uses the old revision again', () => {
    const first = world.get(yurtAppDaemons, webKey).status?.currentRevision ?? '';
    editPods(world, (spec) => ({ ...spec, containers: [{ name: 'web', image: 'web:2' }] }));
    world.untilSteady(controller, 'ns/web');
    editPods(world, (spec) => ({ ...spec, containers: [{ name: 'web', image: 'web:1' }] }));
    world.untilSteady(controller, 'ns/web');
    expect(world.list(controllerRevisions)).toHaveLength(2);
    expect(world.get(controllerRevisions, { namespace: 'ns', name: first }).revision).toBe(3);
    expect(childOf('hz').metadata.labels?.[labels.controllerRevisionHash]).toBe(first);
  });

  test.each([
    ['replicas', (spec: object) => ({ ...spec, replicas: 3 })],
    ['the strategy', (spec: object) => ({ ...spec, strategy: { type: 'Recreate' } })],
    ['an explicit default', (spec: object) => withPods(spec, { restartPolicy: 'Always' })],
    ['an empty list', (spec: object) => withPods(spec, { imagePullSecrets: [] })],
  ] as const)('a change of %s replaces no pod', (_what, change) => {
    const before = childOf('hz').spec?.template.metadata?.labels;
    editTemplate(world, change);
    world.untilSteady(controller, 'ns/web');
    expect(childOf('hz').spec?.template.metadata?.labels).toEqual(before);
    expect(world.untilSteady(controller, 'ns/web')).toEqual([]);
  });

  test('scaling makes no revision', () => {
    editTemplate(world, (spec) => ({ ...spec, replicas: 5 }));
    expect(words(world.untilSteady(controller, 'ns/web')[0])).toEqual([
      'apply bj ChildUpdated',
      'apply hz ChildUpdated',
    ]);
    expect(world.list(controllerRevisions)).toHaveLength(1);
    expect(childOf('hz').spec?.replicas).toBe(5);
  });

  test('a change of only the nodepoolSelector makes no revision and leaves the other children alone', () => {
    const before = childOf('bj').metadata.resourceVersion;
    relabel('bj', { tier: 'a', region: 'north' });
    world.edit(yurtAppDaemons, webKey, (found) => ({
      ...found,
      spec: { ...found.spec, nodepoolSelector: { matchLabels: { region: 'north' } } },
    }));
    expect(words(world.untilSteady(controller, 'ns/web')[0])).toEqual(['delete hz PoolUnselected']);
    expect(world.list(controllerRevisions)).toHaveLength(1);
    expect(childOf('bj').metadata.resourceVersion).toBe(before);
  });

  test('a child that somebody deletes comes back', () => {
    world.remove(deployments, keyOfChild('bj'));
    expect(words(world.untilSteady(controller, 'ns/web')[0])).toEqual(['create bj ChildCreated']);
  });

  test('drift on what we set is put back, with the same revision label on the pods', () => {
    const before = childOf('hz').spec;
    world.edit(deployments, keyOfChild('hz'), (found) => withImage(found, 'evil:1'));
    expect(words(world.untilSteady(controller, 'ns/web')[0])).toEqual(['apply hz ChildDrifted']);
    expect(childOf('hz').spec).toEqual(before);
  });

  test('what others add is theirs', () => {
    world.edit(deployments, keyOfChild('hz'), (found) => ({
      ...found,
      metadata: { ...found.metadata, annotations: { ...found.metadata.annotations, 'tool/x': 'y' } },
      spec: { ...found.spec, paused: true },
    }));
    expect(world.untilSteady(controller, 'ns/web').flatMap(words)).toEqual([]);
    expect(childOf('hz')).toMatchObject({
      metadata: { annotations: { 'tool/x': 'y' } },
      spec: { paused: true },
    });
  });

  test('a field that the template loses goes from the children', () => {
    editTemplate(world, (spec) => ({ ...spec, minReadySeconds: 5 }));
    world.untilSteady(controller, 'ns/web');
    expect(childOf('hz').spec?.minReadySeconds).toBe(5);
    editTemplate(world, ({ minReadySeconds: _gone, ...spec }) => spec);
    world.untilSteady(controller, 'ns/web');
    expect(childOf('hz').spec?.minReadySeconds).toBeUndefined();
  });

  test('with the workload itself on its way out nothing is written any more', () => {
    world.edit(yurtAppDaemons, webKey, (found) => ({
      ...found,
      metadata: { ...found.metadata, finalizers: ['x/y'] },
    }));
    world.remove(yurtAppDaemons, webKey);
    world.remove(deployments, keyOfChild('bj'));
    expect(world.untilSteady(controller, 'ns/web')).toEqual([]);
  });
});

test('replicas that the template leaves out are never written', () => {
  ({ world, controller } = workedExample());
  editTemplate(world, ({ replicas: _left, ...spec }) => spec);
  world.untilSteady(controller, 'ns/web');
  expect(childOf('hz').spec?.replicas).toBeUndefined();
  world.edit(deployments, keyOfChild('hz'), (found) => ({ ...found, spec: { ...found.spec, replicas: 7 } }));
  expect(world.untilSteady(controller, 'ns/web')).toHaveLength(0);
  editPods(world, (spec) => ({ ...spec, containers: [{ name: 'web', image: 'web:2' }] }));
  world.untilSteady(controller, 'ns/web');
  expect(childOf('hz').spec?.replicas).toBe(7);
});

function childOf(pool: string): Stored<Deployment> {
  const found = world.list(deployments).find(({ metadata }) => metadata.labels?.[labels.poolName] === pool);
  if (found === undefined) throw new Error(`no child for ${pool}`);
  return found;
}

function keyOfChild(pool: string) {
  return { namespace: 'ns', name: childOf(pool).metadata.name };
}

function childNames(): readonly string[] {
  return world.list(deployments).map(({ metadata }) => metadata.name);
}

function conditions(): Record<string, string> {
  const found = world.get(yurtAppDaemons, webKey).status?.conditions ?? [];
  return Object.fromEntries(found.map(({ type = '', status, reason }) => [type, `${status} ${reason}`]));
}

function relabel(pool: string, poolLabels: Readonly<Record<string, string>>): void {
  world.edit(nodePools, { name: pool }, (found) => ({
    ...found,
    metadata: { ...found.metadata, labels: poolLabels },
  }));
}

function words(reconciled: ReturnType<FreshWorld['reconcile']> | undefined): readonly string[] {
  const steps = reconciled?.plan.stages.flatMap((stage) => stage.steps) ?? [];
  return steps.map((step) => `${step.do} ${step.target ?? '-'} ${step.why.word}`);
}

function withPods(spec: object, fields: object) {
  const { template } = spec as { readonly template: { readonly spec: object } };
  return { ...spec, template: { ...template, spec: { ...template.spec, ...fields } } };
}

function withImage(found: Stored<Deployment>, image: string) {
  return withPodsOf(found, { containers: [{ name: 'web', image }] });
}

function withPodsOf(found: Stored<Deployment>, fields: object) {
  return { ...found, spec: withPods(found.spec ?? {}, fields) };
}
