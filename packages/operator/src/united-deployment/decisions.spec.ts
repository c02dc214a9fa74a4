import { describe, expect, test } from 'vitest';
import { annotations, labels, unitedDeployments, type Subset } from '@atoll/api';
import { ApiError, controllerRevisions, deployments, keyOf, statefulSets } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import type { KubeObject, Resource } from '@atoll/kube';
import { requeueAt } from '../engine/reconcile/reconcile-end.ts';
import type { FreshWorld, Reconciled } from '../../simulation/examples/fresh-world.ts';
import {
  childOf,
  childrenOf,
  conditionsOf,
  editSpec,
  rollOut,
  scaleChild,
  setImage,
  spread,
  statusOf,
  threeZones,
  web,
  webKey,
  zone,
} from '../../simulation/examples/spread-example.ts';
import type { Finding } from '../causes/finding.ts';
import type { ChildWorkload } from '../children/child.ts';
import { kindFacts, type ChildKind } from './subsets/child-kind.ts';

/** 4 replicas of which c has none. */
const unevenly = web([zone('a', { replicas: 2 }), zone('b', { replicas: 2 }), zone('c')], 'Deployment', {
  replicas: 4,
});
/** One more, and no subset has a number. */
const evenly = { replicas: 5, topology: { subsets: [zone('a'), zone('b'), zone('c')] } };

describe('a rollout', () => {
  test('makes one child for each subset, records an event, and then writes nothing', () => {
    const { world, controller } = steady();
    expect(childrenOf(world)).toEqual({ a: 'Deployment 1', b: 'Deployment 3', c: 'Deployment 2' });
    expect(conditionsOf(world)).toEqual({
      SubsetProvisioned: 'True ',
      SubsetUpdated: 'True ',
      SubsetFailure: 'False ',
      UnitedDeploymentUpdated: 'True UnitedDeploymentRevisionUpdated',
      SubsetReplicasEffective: 'True SubsetReplicasMet',
      Ready: 'True RolloutComplete',
      Progressing: 'False RolloutComplete',
      Degraded: 'False RolloutComplete',
    });
    const { currentRevision, updatedRevision, labelSelector, ...status } = statusOf(world);
    expect(currentRevision).toBe(updatedRevision);
    expect(labelSelector).toBe('app=web');
    expect(status).toMatchObject({
      observedGeneration: 1,
      replicas: 6,
      readyReplicas: 6,
      updatedReplicas: 6,
      updatedReadyReplicas: 6,
      updateStatus: { updatedRevision, currentPartitions: { a: 0, b: 0, c: 0 } },
      subsetReplicas: { a: 1, b: 3, c: 2 },
    });
    const reconciled = world.reconcile(controller, 'ns/web');
    expect([reconciled.plan.stages, reconciled.statusWritten]).toEqual([[], false]);
  });

  test('of a new image writes each child exactly once, and the old revision stays current until all pods are new', () => {
    const { world, controller } = steady();
    const { currentRevision: old } = statusOf(world);
    setImage(world, 'web:2');
    expect(written(world.reconcile(controller, 'ns/web'))).toEqual([
      'create -',
      'apply a',
      'apply b',
      'apply c',
    ]);
    expect(statusOf(world)).toMatchObject({ currentRevision: old, updatedReplicas: 0 });
    expect(conditionsOf(world)).toMatchObject({
      UnitedDeploymentUpdated: 'False UnitedDeploymentRevisionUpdating',
      Ready: 'False WaitingForReady',
    });
    rollOut(world, 'a', 'b');
    expect(written(world.reconcile(controller, 'ns/web'))).toEqual([]);
    expect(statusOf(world)).toMatchObject({
      currentRevision: old,
      updatedReplicas: 4,
      updatedReadyReplicas: 4,
    });
    rollOut(world);
    world.untilSteady(controller, 'ns/web');
    const { currentRevision, updatedRevision, updatedReplicas } = statusOf(world);
    expect([currentRevision === old, currentRevision === updatedRevision, updatedReplicas]).toEqual([
      false,
      true,
      6,
    ]);
  });

  test('has no current revision while no child can be made, and a template that never ran is never current', () => {
    const { world, controller } = spread();
    world.refuse = ({ resource, verb }) =>
      resource === deployments && verb === 'create-by-apply' ? refusal() : undefined;
    world.reconcile(controller, 'ns/web');
    const { updatedRevision: typo, currentRevision: none, conditions } = statusOf(world);
    expect(none).toBe('');
    expect(conditionsOf(world)['UnitedDeploymentUpdated']).toBe('False UnitedDeploymentRevisionUpdating');
    expect(conditions?.find(({ type }) => type === 'UnitedDeploymentUpdated')?.message).toBe(
      `nothing runs ${typo} yet`,
    );
    world.refuse = () => undefined;
    setImage(world, 'web:2');
    world.untilSteady(controller, 'ns/web');
    const { currentRevision, updatedRevision } = statusOf(world);
    expect(currentRevision).toBe(updatedRevision);
    expect(currentRevision).not.toBe(typo);
    expect(conditionsOf(world)['UnitedDeploymentUpdated']).toBe('True UnitedDeploymentRevisionUpdated');
  });

  test('that a subset refuses shows as not updated, and clears by itself', () => {
    const { world, controller } = steady();
    setImage(world, 'web:2');
    refuseSubset(world, 'b');
    world.reconcile(controller, 'ns/web');
    rollOut(world);
    world.reconcile(controller, 'ns/web');
    expect(conditionsOf(world)).toMatchObject({
      SubsetProvisioned: 'True ',
      SubsetUpdated: 'False Error',
      SubsetFailure: 'True Error',
    });
    const updated = statusOf(world).conditions?.find(({ type }) => type === 'SubsetUpdated');
    expect(updated?.message).toContain('b: ');
    world.refuse = () => undefined;
    world.untilSteady(controller, 'ns/web');
    expect(conditionsOf(world)).toMatchObject({ SubsetUpdated: 'True ', SubsetFailure: 'False ' });
  });

  test('that a subset refuses counts none of its pods as updated, though they are what its child asks for', () => {
    const { world, controller } = steady();
    setImage(world, 'web:2');
    refuseSubset(world, 'b');
    world.reconcile(controller, 'ns/web');
    rollOut(world);
    world.reconcile(controller, 'ns/web');
    expect(statusOf(world)).toMatchObject({ updatedReplicas: 3, updatedReadyReplicas: 3 });
    expect(statusOf(world).subsetStatuses?.find(({ name }) => name === 'b')).toMatchObject({
      replicas: 3,
      updatedReplicas: 0,
    });
  });

  test('that began before the status was lost is found from the children', () => {
    const { world, controller } = steady();
    const { currentRevision: old } = statusOf(world);
    setImage(world, 'web:2');
    refuseSubset(world, 'b');
    world.reconcile(controller, 'ns/web');
    world.edit(unitedDeployments, webKey, (found) => ({ ...found, status: {} }));
    world.reconcile(controller, 'ns/web');
    expect(statusOf(world).currentRevision).toBe(old);
  });

  test.each(['CloneSet', 'AdvancedStatefulSet'] as const)(
    'has no current revision while the kind %s is not served',
    (kind) => {
      const { world, controller } = spread(web(threeZones, kind));
      world.unserved.add(kind === 'CloneSet' ? 'cloneSets' : 'advancedStatefulSets');
      world.untilSteady(controller, 'ns/web');
      expect([statusOf(world).currentRevision, statusOf(world).updatedRevision]).toEqual([
        '',
        expect.stringMatching(/^web-/),
      ]);
      expect(conditionsOf(world)['Ready']).toBe('False KindNotServed');
    },
  );

  test('back to the old template takes the old revision again', () => {
    const { world, controller } = steady();
    const { currentRevision: old } = statusOf(world);
    setImage(world, 'web:2');
    world.untilSteady(controller, 'ns/web');
    setImage(world, 'web:1');
    world.untilSteady(controller, 'ns/web');
    expect(statusOf(world).updatedRevision).toBe(old);
    expect(
      world
        .list(controllerRevisions)
        .map(({ revision }) => String(revision))
        .toSorted(),
    ).toEqual(['2', '3']);
  });
});

