import { describe, expect, test } from 'vitest';
import { annotations, labels, nodePools, yurtAppDaemons, type PoolWorkload } from '@atoll/api';
import { controllerRevisions, deployments, keyOf, statefulSets, type ApiError } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import type { Deployment, KubeObject, Resource, Stored } from '@atoll/kube';
import type { FreshWorld, Reconciled } from '../../simulation/examples/fresh-world.ts';
import { slotOf } from '../../simulation/model/store.ts';
import {
  childIn,
  editPods,
  editTemplate,
  hz,
  podSpec,
  rollOut,
  web,
  webKey,
  workedExample,
} from '../../simulation/examples/worked-example.ts';
import { childName } from '../children/names.ts';

describe('a pool that cannot be read', () => {
  test('keeps its child, which goes when the pool is gone', () => {
    const { world, controller } = steady();
    world.hidden.add(slotOf(nodePools, { name: 'bj' }));
    world.untilSteady(controller, 'ns/web');
    expect(childIn(world, 'bj')).toBeDefined();
    world.hidden.clear();
    world.remove(nodePools, { name: 'bj' });
    world.untilSteady(controller, 'ns/web');
    expect(childIn(world, 'bj')).toBeUndefined();
  });
});

describe('a pool that is refused', () => {
  test('stops no other, shows in every condition that is about it, and clears by itself', () => {
    const { world, controller } = workedExample();
    world.refuse = (operation) => refusesPool(operation, 'bj', invalid());
    world.reconcile(controller, 'ns/web');
    expect(childIn(world, 'hz')).toBeDefined();
    expect(childIn(world, 'bj')).toBeUndefined();
    rollOut(world);
    world.reconcile(controller, 'ns/web');
    expect(conditions(world)).toEqual({
      WorkLoadProvisioned: 'False Error',
      WorkLoadUpdated: 'False ',
      WorkLoadFailure: 'True Error',
      Ready: 'False ChildRefused',
      Progressing: 'False ChildRefused',
      Degraded: 'True ChildRefused',
      Stalled: 'True ChildRefused',
    });
    expect(messageOf(world, 'Ready')).toBe(
      'bj: create deployments.apps: spec.template.spec.containers[0].image: Required value',
    );
    expect(world.reconcile(controller, 'ns/web').statusWritten).toBe(false);

    world.refuse = () => undefined;
    world.untilSteady(controller, 'ns/web');
    rollOut(world);
    world.untilSteady(controller, 'ns/web');
    expect(conditions(world)).toMatchObject({
      WorkLoadProvisioned: 'True ',
      WorkLoadFailure: 'False ',
      Ready: 'True RolloutComplete',
    });
    expect(conditions(world)['Stalled']).toBeUndefined();
  });

  test('by a quota becomes Degraded and Stalled only when it has lasted a minute', () => {
    const { world, controller } = workedExample();
    world.refuse = (operation) => refusesPool(operation, 'bj', forbidden());
    world.reconcile(controller, 'ns/web');
    rollOut(world);
    world.reconcile(controller, 'ns/web');
    expect(conditions(world)).toMatchObject({
      WorkLoadFailure: 'True Error',
      Degraded: 'False ChildRefused',
    });
    expect(conditions(world)['Stalled']).toBeUndefined();
    expect(world.reconcile(controller, 'ns/web').plan.requeueAt).toBe(world.now + 60_000);
    world.now += 60_000;
    world.reconcile(controller, 'ns/web');
    expect(conditions(world)).toMatchObject({ Degraded: 'True ChildRefused', Stalled: 'True ChildRefused' });
  });

  test('to update keeps its old child and shows in WorkLoadUpdated', () => {
    const { world, controller } = steady();
    world.refuse = (operation) =>
      operation.verb === 'apply' ? refusesPool(operation, 'bj', invalid()) : undefined;
    editPods(world, (spec) => ({ ...spec, containers: [{ name: 'web', image: 'web:2' }] }));
    const reconciled = world.reconcile(controller, 'ns/web');
    expect(reconciled.outcome.results.map(({ step, did }) => `${step.target ?? '-'} ${did}`)).toEqual([
      '- done',
      'bj failed',
      'hz done',
    ]);
    expect(conditions(world)).toMatchObject({ WorkLoadProvisioned: 'True ', WorkLoadUpdated: 'False Error' });
    const refused = reconciled.outcome.results.find(({ did }) => did === 'failed');
    expect(refused?.step.eventReason).toBe('Failed UpdateWorkload');
  });

  test('because of a typo is Stalled at once', () => {
    const { world, controller } = workedExample();
    const message =
      'failed to create typed patch object: .spec.template.spec.imagee: field not declared in schema';
    const typo = refusalOf(400, 'apply', message);
    world.refuse = (operation) => (operation.resource.kind === 'Deployment' ? typo : undefined);
    world.reconcile(controller, 'ns/web');
    expect(conditions(world)['Stalled']).toBe('True ChildRefused');
    expect(messageOf(world, 'Stalled')).toContain('.spec.template.spec.imagee');
  });

  test('as a whole because its revision is refused gets no child of it', () => {
    const { world, controller } = workedExample();
    world.refuse = (operation) =>
      operation.resource.kind === 'ControllerRevision' ? forbidden() : undefined;
    world.reconcile(controller, 'ns/web');
    expect(world.list(deployments)).toEqual([]);
    expect(conditions(world)).toMatchObject({
      Ready: 'False RevisionRefused',
      WorkLoadFailure: 'True Error',
      // Nothing goes on: no child is made before the revision is there.
      Progressing: 'False RevisionRefused',
    });
  });
});