describe('scaling', () => {
  test('writes the subsets that change, and makes no revision', () => {
    const { world, controller } = steady();
    editSpec(world, () => ({ replicas: 7 }));
    expect(written(world.reconcile(controller, 'ns/web'))).toEqual(['apply b']);
    expect(childrenOf(world)).toEqual({ a: 'Deployment 1', b: 'Deployment 4', c: 'Deployment 2' });
    expect(world.list(controllerRevisions)).toHaveLength(1);
  });

  test('is none where somebody deletes a child: it is made again with its own number', () => {
    const { world, controller } = spread(
      web([zone('a'), zone('b'), zone('c')], 'Deployment', { replicas: 10 }),
    );
    world.untilSteady(controller, 'ns/web');
    const before = childrenOf(world);
    expect(before).toEqual({ a: 'Deployment 3', b: 'Deployment 3', c: 'Deployment 4' });
    world.end(deployments, keyOf(childOf(world, 'c')));
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual(before);
  });

  test.each([
    ['out', 7],
    ['in', 0],
  ])('is none of the others where somebody scales a child %s: it is set back to its own number', (_, to) => {
    const { world, controller } = spread(
      web([zone('a'), zone('b'), zone('c')], 'Deployment', { replicas: 8 }),
    );
    world.untilSteady(controller, 'ns/web');
    const before = childrenOf(world);
    expect(before).toEqual({ a: 'Deployment 2', b: 'Deployment 3', c: 'Deployment 3' });
    for (const subset of ['a', 'b']) {
      scaleChild(world, subset, to);
      expect(written(world.reconcile(controller, 'ns/web'))).toEqual([`apply ${subset}`]);
      world.untilSteady(controller, 'ns/web');
      expect(childrenOf(world)).toEqual(before);
    }
  });

  test('is none of the others where somebody scales a child and the numbers do not add up', () => {
    const { world, controller } = spread(
      web([zone('a', { replicas: 6 }), zone('b', { replicas: 6 })], 'Deployment', { replicas: 6 }),
    );
    world.untilSteady(controller, 'ns/web');
    const before = childrenOf(world);
    scaleChild(world, 'a', 0);
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual(before);
  });

  test('touches no pod template', () => {
    const { world, controller } = steady();
    const before = childOf(world, 'b').spec?.template;
    editSpec(world, () => ({ replicas: 9 }));
    world.untilSteady(controller, 'ns/web');
    expect(childOf(world, 'b').spec?.template).toEqual(before);
  });

  test('beyond what the subsets allow spreads the total all the same, with the arithmetic in a condition', () => {
    const { world, controller } = steady(web([zone('a', { replicas: 6 }), zone('b', { replicas: 6 })]));
    const sum = (): number => Object.values(statusOf(world).subsetReplicas ?? {}).reduce((a, b) => a + b, 0);
    expect(conditionsOf(world)['SubsetReplicasEffective']).toBe('False SubsetReplicasIneffective');
    expect(sum()).toBe(6);
    editSpec(world, () => ({ replicas: 14 }));
    const reconciled = world.reconcile(controller, 'ns/web');
    expect(sum()).toBe(14);
    expect(reconciled.events.map(({ type, reason }) => `${type} ${reason}`)).toContain(
      'Warning Failed SpecifySubsetReplicas',
    );
    rollOut(world);
    world.untilSteady(controller, 'ns/web');
    expect(conditionsOf(world)).toMatchObject({ Ready: 'True RolloutComplete' });
    expect(world.reconcile(controller, 'ns/web').events).toEqual([]);
  });

  test('without a total follows the numbers of the subsets', () => {
    const numbered = web([zone('a', { replicas: 2 }), zone('b', { replicas: 3 })]);
    const { replicas: _, ...spec } = numbered.spec;
    const { world } = steady({ ...numbered, spec });
    expect(childrenOf(world)).toEqual({ a: 'Deployment 2', b: 'Deployment 3' });
    expect(conditionsOf(world)['SubsetReplicasEffective']).toBe('True SubsetReplicasMet');
  });
});

describe('a subset', () => {
  test('that is added gets a child, and one that is removed loses it with its status', () => {
    const { world, controller } = steady();
    editSpec(world, () => ({ topology: { subsets: [zone('c'), zone('d')] } }));
    const reconciled = world.reconcile(controller, 'ns/web');
    expect(written(reconciled).toSorted()).toEqual(['apply c', 'create d', 'delete a', 'delete b']);
    expect(childrenOf(world)).toEqual({ c: 'Deployment 3', d: 'Deployment 3' });
    expect(statusOf(world).subsetStatuses?.map(({ name }) => name)).toEqual(['c', 'd']);
    expect(Object.keys(statusOf(world).subsetReplicas ?? {})).toEqual(['c', 'd']);
  });

  test.each([
    ['where the user asks for it', 'AfterReplacement'],
    ['where nobody understands what the user asks for', 'after-replacement'],
  ])('that is removed stays until the others are ready, %s', (_title, removal) => {
    const { world, controller } = steady({
      ...web(),
      metadata: { ...webKey, annotations: { [annotations.subsetRemoval]: removal } },
    });
    editSpec(world, () => ({ topology: { subsets: [zone('b'), zone('c')] } }));
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'Deployment 1', b: 'Deployment 3', c: 'Deployment 3' });
    expect(conditionsOf(world)['Ready']).toBe('False WaitingForReady');
    rollOut(world);
    noneAvailable(world, 'c', 'Deployment');
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toMatchObject({ a: 'Deployment 1' });
    rollOut(world);
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ b: 'Deployment 3', c: 'Deployment 3' });
    expect(conditionsOf(world)['Ready']).toBe('True RolloutComplete');
  });

  test('that is removed goes only while the others are there as they were seen, where it was to wait for them', () => {
    const { world, controller } = steady({
      ...web(),
      metadata: { ...webKey, annotations: { [annotations.subsetRemoval]: 'AfterReplacement' } },
    });
    editSpec(world, () => ({ topology: { subsets: [zone('b'), zone('c')] } }));
    world.untilSteady(controller, 'ns/web');
    rollOut(world);
    const serving = [childOf(world, 'b'), childOf(world, 'c')];
    const { plan } = world.reconcile(controller, 'ns/web');
    const deletions = plan.stages.flatMap(({ steps }) => steps).filter((step) => step.do === 'delete');
    const seen = serving.map(({ metadata: { uid, generation } }) => ({ uid, generation }));
    expect(deletions).toMatchObject([{ target: 'a', restsOn: seen }]);
  });

  test('that is removed goes only while the spec, read once more, names it no longer', () => {
    const { world, controller } = steady();
    editSpec(world, () => ({ topology: { subsets: [zone('b'), zone('c')] } }));
    const deletions = world
      .untilSteady(controller, 'ns/web')
      .flatMap(({ plan }) => plan.stages.flatMap(({ steps }) => steps))
      .filter((step) => step.do === 'delete');
    expect(deletions).toMatchObject([{ target: 'a', irreversible: true, why: { word: 'SubsetRemoved' } }]);
  });

  test('that is refused stops no other, shows in every condition that is about it, and clears by itself', () => {
    const { world, controller } = spread();
    refuseSubset(world, 'b');
    world.reconcile(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'Deployment 1', c: 'Deployment 2' });
    rollOut(world);
    world.reconcile(controller, 'ns/web');
    expect(conditionsOf(world)).toMatchObject({
      SubsetProvisioned: 'False Error',
      SubsetFailure: 'True Error',
      Ready: 'False ChildRefused',
      Stalled: 'True ChildRefused',
    });
    const ready = statusOf(world).conditions?.find(({ type }) => type === 'Ready');
    expect(ready?.message).toContain('b: ');
    world.refuse = () => undefined;
    world.untilSteady(controller, 'ns/web');
    rollOut(world);
    world.untilSteady(controller, 'ns/web');
    expect(conditionsOf(world)).toMatchObject({ SubsetFailure: 'False ', Ready: 'True RolloutComplete' });
    expect(conditionsOf(world)['Stalled']).toBeUndefined();
  });

  test('whose name is taken by a stranger leaves the stranger alone and names it', () => {
    const { world, controller } = steady();
    const { name } = childOf(world, 'a').metadata;
    world.remove(deployments as Resource<KubeObject>, { namespace: 'ns', name });
    world.put(deployments as Resource<KubeObject>, { metadata: { namespace: 'ns', name } });
    world.untilSteady(controller, 'ns/web');
    expect(world.get(deployments, { namespace: 'ns', name }).metadata.ownerReferences).toBeUndefined();
    expect(conditionsOf(world)['Ready']).toBe('False NameTaken');
  });
});