describe('what is uncertain deletes nothing', () => {
  test.each(['nodePools', 'deployments', 'statefulSets', 'controllerRevisions'] as const)(
    '%s not yet read',
    (name) => {
      const { world, controller } = steady();
      relabelled(world, 'hz');
      world.unsynced.add(name);
      const before = world.get(yurtAppDaemons, webKey).status;
      const reconciled = world.reconcile(controller, 'ns/web');
      expect(words(reconciled)).toEqual([]);
      expect(reconciled.plan.holds.map(({ reason }) => reason)).toEqual(['NotYetObserved']);
      const after = world.get(yurtAppDaemons, webKey).status;
      expect({ ...after, conditions: [] }).toEqual({ ...before, conditions: [] });
      expect(conditions(world)).toMatchObject({
        Ready: 'Unknown NotYetObserved',
        WorkLoadProvisioned: 'True ',
      });
    },
  );

  test.each([
    ['an invalid selector', { matchExpressions: [{ key: 'tier', operator: 'Like', values: ['a'] }] }],
    ['an invalid value', { matchLabels: { tier: 'not valid!' } }],
    ['no selector', undefined],
  ])('%s', (_title, nodepoolSelector) => {
    const { world, controller } = steady();
    respec(world, { nodepoolSelector });
    world.untilSteady(controller, 'ns/web');
    expect(world.list(deployments)).toHaveLength(2);
    expect(world.get(yurtAppDaemons, webKey).status).toMatchObject({
      nodepools: ['bj', 'hz'],
      observedGeneration: 2,
    });
    expect(conditions(world)).toMatchObject({
      Ready: 'False InvalidSelector',
      Stalled: 'True InvalidSelector',
      WorkLoadFailure: 'True Error',
    });
    expect(messageOf(world, 'Ready')).toContain('spec.nodepoolSelector');
  });

  test.each([
    ['no template', {}],
    [
      'two templates',
      { deploymentTemplate: { spec: { template: {} } }, statefulSetTemplate: { spec: { template: {} } } },
    ],
  ])('%s', (_title, workloadTemplate) => {
    const { world, controller } = steady();
    respec(world, { workloadTemplate });
    world.untilSteady(controller, 'ns/web');
    expect(world.list(deployments)).toHaveLength(2);
    expect(conditions(world)).toMatchObject({
      Ready: 'False InvalidTemplate',
      Stalled: 'True InvalidTemplate',
    });
  });
});

describe('a name that is taken', () => {
  test('by a stranger is a hold that names the stranger, and nothing is touched', () => {
    const { world, controller } = workedExample();
    const name = nameIn(world, 'hz');
    const stranger = world.put(deployments, {
      ...bare(name),
      metadata: { name, namespace: 'ns', labels: { app: 'web', [labels.poolName]: 'hz' } },
    });
    world.untilSteady(controller, 'ns/web');
    expect(world.get(deployments, { namespace: 'ns', name })).toEqual(stranger);
    expect(conditions(world)).toMatchObject({ Ready: 'False NameTaken', WorkLoadFailure: 'True Error' });
    world.remove(deployments, { namespace: 'ns', name });
    expect(words(world.reconcile(controller, 'ns/web'))).toEqual(['create hz ChildCreated']);
  });

  test('by our own child on its way out is waited for, and counts as absent', () => {
    const { world, controller } = steady();
    const key = { namespace: 'ns', name: nameIn(world, 'hz') };
    world.edit(deployments, key, (found) => ({
      ...found,
      metadata: { ...found.metadata, finalizers: ['x/y'] },
    }));
    world.untilSteady(controller, 'ns/web');
    world.remove(deployments, key);
    const reconciles = world.untilSteady(controller, 'ns/web');
    expect(reconciles.flatMap(words)).toEqual([]);
    expect(reconciles[0]?.plan.holds).toMatchObject([{ reason: 'NameTaken', bad: false, targets: ['hz'] }]);
    expect(world.get(yurtAppDaemons, webKey).status?.workloadSummary).toHaveLength(1);
    expect(conditions(world)).toMatchObject({ Ready: 'False NameTaken', Progressing: 'True NameTaken' });
  });
});

describe('two children for one pool', () => {
  test('become the older one', () => {
    const { world, controller } = steady();
    world.now += 5_000;
    const duplicate = world.put(deployments, copyOf(childIn(world, 'hz'), 'aaa-duplicate'));
    const [reconciled] = world.untilSteady(controller, 'ns/web');
    expect(words(reconciled)).toEqual(['delete hz DuplicateChild']);
    expect(reconciled?.plan.stages[0]?.steps[0]).toMatchObject({ uid: duplicate.metadata.uid });
  });

  test('of the same second become the first by name', () => {
    const { world, controller } = steady();
    world.put(deployments, copyOf(childIn(world, 'hz'), 'aaa-duplicate'));
    world.untilSteady(controller, 'ns/web');
    expect(childIn(world, 'hz')?.metadata.name).toBe('aaa-duplicate');
  });
});

describe('an owned object', () => {
  test('that only looks like ours is not ours', () => {
    const { world, controller } = steady();
    const { ownerReferences: _none, uid: _uid, ...metadata } = childIn(world, 'hz')?.metadata ?? { name: '' };
    const lookalike = world.put(deployments, {
      metadata: { ...metadata, name: 'lookalike' },
      spec: { selector: {}, template: {} },
    });
    relabelled(world, 'hz');
    world.untilSteady(controller, 'ns/web');
    expect(world.get(deployments, { namespace: 'ns', name: 'lookalike' })).toEqual(lookalike);
  });

  test('in another namespace is left to the garbage collector', () => {
    const { world, controller } = steady();
    const child = copyOf(childIn(world, 'hz'), 'abroad');
    world.put(deployments, { ...child, metadata: { ...child.metadata, namespace: 'other' } });
    expect(world.untilSteady(controller, 'ns/web')).toEqual([]);
  });

  test('that lost its labels and annotations is still the child of its pool', () => {
    const { world, controller } = steady();
    const key = { namespace: 'ns', name: nameIn(world, 'hz') };
    world.edit(deployments, key, (found) => ({
      ...found,
      metadata: { ...found.metadata, labels: {}, annotations: {} },
    }));
    const reconciles = world.untilSteady(controller, 'ns/web');
    expect(reconciles.flatMap(words)).toEqual(['apply hz ChildUpdated']);
    expect(childIn(world, 'hz')?.metadata.annotations?.[annotations.refNodePool]).toBe('hz');
  });
});