describe('a child that is being deleted', () => {
  /** The child of a is being deleted, and somebody keeps it. */
  function goingWith(change: Partial<KubeObject['metadata']> = {}) {
    const { world, controller } = steady();
    const { name } = childOf(world, 'a').metadata;
    const key = { namespace: 'ns', name };
    world.edit(deployments, key, (found) => ({
      ...found,
      metadata: { ...found.metadata, finalizers: ['x/y'], ...change },
    }));
    world.remove(deployments as Resource<KubeObject>, key);
    world.untilSteady(controller, 'ns/web');
    const ready = () => statusOf(world).conditions?.find(({ type }) => type === 'Ready')?.message;
    return { world, controller, name, ready };
  }

  test('and is nobody’s any more is waited for, and nobody is asked to delete it', () => {
    const { world, name, ready } = goingWith({ ownerReferences: [] });
    expect(conditionsOf(world)).toMatchObject({ Ready: 'False NameTaken', SubsetFailure: 'False ' });
    expect(ready()).toContain(`waiting until the old Deployment ${name}, which is being deleted, is gone`);
  });

  test('and is nobody’s any more is wrong after ten minutes, with what keeps it', () => {
    const { world, controller, name, ready } = goingWith({ ownerReferences: [] });
    const due = world.now + 600_000;
    expect(world.reconcile(controller, 'ns/web').plan.requeueAt).toBe(due);
    world.now = due;
    world.untilSteady(controller, 'ns/web');
    expect(ready()).toContain(`a: the old Deployment ${name} is being deleted since`);
    expect(ready()).toContain('and its finalizers x/y are still there; waiting until it is gone');
    world.now += 61_000;
    world.untilSteady(controller, 'ns/web');
    expect(conditionsOf(world)).toMatchObject({
      Ready: 'False ChildTerminating',
      Degraded: 'True ChildTerminating',
    });
  });

  test('and does not go is wrong after ten minutes, with what keeps it', () => {
    const { world, controller, name, ready } = goingWith();
    const since = new Date(world.now).toISOString().replace('.000Z', 'Z');
    expect(conditionsOf(world)).toMatchObject({ Progressing: 'True NameTaken', Degraded: 'False NameTaken' });
    const due = world.now + 600_000;
    expect(world.reconcile(controller, 'ns/web').plan.requeueAt).toBe(due);
    world.now = due;
    world.untilSteady(controller, 'ns/web');
    expect(ready()).toBe(
      `a: the old Deployment ${name} is being deleted since ${since}, and its finalizers x/y are still there; waiting until it is gone`,
    );
    world.now += 61_000;
    world.untilSteady(controller, 'ns/web');
    expect(conditionsOf(world)).toMatchObject({
      Ready: 'False ChildTerminating',
      Degraded: 'True ChildTerminating',
    });
    world.edit(deployments, { namespace: 'ns', name }, (found) => {
      const { status: _, ...rest } = found;
      return { ...rest, metadata: { ...rest.metadata, finalizers: [] } };
    });
    world.untilSteady(controller, 'ns/web');
    expect(conditionsOf(world)).toMatchObject({
      Ready: 'False WaitingForReady',
      Degraded: 'False WaitingForReady',
    });
  });
});

test('a child of a removed subset that does not go is named, for its pods run on', () => {
  const { world, controller } = steady();
  const { name } = childOf(world, 'a').metadata;
  world.edit(deployments, { namespace: 'ns', name }, (found) => ({
    ...found,
    metadata: { ...found.metadata, finalizers: ['x/y'] },
  }));
  editSpec(world, () => ({ topology: { subsets: [zone('b'), zone('c')] } }));
  world.untilSteady(controller, 'ns/web');
  rollOut(world);
  world.untilSteady(controller, 'ns/web');
  expect(conditionsOf(world)['Ready']).toBe('True RolloutComplete');
  world.now += 600_000;
  world.untilSteady(controller, 'ns/web');
  expect(conditionsOf(world)['Ready']).toBe('False ChildTerminating');
  expect(statusOf(world).conditions?.find(({ type }) => type === 'Ready')?.message).toContain(
    `a: the old Deployment ${name}`,
  );
});