describe('a template of the other kind', () => {
  const statefulSetTemplate = {
    metadata: { labels: { app: 'web' } },
    spec: {
      replicas: 1,
      serviceName: 'web',
      template: { metadata: { labels: { app: 'web' } }, spec: podSpec },
    },
  };

  test('is a StatefulSet in every pool', () => {
    const { world, controller } = workedExample({
      ...web,
      spec: { ...web.spec, workloadTemplate: { statefulSetTemplate } },
    });
    world.untilSteady(controller, 'ns/web');
    rollOut(world);
    world.untilSteady(controller, 'ns/web');
    expect(world.list(statefulSets)).toHaveLength(2);
    expect(world.get(yurtAppDaemons, webKey).status?.templateType).toBe('StatefulSet');
    expect(conditions(world)['Ready']).toBe('True RolloutComplete');
  });

  test('replaces each old child when the new one is available, and not before', () => {
    const { world, controller } = steady();
    respec(world, { workloadTemplate: { statefulSetTemplate } });
    world.untilSteady(controller, 'ns/web');
    expect(world.list(deployments)).toHaveLength(2);
    expect(world.list(statefulSets)).toHaveLength(2);
    rollOut(world, nameIn(world, 'hz'));
    expect(words(world.untilSteady(controller, 'ns/web')[0])).toEqual(['delete hz ChildDeleted']);
    expect(conditions(world)).toMatchObject({ Ready: 'False WaitingForReady' });
    rollOut(world);
    world.untilSteady(controller, 'ns/web');
    expect(world.list(deployments)).toEqual([]);
    expect(conditions(world)['Ready']).toBe('True RolloutComplete');
  });

  test('keeps each old child while the pods of the new one are of the template and not available', () => {
    const { world, controller } = steady();
    respec(world, { workloadTemplate: { statefulSetTemplate } });
    world.untilSteady(controller, 'ns/web');
    rollOut(world);
    for (const { metadata } of world.list(statefulSets))
      world.edit(statefulSets, keyOf({ metadata }), (found) => ({
        ...found,
        status: { ...found.status, readyReplicas: 0, availableReplicas: 0 },
      }));
    world.untilSteady(controller, 'ns/web');
    expect(world.list(deployments)).toHaveLength(2);
  });

  test('that is refused in every pool is Stalled, although the old children are to go', () => {
    const { world, controller } = steady();
    world.refuse = ({ resource }) => (resource.kind === 'StatefulSet' ? invalid() : undefined);
    respec(world, { workloadTemplate: { statefulSetTemplate } });
    world.reconcile(controller, 'ns/web');
    expect(world.list(deployments)).toHaveLength(2);
    expect(conditions(world)).toMatchObject({
      Ready: 'False ChildRefused',
      Progressing: 'False ChildRefused',
      Stalled: 'True ChildRefused',
    });
  });

  test('takes over to how many the old child was scaled, and rests on that', () => {
    const { world, controller } = steady();
    const { replicas: _, ...unsized } = web.spec.workloadTemplate.deploymentTemplate?.spec ?? {};
    respec(world, { workloadTemplate: { deploymentTemplate: { spec: unsized } } });
    world.untilSteady(controller, 'ns/web');
    const { name } = childIn(world, 'hz')?.metadata ?? { name: '' };
    world.edit(deployments, { namespace: 'ns', name }, (found) => ({
      ...found,
      spec: { ...found.spec, replicas: 5 } as Deployment['spec'],
    }));
    rollOut(world);
    const { replicas: __, ...spec } = statefulSetTemplate.spec;
    respec(world, { workloadTemplate: { statefulSetTemplate: { ...statefulSetTemplate, spec } } });
    const [reconciled] = world.untilSteady(controller, 'ns/web');
    const creates = reconciled?.plan.stages
      .flatMap(({ steps }) => steps)
      .filter(({ do: does }) => does === 'create');
    expect(creates?.find(({ target }) => target === 'hz')).toMatchObject({
      object: { spec: { replicas: 5 } },
      restsOn: [
        { key: { name }, generation: world.get(deployments, { namespace: 'ns', name }).metadata.generation },
      ],
    });
  });

  test('and back again before the new child was available leaves no orphan', () => {
    const { world, controller } = steady();
    respec(world, { workloadTemplate: { statefulSetTemplate } });
    world.untilSteady(controller, 'ns/web');
    respec(world, { workloadTemplate: web.spec.workloadTemplate });
    world.untilSteady(controller, 'ns/web');
    rollOut(world);
    world.untilSteady(controller, 'ns/web');
    expect(world.list(statefulSets)).toEqual([]);
    expect(world.list(deployments)).toHaveLength(2);
  });
});