describe('a template of another kind', () => {
  test('replaces the children as soon as their successors are there', () => {
    const { world, controller } = steady();
    editSpec(world, () => ({ template: web(threeZones, 'StatefulSet').spec.template }));
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'StatefulSet 1', b: 'StatefulSet 3', c: 'StatefulSet 2' });
  });

  test('whose children are refused costs no pod', () => {
    const { world, controller } = steady();
    world.refuse = ({ resource, verb }) =>
      resource === statefulSets && verb === 'create-by-apply' ? refusal() : undefined;
    editSpec(world, () => ({ template: web(threeZones, 'StatefulSet').spec.template }));
    world.reconcile(controller, 'ns/web');
    world.reconcile(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'Deployment 1', b: 'Deployment 3', c: 'Deployment 2' });
  });

  test('replaces one by one when they are available, where the user asks for it', () => {
    const { world, controller } = steady({
      ...web(),
      metadata: { ...webKey, annotations: { [annotations.subsetRemoval]: 'AfterReplacement' } },
    });
    editSpec(world, () => ({ template: web(threeZones, 'StatefulSet').spec.template }));
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)['a']).toBe('Deployment 1, StatefulSet 1');
    rollOut(world, 'a');
    noneAvailable(world, 'a');
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)['a']).toBe('Deployment 1, StatefulSet 1');
    rollOut(world, 'a');
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({
      a: 'StatefulSet 1',
      b: 'Deployment 3, StatefulSet 3',
      c: 'Deployment 2, StatefulSet 2',
    });
  });

  test('whose pods would have the names of those that stay is named as what waits in vain, and none goes', () => {
    const { world, controller } = steady({
      ...web([zone('a')], 'StatefulSet'),
      metadata: { ...webKey, annotations: { [annotations.subsetRemoval]: 'AfterReplacement' } },
    });
    editSpec(world, () => ({ template: web([], 'AdvancedStatefulSet').spec.template }));
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'AdvancedStatefulSet 6, StatefulSet 6' });
    expect(conditionsOf(world)).toMatchObject({ Ready: 'False NameTaken', SubsetFailure: 'True Error' });
    const ready = statusOf(world).conditions?.find(({ type }) => type === 'Ready');
    expect(ready?.message).toMatch(
      /the StatefulSet web-a-\w+, .* Take the annotation atoll.dev\/subset-removal off/,
    );
    world.edit(unitedDeployments, webKey, (found) => ({
      ...found,
      metadata: { ...found.metadata, annotations: {} },
    }));
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'AdvancedStatefulSet 6' });
    expect(conditionsOf(world)['Ready']).toBe('False WaitingForReady');
  });

  test('waits for its own pods, and not for their names, where the one that stays has none', () => {
    const { world, controller } = steady({
      ...web([zone('a')], 'StatefulSet'),
      metadata: { ...webKey, annotations: { [annotations.subsetRemoval]: 'AfterReplacement' } },
    });
    const { name } = childOf(world, 'a', 'StatefulSet').metadata;
    world.edit(statefulSets, { namespace: 'ns', name }, (found) => ({
      ...found,
      status: { ...found.status, replicas: 0 },
    }));
    editSpec(world, () => ({ template: web([], 'AdvancedStatefulSet').spec.template }));
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'AdvancedStatefulSet 6, StatefulSet 6' });
    expect(conditionsOf(world)['Ready']).toBe('False WaitingForReady');
  });

  test('that comes with other numbers moves as few replicas as if the children were of its kind', () => {
    const { world, controller } = steady(unevenly);
    editSpec(world, () => ({ ...evenly, template: web([], 'StatefulSet').spec.template }));
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'StatefulSet 2', b: 'StatefulSet 2', c: 'StatefulSet 1' });
  });

  test('leaves a child whose successor begins empty and may not grow', () => {
    const numbers = (a: number, b: number) => ({
      topology: { subsets: [zone('a', { replicas: a }), zone('b', { replicas: b })] },
    });
    const { world, controller } = steady(web([], 'Deployment', numbers(3, 3)));
    const denied = { code: 403, reason: 'Forbidden', message: 'denied by a policy' } as const;
    world.refuse = (operation) => {
      if (!('object' in operation) || operation.object.kind !== 'CloneSet') return undefined;
      const { metadata, spec } = operation.object as ChildWorkload;
      const isRefused = metadata.labels?.[labels.subsetName] === 'b' && (spec?.replicas ?? 1) > 0;
      return isRefused ? new ApiError({ fate: 'refused', attempted: operation.verb, ...denied }) : undefined;
    };
    editSpec(world, () => ({ template: web([], 'CloneSet').spec.template }));
    for (let round = 0; round < 4; round += 1) world.reconcile(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'CloneSet 3', b: 'Deployment 3' });
    editSpec(world, () => numbers(2, 4));
    for (let round = 0; round < 6; round += 1) world.reconcile(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'CloneSet 3', b: 'CloneSet 0, Deployment 3' });
    world.refuse = () => undefined;
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'CloneSet 2', b: 'CloneSet 4' });
  });

  test('that is paused and is to run nothing replaces the children', () => {
    const { world, controller } = steady(web([zone('a')], 'StatefulSet'));
    const { template } = web([], 'Deployment').spec;
    const { deploymentTemplate } = template;
    const paused = { ...deploymentTemplate, spec: { ...deploymentTemplate?.spec, paused: true } };
    editSpec(world, () => ({ template: { deploymentTemplate: paused } as typeof template }));
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'Deployment 6, StatefulSet 6' });
    expect(conditionsOf(world)).toMatchObject({ Progressing: 'False Paused', Paused: 'True Paused' });
    editSpec(world, () => ({ replicas: 0 }));
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'Deployment 0' });
  });

  test('that is not installed is a clear condition, and nothing of the present children goes', () => {
    const { world, controller } = steady();
    world.unserved.add('cloneSets');
    editSpec(world, () => ({ template: web(threeZones, 'CloneSet').spec.template }));
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'Deployment 1', b: 'Deployment 3', c: 'Deployment 2' });
    expect(conditionsOf(world)).toMatchObject({
      Ready: 'False KindNotServed',
      Stalled: 'True KindNotServed',
    });
    world.unserved.delete('cloneSets');
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'CloneSet 1', b: 'CloneSet 3', c: 'CloneSet 2' });
    expect(conditionsOf(world)['Stalled']).toBeUndefined();
  });
});

test('a subset that is renamed while the kind of its template is not installed keeps its child under the old name', () => {
  const { world, controller } = steady();
  world.unserved.add('cloneSets');
  const { template } = web(threeZones, 'CloneSet').spec;
  const [a, b, c] = threeZones;
  if (a === undefined || b === undefined || c === undefined) throw new Error('there are three zones');
  editSpec(world, () => ({ template, topology: { subsets: [a, { ...b, name: 'd' }, c] } }));
  world.untilSteady(controller, 'ns/web');
  expect(childrenOf(world)).toEqual({ a: 'Deployment 1', b: 'Deployment 3', c: 'Deployment 2' });
  world.unserved.delete('cloneSets');
  world.untilSteady(controller, 'ns/web');
  expect(Object.keys(childrenOf(world)).toSorted()).toEqual(['a', 'c', 'd']);
});