describe('pools', () => {
  test('of which none is selected are no error', () => {
    const { world, controller } = workedExample(web, []);
    const [reconciled] = world.untilSteady(controller, 'ns/web');
    expect(reconciled?.plan.holds).toMatchObject([{ reason: 'NoPoolsSelected', bad: false }]);
    expect(conditions(world)).toMatchObject({
      Ready: 'True NoPoolsSelected',
      Progressing: 'False NoPoolsSelected',
      Degraded: 'False NoPoolsSelected',
    });
    expect(world.list(controllerRevisions)).toHaveLength(1);
  });

  test('that are being deleted are waited for only where they have no child', () => {
    const { world, controller } = steady();
    world.edit(nodePools, { name: 'bj' }, (found) => ({
      ...found,
      metadata: { ...found.metadata, finalizers: ['x/y'] },
    }));
    world.remove(nodePools, { name: 'bj' });
    world.untilSteady(controller, 'ns/web');
    expect(childIn(world, 'bj')).toBeDefined();
    expect(world.reconcile(controller, 'ns/web').plan.holds).toEqual([]);
  });

  test('without nodes get their child, and the status shows what it waits for', () => {
    const empty = { ...hz, status: { readyNodeNum: 0, unreadyNodeNum: 0, nodes: [] } };
    const { world, controller } = workedExample(web, [empty]);
    world.untilSteady(controller, 'ns/web');
    expect(world.list(deployments)).toHaveLength(1);
    expect(conditions(world)).toMatchObject({
      Ready: 'False WaitingForNodes',
      Progressing: 'True WaitingForNodes',
    });
    expect(messageOf(world, 'Ready')).toContain('waiting until a node joins it');
  });

  test('without nodes wait for them, also when their Deployment has given up; refused pods are trouble there too', () => {
    const empty = { ...hz, status: { readyNodeNum: 0, unreadyNodeNum: 0, nodes: [] } };
    const { world, controller } = workedExample(web, [empty]);
    world.untilSteady(controller, 'ns/web');
    const report = (...found: readonly object[]): void =>
      world.edit(deployments, keyOf(onlyChild(world)), (child) => ({
        ...child,
        status: { observedGeneration: child.metadata.generation ?? 0, conditions: found },
      }));
    report({
      type: 'Progressing',
      status: 'False',
      reason: 'ProgressDeadlineExceeded',
      message: 'timed out',
    });
    world.untilSteady(controller, 'ns/web');
    expect(conditions(world)).toMatchObject({
      Ready: 'False WaitingForNodes',
      Degraded: 'False WaitingForNodes',
      WorkLoadFailure: 'False ',
    });
    report({ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'exceeded quota' });
    world.untilSteady(controller, 'ns/web');
    expect(conditions(world)).toMatchObject({
      Ready: 'False QuotaExceeded',
      WorkLoadFailure: 'True Error',
    });
  });

  test('that are all updated make the revision current, also where one has no nodes for its pods', () => {
    const empty = { ...hz, status: { readyNodeNum: 0, unreadyNodeNum: 0, nodes: [] } };
    const { world, controller } = workedExample(web, [empty]);
    world.untilSteady(controller, 'ns/web');
    editPods(world, (pods) => ({ ...pods, priority: 7 }));
    world.untilSteady(controller, 'ns/web');
    const statusOf = () => world.get(yurtAppDaemons, webKey).status;
    expect(statusOf()?.currentRevision).not.toBe(statusOf()?.updateRevision);
    world.edit(deployments, keyOf(onlyChild(world)), (child) => ({
      ...child,
      status: { observedGeneration: child.metadata.generation ?? 0, replicas: 2, updatedReplicas: 2 },
    }));
    world.untilSteady(controller, 'ns/web');
    expect(statusOf()?.currentRevision).toBe(statusOf()?.updateRevision);
    expect(conditions(world)['Ready']).toBe('False WaitingForNodes');
  });

  test('whose StatefulSet leaves old pods to people report it', () => {
    const statefulSetTemplate = {
      metadata: web.spec.workloadTemplate?.deploymentTemplate?.metadata,
      spec: { ...web.spec.workloadTemplate?.deploymentTemplate?.spec, updateStrategy: { type: 'OnDelete' } },
    };
    const spec = { ...web.spec, workloadTemplate: { statefulSetTemplate } } as typeof web.spec;
    const { world, controller } = workedExample({ ...web, spec }, [hz]);
    world.untilSteady(controller, 'ns/web');
    const [child] = world.list(statefulSets);
    if (child === undefined) throw new Error('no StatefulSet');
    const counts = { replicas: 2, readyReplicas: 2, availableReplicas: 2 };
    const status = { ...counts, updatedReplicas: 0, observedGeneration: child.metadata.generation ?? 0 };
    world.edit(statefulSets, keyOf(child), (found) => ({ ...found, status }));
    world.untilSteady(controller, 'ns/web');
    expect(conditions(world)).toMatchObject({ Ready: 'False WaitingForDeletion' });
    expect(messageOf(world, 'Ready')).toContain(
      '2 pods run an older template, and the update strategy is OnDelete. Delete them',
    );
  });

  test('with a name that no node can carry get no child, and the status names it', () => {
    const long = { metadata: { name: 'x'.repeat(64), labels: { tier: 'a' } } };
    const { world, controller } = workedExample(web, [hz, long]);
    world.untilSteady(controller, 'ns/web');
    expect(world.list(deployments)).toHaveLength(1);
    expect(conditions(world)['Ready']).toBe('False PoolNameTooLong');
  });

  test('whose child is stuck show the message of its controller', () => {
    const { world, controller } = steady();
    const late = {
      type: 'Progressing',
      status: 'False',
      reason: 'ProgressDeadlineExceeded',
      message: 'timed out',
    };
    world.edit(deployments, { namespace: 'ns', name: nameIn(world, 'hz') }, (found) => ({
      ...found,
      status: { ...found.status, availableReplicas: 0, conditions: [late] },
    }));
    world.untilSteady(controller, 'ns/web');
    expect(conditions(world)).toMatchObject({
      Ready: 'False ProgressDeadlineExceeded',
      WorkLoadFailure: 'True Error',
    });
    expect(messageOf(world, 'Ready')).toBe('hz: timed out');
  });
});

describe('the history', () => {
  test('keeps the limit and whatever something still runs', () => {
    const { world, controller } = steady();
    respec(world, { revisionHistoryLimit: 1 });
    for (const image of ['web:2', 'web:3', 'web:4']) {
      editPods(world, (spec) => ({ ...spec, containers: [{ name: 'web', image }] }));
      world.untilSteady(controller, 'ns/web');
    }
    const { currentRevision, updateRevision } = world.get(yurtAppDaemons, webKey).status ?? {};
    const names = world.list(controllerRevisions).map(({ metadata }) => metadata.name);
    expect(names).toContain(currentRevision);
    expect(names).toContain(updateRevision);
    expect(names).toHaveLength(2);
    rollOut(world);
    world.untilSteady(controller, 'ns/web');
    expect(world.list(controllerRevisions)).toHaveLength(1);
  });

  test.each([
    { limit: 0, kept: 1 },
    { limit: 1, kept: 1 },
    { limit: 2, kept: 2 },
    { limit: 3, kept: 3 },
    { limit: 10, kept: 4 },
  ])('with a limit of $limit keeps $kept of 4 revisions, the one in use included', ({ limit, kept }) => {
    const { world, controller } = steady();
    respec(world, { revisionHistoryLimit: limit });
    for (const image of ['web:2', 'web:3', 'web:4']) {
      editPods(world, (spec) => ({ ...spec, containers: [{ name: 'web', image }] }));
      world.untilSteady(controller, 'ns/web');
      rollOut(world);
      world.untilSteady(controller, 'ns/web');
    }
    const numbers = world.list(controllerRevisions).map(({ revision }) => revision);
    expect(numbers.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4].slice(-kept));
  });

  test('steps aside where its name is taken, and counts it', () => {
    const { world, controller } = workedExample();
    world.reconcile(controller, 'ns/web');
    const [revision] = world.list(controllerRevisions);
    const again = workedExample();
    const { name = '' } = revision?.metadata ?? {};
    again.world.put(controllerRevisions, { metadata: { name, namespace: 'ns' }, revision: 1 });
    again.world.untilSteady(again.controller, 'ns/web');
    expect(again.world.get(yurtAppDaemons, webKey).status).toMatchObject({ collisionCount: 1 });
    expect(again.world.list(controllerRevisions)).toHaveLength(2);
    rollOut(again.world);
    again.world.untilSteady(again.controller, 'ns/web');
    expect(again.world.list(controllerRevisions)).toHaveLength(2);
  });

  test('of the old operator is used on: same names, same labels on pods', () => {
    const { world, controller } = workedExample();
    const { uid } = world.get(yurtAppDaemons, webKey).metadata;
    const owner = {
      apiVersion: 'apps.openyurt.io/v1alpha1',
      kind: 'YurtAppDaemon',
      name: 'web',
      uid,
      controller: true,
    };
    world.put(controllerRevisions, {
      metadata: { name: 'web-oldhash', namespace: 'ns', ownerReferences: [owner] },
      revision: 4,
      data: { spec: { workloadTemplate: { $patch: 'replace', ...web.spec.workloadTemplate } } },
    });
    world.untilSteady(controller, 'ns/web');
    expect(world.list(controllerRevisions).map(({ metadata }) => metadata.name)).toEqual(['web-oldhash']);
    expect(childIn(world, 'hz')?.spec?.template.metadata?.labels?.[labels.controllerRevisionHash]).toBe(
      'web-oldhash',
    );
  });

  test("keeps the old operator's child, its name and its pods' label", () => {
    const { world, controller } = steady();
    const { metadata, spec } = childIn(world, 'hz') ?? {};
    const key = { namespace: 'ns', name: nameIn(world, 'hz') };
    const { template } = spec ?? {};
    world.remove(deployments, key);
    const podLabels = { ...template?.metadata?.labels, [labels.controllerRevisionHash]: 'web-before' };
    world.put(deployments, {
      ...bare('web-hz-x7k2p'),
      metadata: {
        name: 'web-hz-x7k2p',
        namespace: 'ns',
        labels: { ...metadata?.labels, [labels.controllerRevisionHash]: 'web-before' },
        annotations: { [annotations.refNodePool]: 'hz' },
        ownerReferences: metadata?.ownerReferences ?? [],
      },
      spec: {
        ...spec,
        selector: spec?.selector ?? {},
        template: { ...template, metadata: { labels: podLabels } },
      },
    });
    expect(words(world.untilSteady(controller, 'ns/web')[0])).toEqual(['apply hz ChildUpdated']);
    const child = childIn(world, 'hz');
    expect(child?.metadata.name).toBe('web-hz-x7k2p');
    expect(child?.spec?.template.metadata?.labels).toEqual(podLabels);
    editTemplate(world, (found) => ({ ...found, replicas: 9 }));
    world.untilSteady(controller, 'ns/web');
    expect(childIn(world, 'hz')?.spec?.template.metadata?.labels).toEqual(podLabels);
  });
});