describe('a kind that is installed and cannot be read', () => {
  const why = 'watch clonesets.apps.kruise.io: clonesets.apps.kruise.io is forbidden';

  function unreadable() {
    const { world, controller } = steady(web(threeZones, 'CloneSet'));
    const since = world.now;
    world.unreadable.set('cloneSets', { since, why });
    setImage(world, 'web:2', 'CloneSet');
    return { world, controller, reconcile: () => world.reconcile(controller, 'ns/web') };
  }

  test("is named, with the API server's answer and since when, and nothing is done", () => {
    const { world, reconcile } = unreadable();
    const before = statusOf(world);
    const { plan } = reconcile();
    expect(plan.stages).toEqual([]);
    expect(plan.holds).toMatchObject([{ reason: 'KindUnreadable', bad: true, since: world.now }]);
    expect(conditionsOf(world)).toMatchObject({
      SubsetFailure: 'True Error',
      Ready: 'False KindUnreadable',
      Progressing: 'False KindUnreadable',
      Degraded: 'False KindUnreadable',
    });
    const { conditions, observedGeneration, ...after } = statusOf(world);
    expect(conditions?.find(({ type }) => type === 'Ready')?.message).toBe(
      `the kind CloneSet cannot be read since 2026-11-01T10:00:00Z: ${why}`,
    );
    expect(observedGeneration).toBe(2);
    expect(before).toMatchObject(after);
  });

  test('is Degraded and Stalled when that has lasted a minute, also for the next process', () => {
    const { world, reconcile } = unreadable();
    const { plan } = reconcile();
    expect(requeueAt(plan, world.now)).toBe(world.now + 60_000);
    world.now += 60_000;
    world.unreadable.set('cloneSets', { since: world.now - 1_000, why });
    reconcile();
    expect(conditionsOf(world)).toMatchObject({
      Degraded: 'True KindUnreadable',
      Stalled: 'True KindUnreadable',
    });
  });

  test('is Degraded as long after it began as any trouble, however late the first look was', () => {
    const { world, reconcile } = unreadable();
    world.now += 40_000;
    expect(requeueAt(reconcile().plan, world.now)).toBe(world.now + 20_000);
    expect(conditionsOf(world)['Degraded']).toBe('False KindUnreadable');
    world.now += 20_000;
    reconcile();
    expect(conditionsOf(world)['Degraded']).toBe('True KindUnreadable');
  });

  test('is waited for where children of it run, which another kind is to replace', () => {
    const { world, controller } = steady(web(threeZones, 'CloneSet'));
    rollOut(world);
    world.untilSteady(controller, 'ns/web');
    const before = childrenOf(world);
    world.unreadable.set('cloneSets', { since: world.now, why });
    editSpec(world, () => ({ template: web().spec.template }));
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual(before);
    const { message } = statusOf(world).conditions?.find(({ type }) => type === 'Ready') ?? {};
    expect(message).toContain('the kind CloneSet of the children that may run cannot be read since');
    world.unreadable.delete('cloneSets');
    world.untilSteady(controller, 'ns/web');
    rollOut(world);
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'Deployment 1', b: 'Deployment 3', c: 'Deployment 2' });
  });

  test('is waited for, too, on the way back to the kind before', () => {
    const { world, controller } = steady();
    editSpec(world, () => ({ template: web(threeZones, 'CloneSet').spec.template }));
    world.untilSteady(controller, 'ns/web');
    const before = childrenOf(world);
    expect(before).toMatchObject({ a: 'CloneSet 1' });
    world.unreadable.set('cloneSets', { since: world.now, why });
    editSpec(world, () => ({ template: web().spec.template }));
    const { plan } = world.reconcile(controller, 'ns/web');
    expect(plan.stages).toEqual([]);
    expect(plan.holds).toMatchObject([{ reason: 'KindUnreadable' }]);
  });

  test('stops no object that has no children of it any more, though their successors are not all ready', () => {
    const { world, controller } = steady(web(threeZones, 'CloneSet'));
    editSpec(world, () => ({ template: web().spec.template }));
    world.untilSteady(controller, 'ns/web');
    rollOut(world, 'a', 'b');
    world.untilSteady(controller, 'ns/web');
    world.unreadable.set('cloneSets', { since: world.now, why });
    setImage(world, 'web:2');
    world.untilSteady(controller, 'ns/web');
    expect(JSON.stringify(childOf(world, 'a').spec)).toContain('web:2');
  });

  test('stops no object whose children are of another kind by now', () => {
    const { world, controller } = steady(web(threeZones, 'CloneSet'));
    editSpec(world, () => ({ template: web().spec.template }));
    for (let round = 0; round < 2; round += 1) {
      world.untilSteady(controller, 'ns/web');
      rollOut(world);
    }
    world.untilSteady(controller, 'ns/web');
    world.unreadable.set('cloneSets', { since: world.now, why });
    setImage(world, 'web:2');
    world.untilSteady(controller, 'ns/web');
    rollOut(world);
    world.untilSteady(controller, 'ns/web');
    expect(conditionsOf(world)['Ready']).toBe('True RolloutComplete');
  });

  test('goes on as soon as it can be read', () => {
    const { world, controller, reconcile } = unreadable();
    world.now += 61_000;
    reconcile();
    world.unreadable.clear();
    world.untilSteady(controller, 'ns/web');
    rollOut(world);
    world.untilSteady(controller, 'ns/web');
    expect(conditionsOf(world)).toMatchObject({ Ready: 'True RolloutComplete', SubsetFailure: 'False ' });
    expect(conditionsOf(world)['Stalled']).toBeUndefined();
  });

  test('harms nobody who does not ask for it', () => {
    const { world, controller } = steady();
    world.unreadable.set('cloneSets', { since: world.now, why });
    expect(world.untilSteady(controller, 'ns/web')).toEqual([]);
    expect(conditionsOf(world)['Ready']).toBe('True RolloutComplete');
  });
});