function steady() {
  const { world, controller } = workedExample();
  world.untilSteady(controller, 'ns/web');
  rollOut(world);
  world.untilSteady(controller, 'ns/web');
  return { world, controller };
}

function respec(world: FreshWorld, fields: object): void {
  world.edit(yurtAppDaemons, webKey, (found) => ({
    ...found,
    spec: { ...found.spec, ...fields } as PoolWorkload['spec'],
  }));
}

function relabelled(world: FreshWorld, pool: string): void {
  world.edit(nodePools, { name: pool }, (found) => ({
    ...found,
    metadata: { ...found.metadata, labels: {} },
  }));
}

function nameIn(world: FreshWorld, pool: string): string {
  return childName(world.get(yurtAppDaemons, webKey).metadata, pool);
}

function bare(name: string): Deployment {
  return { metadata: { name, namespace: 'ns' }, spec: { selector: {}, template: {} } };
}

function copyOf(child: Stored<Deployment> | undefined, name: string): Deployment {
  if (child === undefined) throw new Error('no child to copy');
  const { uid: _uid, ...metadata } = child.metadata;
  return { ...child, metadata: { ...metadata, name } };
}

function conditions(world: FreshWorld): Record<string, string> {
  const found = world.get(yurtAppDaemons, webKey).status?.conditions ?? [];
  return Object.fromEntries(found.map(({ type = '', status, reason }) => [type, `${status} ${reason}`]));
}

function messageOf(world: FreshWorld, type: string): string | undefined {
  return world.get(yurtAppDaemons, webKey).status?.conditions?.find((each) => each.type === type)?.message;
}

function onlyChild(world: FreshWorld): Stored<Deployment> {
  const [child] = world.list(deployments);
  if (child === undefined) throw new Error('no child');
  return child;
}

function words(reconciled: Reconciled | undefined): readonly string[] {
  const steps = reconciled?.plan.stages.flatMap((stage) => stage.steps) ?? [];
  return steps.map((step) => `${step.do} ${step.target ?? '-'} ${step.why.word}`);
}

function refusesPool(
  operation: { readonly verb: string; readonly resource: Resource<KubeObject>; readonly object?: KubeObject },
  pool: string,
  error: ApiError,
): ApiError | undefined {
  return operation.object?.metadata.annotations?.[annotations.refNodePool] === pool ? error : undefined;
}

function invalid(): ApiError {
  const message = 'spec.template.spec.containers[0].image: Required value';
  return refusalOf(422, 'create deployments.apps', message);
}

function forbidden(): ApiError {
  return refusalOf(403, 'create deployments.apps', 'exceeded quota');
}