describe('partitions', () => {
  test.each(['StatefulSet', 'AdvancedStatefulSet', 'CloneSet'] as const)(
    'of a %s are passed on, clamped',
    (kind) => {
      const updateStrategy = { type: 'Manual' as const, manualUpdate: { partitions: { a: 4, c: 1 } } };
      const { world } = steady(web(threeZones, kind, { updateStrategy }));
      expect(statusOf(world).updateStatus?.currentPartitions).toEqual({ a: 1, b: 0, c: 1 });
      const { updateStrategy: found } = childOf(world, 'a', kind).spec ?? {};
      expect(kind === 'CloneSet' ? found?.partition : found?.rollingUpdate?.partition).toBe(1);
    },
  );

  test('follow the numbers, as in the manual of the old operator (S11 to S17)', () => {
    const { world, controller } = steady(web([zone('a'), zone('b')], 'StatefulSet', { replicas: 10 }));
    const seen = [shown(world)];
    const step = (a: Subset['replicas'], partition: number, more: readonly Subset[] = []): void => {
      const first = a === undefined ? zone('a') : zone('a', { replicas: a });
      const manualUpdate = { partitions: partition === 0 ? {} : { a: partition } };
      editSpec(world, () => ({
        topology: { subsets: [first, zone('b'), ...more] },
        updateStrategy: { type: 'Manual', manualUpdate },
      }));
      world.untilSteady(controller, 'ns/web');
      seen.push(shown(world));
    };
    step(9, 0);
    step('40%', 0);
    step('30%', 1);
    step('20%', 2, [zone('c')]);
    step('10%', 2);
    step('40%', 2);
    expect(seen).toEqual(['5/0 5', '9/0 1', '4/0 6', '3/1 7', '2/2 4 4', '1/1 9', '4/2 6']);
  });

  test('with OnDelete wait for a person, and report it', () => {
    const given = web([zone('a')], 'StatefulSet');
    const spec = { ...given.spec.template.statefulSetTemplate?.spec, updateStrategy: { type: 'OnDelete' } };
    const template = { statefulSetTemplate: { ...given.spec.template.statefulSetTemplate, spec } };
    const { world, controller } = steady({
      ...given,
      spec: { ...given.spec, template: template as typeof given.spec.template },
    });
    setImage(world, 'web:2', 'StatefulSet');
    world.untilSteady(controller, 'ns/web');
    const { name, generation = 0 } = childOf(world, 'a', 'StatefulSet').metadata;
    const counts = { replicas: 6, readyReplicas: 6, updatedReplicas: 0, availableReplicas: 6 };
    world.edit(statefulSets as Resource<KubeObject>, { namespace: 'ns', name }, (found) => ({
      ...found,
      status: { ...counts, observedGeneration: generation },
    }));
    world.untilSteady(controller, 'ns/web');
    expect(conditionsOf(world)).toMatchObject({ Ready: 'False WaitingForDeletion', SubsetUpdated: 'True ' });
    expect(statusOf(world).conditions?.find(({ type }) => type === 'Ready')?.message).toContain(
      '6 pods run an older template, and the update strategy is OnDelete. Delete them',
    );
    expect(childOf(world, 'a', 'StatefulSet').spec?.updateStrategy).toEqual({ type: 'OnDelete' });
  });

  test('that are negative are refused and leave the child with the one it has', () => {
    const updateStrategy = { type: 'Manual' as const, manualUpdate: { partitions: { b: 2 } } };
    const { world, controller } = steady(web(threeZones, 'StatefulSet', { updateStrategy }));
    editSpec(world, () => ({ updateStrategy: { type: 'Manual', manualUpdate: { partitions: { b: -1 } } } }));
    world.untilSteady(controller, 'ns/web');
    expect(childOf(world, 'b', 'StatefulSet').spec?.updateStrategy?.rollingUpdate?.partition).toBe(2);
    expect(conditionsOf(world)['Ready']).toBe('False InvalidPartition');
  });
});

describe('a patch', () => {
  const withEnv = (value: string) => ({
    spec: { containers: [{ name: 'web', env: [{ name: 'ZONE', value }] }] },
  });
  const patched = (patch: object) => [zone('a'), zone('b', { patch: patch as Record<string, unknown> })];

  test('that changes makes no revision, so its pods are updated as far as the controller of the child says so', () => {
    const { world, controller } = steady(web(patched(withEnv('b'))));
    editSpec(world, () => ({ topology: { subsets: patched(withEnv('c')) } }));
    world.untilSteady(controller, 'ns/web');
    const { name, generation = 0 } = childOf(world, 'b').metadata;
    const counts = { replicas: 3, readyReplicas: 3, updatedReplicas: 1, availableReplicas: 3 };
    world.edit(deployments as Resource<KubeObject>, { namespace: 'ns', name }, (found) => ({
      ...found,
      status: { ...counts, observedGeneration: generation },
    }));
    world.untilSteady(controller, 'ns/web');
    expect(statusOf(world)).toMatchObject({ updatedReplicas: 4, updatedReadyReplicas: 4 });
  });

  test('changes the pods of its subset alone, and the label of the subset stays', () => {
    const identity = { metadata: { labels: { [labels.subsetName]: 'a', more: 'x' } } };
    const { world } = steady(web(patched({ ...withEnv('b'), ...identity })));
    const { metadata, spec } = childOf(world, 'b').spec?.template ?? {};
    expect(metadata?.labels).toMatchObject({ app: 'web', more: 'x', [labels.subsetName]: 'b' });
    expect(spec).toMatchObject({ containers: [{ image: 'web:1', env: [{ name: 'ZONE', value: 'b' }] }] });
    expect(childOf(world, 'a').spec?.template?.spec).not.toMatchObject({ containers: [{ env: [] }] });
    const patch = childOf(world, 'b').metadata.annotations?.[annotations.subsetPatch] ?? '';
    expect(JSON.parse(patch)).toEqual({ ...withEnv('b'), ...identity });
  });

  test('that changes is noticed once, and one that only reads otherwise not at all', () => {
    const { world, controller } = steady(web(patched(withEnv('b'))));
    const [container] = withEnv('b').spec.containers;
    editSpec(world, () => ({
      topology: { subsets: patched({ spec: { containers: [{ env: container?.env, name: 'web' }] } }) },
    }));
    expect(written(world.reconcile(controller, 'ns/web'))).toEqual([]);
    editSpec(world, () => ({ topology: { subsets: patched(withEnv('c')) } }));
    expect(written(world.reconcile(controller, 'ns/web'))).toEqual(['apply b']);
    expect(written(world.reconcile(controller, 'ns/web'))).toEqual([]);
    const { name, generation = 0 } = childOf(world, 'b').metadata;
    const counts = { replicas: 3, readyReplicas: 3, updatedReplicas: 0, availableReplicas: 3 };
    world.edit(deployments as Resource<KubeObject>, { namespace: 'ns', name }, (found) => ({
      ...found,
      status: { ...counts, observedGeneration: generation },
    }));
    world.untilSteady(controller, 'ns/web');
    expect(statusOf(world).updatedReplicas).toBe(3);
  });

  test('that cannot be merged keeps its child as it is and holds up no other', () => {
    const { world, controller } = steady(web(patched(withEnv('b'))));
    editSpec(world, () => ({
      replicas: 8,
      topology: { subsets: patched({ spec: { containers: 'none' } }) },
    }));
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'Deployment 4', b: 'Deployment 3' });
    expect(conditionsOf(world)).toMatchObject({ Ready: 'False InvalidPatch', SubsetFailure: 'True Error' });
    const ready = statusOf(world).conditions?.find(({ type }) => type === 'Ready');
    expect(ready?.message).toContain('b: the patch: spec.containers');
  });

  test('that cannot be merged does not hide why the pods of its child fail', () => {
    const { world, controller } = steady(web(patched(withEnv('b'))));
    editSpec(world, () => ({ topology: { subsets: patched({ spec: { containers: 'none' } }) } }));
    const child = childOf(world, 'b');
    world.edit(deployments as Resource<KubeObject>, keyOf(child), (found) => ({
      ...found,
      status: { ...child.status, readyReplicas: 0, availableReplicas: 0 },
    }));
    const message = 'container web does not start';
    world.findings.set(child.metadata.uid, { word: 'CrashLoopBackOff', message } as Finding);
    world.untilSteady(controller, 'ns/web');
    expect(conditionsOf(world)).toMatchObject({ Ready: 'False CrashLoopBackOff' });
    const ready = statusOf(world).conditions?.find(({ type }) => type === 'Ready');
    expect(ready?.message).toContain(`b: ${message}. The patch of the subset cannot be applied`);
    const { plan } = world.reconcile(controller, 'ns/web');
    expect(plan.holds.map(({ reason }) => reason)).toEqual(['CrashLoopBackOff', 'InvalidPatch']);
  });
});

describe('somebody else', () => {
  test('who changes what we set finds it put back, and what we do not set stays', () => {
    const { world, controller } = steady();
    const { name } = childOf(world, 'b').metadata;
    world.edit(deployments as Resource<KubeObject>, { namespace: 'ns', name }, (found) => {
      const { spec } = found as { readonly spec?: object };
      return { ...found, spec: { ...spec, replicas: 9, paused: true } };
    });
    const reconciled = world.reconcile(controller, 'ns/web');
    expect(written(reconciled)).toEqual(['apply b']);
    expect(childOf(world, 'b').spec).toMatchObject({ replicas: 3, paused: true });
  });

  test('whose child looks like ours keeps it: a label alone makes nothing ours', () => {
    const { world, controller } = steady();
    const stranger = { namespace: 'ns', name: 'their-web' };
    world.put(deployments as Resource<KubeObject>, {
      metadata: { ...stranger, labels: { app: 'web', [labels.subsetName]: 'b' } },
    });
    world.untilSteady(controller, 'ns/web');
    expect(world.get(deployments, stranger).metadata.ownerReferences).toBeUndefined();
  });
});

describe('what is uncertain changes nothing', () => {
  const deciding = [
    'deployments',
    'statefulSets',
    'controllerRevisions',
    'subsetPods',
    'kruiseKeptOff',
    'kruiseValidatingWebhooks',
    'kruiseMutatingWebhooks',
  ] as const;
  test.each(deciding)('%s not yet read', (name) => {
    const { world, controller } = steady();
    editSpec(world, () => ({ topology: { subsets: [zone('d')] } }));
    world.unsynced.add(name);
    const reconciled = world.reconcile(controller, 'ns/web');
    expect(written(reconciled)).toEqual([]);
    expect(conditionsOf(world)['Ready']).toBe('Unknown NotYetObserved');
  });

  test('no subsets, no template and an empty selector are reported, and nothing is deleted', () => {
    const { world, controller } = steady();
    const report = (reason: string): void => {
      world.untilSteady(controller, 'ns/web');
      expect(childrenOf(world)).toEqual({ a: 'Deployment 1', b: 'Deployment 3', c: 'Deployment 2' });
      expect(conditionsOf(world)).toMatchObject({ Ready: `False ${reason}`, Stalled: `True ${reason}` });
    };
    editSpec(world, () => ({ topology: { subsets: [] } }));
    report('NoSubsets');
    editSpec(world, () => ({ topology: { subsets: threeZones }, selector: {} }));
    report('InvalidSelector');
    editSpec(world, ({ template }) => ({ selector: web().spec.selector, template: {} as typeof template }));
    report('InvalidTemplate');
  });
});

test('an object that is being deleted gets no child again, and no status', () => {
  const { world, controller } = steady();
  world.edit(unitedDeployments, webKey, (found) => ({
    ...found,
    metadata: {
      ...found.metadata,
      deletionTimestamp: new Date(world.now).toISOString(),
      finalizers: ['x/y'],
    },
  }));
  world.remove(deployments, keyOf(childOf(world, 'a')));
  const reconciled = world.reconcile(controller, 'ns/web');
  expect(written(reconciled)).toEqual([]);
  expect(reconciled.statusWritten).toBe(false);
});

function refuseSubset(world: FreshWorld, subset: string): void {
  world.refuse = (operation) =>
    'object' in operation && operation.object.metadata.labels?.[labels.subsetName] === subset
      ? refusal()
      : undefined;
}

/** All pods of the subset's child are of its template, and serve nobody yet. */
function noneAvailable(world: FreshWorld, subset: string, kind: ChildKind = 'StatefulSet'): void {
  const { metadata, status } = childOf(world, subset, kind);
  const { name, namespace = '' } = metadata;
  const waiting = { ...status, readyReplicas: 0, availableReplicas: 0 };
  const { resource } = kindFacts[kind];
  world.edit(resource, { namespace, name }, (found) => ({ ...found, status: waiting }));
}

function steady(workload = web()) {
  const { world, controller } = spread(workload);
  world.untilSteady(controller, 'ns/web');
  rollOut(world);
  world.untilSteady(controller, 'ns/web');
  return { world, controller };
}

/** Replicas of each subset, and the partition of the first. */
function shown(world: Parameters<typeof statusOf>[0]): string {
  const { subsetReplicas = {}, updateStatus } = statusOf(world);
  return Object.entries(subsetReplicas)
    .map(([name, replicas]) =>
      name === 'a' ? `${replicas}/${updateStatus?.currentPartitions?.['a']}` : replicas,
    )
    .join(' ');
}

function written({ outcome }: Reconciled): readonly string[] {
  return outcome.results.map(({ step }) => `${step.do} ${step.target ?? '-'}`);
}

function refusal(): ApiError {
  return refusalOf(422, 'create deployments.apps', 'spec.template.spec.containers[0].image: Required value');
}
