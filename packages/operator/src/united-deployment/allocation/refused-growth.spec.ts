import { describe, expect, it } from 'vitest';
import { fieldManagers, unitedDeployments, type UnitedDeployment } from '@atoll/api';
import { deployments, keyOf, type ApiError } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import type { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import type { Operation } from '../../../simulation/model/api-server.ts';
import {
  childrenOf,
  conditionsOf,
  editSpec,
  setImage,
  spread,
  web,
  webKey,
  zone,
} from '../../../simulation/examples/spread-example.ts';

/** A policy that lets the child of a subset have no more than so many replicas. */
function atMost(most: number, subset = 'b') {
  return (operation: Operation): ApiError | undefined => {
    if (operation.verb !== 'apply' || !operation.object.metadata.name.startsWith(`web-${subset}`))
      return undefined;
    const { replicas = 0 } = (operation.object as { spec?: { replicas?: number } }).spec ?? {};
    if (replicas <= most) return undefined;
    const message = `admission webhook "policy" denied the request: at most ${most} replicas`;
    return refusalOf(403, 'apply', message);
  };
}

/** A total of 7, of which a has 5 and b 2. */
function made(more: Parameters<typeof zone>[1] = {}) {
  const found = spread(web([zone('a', { replicas: 5 }), zone('b', more)], 'Deployment', { replicas: 7 }));
  found.world.untilSteady(found.controller, 'ns/web');
  return found;
}

function reconcile({ world, controller }: ReturnType<typeof made>, times: number) {
  return Array.from({ length: times }, () => world.reconcile(controller, 'ns/web'));
}

function moveTo(world: FreshWorld, a: number, replicas: number): void {
  editSpec(world, () => ({ replicas, topology: { subsets: [zone('a', { replicas: a }), zone('b')] } }));
}

describe('replicas that move to a child that may not have them', () => {
  it.each([
    ['stays', 7, { a: 'Deployment 5', b: 'Deployment 2' }],
    ['grows', 8, { a: 'Deployment 5', b: 'Deployment 2' }],
    ['shrinks', 6, { a: 'Deployment 4', b: 'Deployment 2' }],
  ])('stay where they are while the total %s, and move when it may', (_, total, meanwhile) => {
    const found = made();
    const { world, controller } = found;
    world.refuse = atMost(2);
    moveTo(world, 1, total);
    reconcile(found, 6);
    expect(childrenOf(world)).toEqual(meanwhile);
    world.refuse = () => undefined;
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'Deployment 1', b: `Deployment ${total - 1}` });
  });

  it('are not tried before what is too much anyhow goes', () => {
    const found = made();
    moveTo(found.world, 1, 6);
    const [first] = reconcile(found, 1);
    const steps = first?.plan.stages.flatMap((stage) => stage.steps) ?? [];
    expect(steps.filter((step) => step.do === 'try')).toEqual([]);
    expect(steps.find((step) => step.do === 'apply' && step.target === 'a')).not.toHaveProperty('dependsOn');
  });

  it('move as far as others may have them', () => {
    const subsets = [zone('a', { replicas: 6 }), zone('b', { replicas: 1 }), zone('c', { replicas: 1 })];
    const found = spread(web(subsets, 'Deployment', { replicas: 8 }));
    found.world.untilSteady(found.controller, 'ns/web');
    found.world.refuse = atMost(1, 'c');
    editSpec(found.world, () => ({
      topology: {
        subsets: [zone('a', { replicas: 2 }), zone('b', { replicas: 3 }), zone('c', { replicas: 3 })],
      },
    }));
    reconcile(found, 6);
    expect(childrenOf(found.world)).toEqual({ a: 'Deployment 4', b: 'Deployment 3', c: 'Deployment 1' });
    found.world.refuse = () => undefined;
    found.world.untilSteady(found.controller, 'ns/web');
    expect(childrenOf(found.world)).toEqual({ a: 'Deployment 2', b: 'Deployment 3', c: 'Deployment 3' });
  });

  it('move elsewhere when the spec says so', () => {
    const found = made();
    found.world.refuse = atMost(5);
    moveTo(found.world, 1, 7);
    reconcile(found, 3);
    moveTo(found.world, 3, 7);
    reconcile(found, 3);
    expect(childrenOf(found.world)).toEqual({ a: 'Deployment 3', b: 'Deployment 4' });
  });

  it('keep no template from being written', () => {
    const found = made();
    found.world.refuse = atMost(2);
    moveTo(found.world, 1, 7);
    reconcile(found, 2);
    setImage(found.world, 'web:2');
    reconcile(found, 3);
    const { subsetStatuses = [] } = found.world.get(unitedDeployments, webKey).status ?? {};
    expect(new Set(subsetStatuses.map(({ revision }) => revision)).size).toBe(1);
    expect(subsetStatuses[0]?.revision).toBe(
      found.world.get(unitedDeployments, webKey).status?.updatedRevision,
    );
  });

  it('are in the conditions with the answer', () => {
    const found = made();
    found.world.refuse = atMost(2);
    moveTo(found.world, 1, 7);
    reconcile(found, 3);
    expect(conditionsOf(found.world)).toMatchObject({ Ready: 'False ChildRefused' });
    const { conditions = [] } = found.world.get(unitedDeployments, webKey).status ?? {};
    expect(conditions.find(({ type }) => type === 'Ready')?.message).toMatchInlineSnapshot(
      `"b: apply: the API server would refuse the change of Deployment web-b-6dgqkr5g, so no other one shrinks or is deleted for it: admission webhook "policy" denied the request: at most 2 replicas"`,
    );
  });
});

/** As the API server, which fills in what nobody wrote and nobody owns. */
function fillInRollingUpdate(world: FreshWorld): void {
  const ours = { manager: fieldManagers.atoll, operation: 'Apply', fieldsV1: { 'f:spec': {} } };
  const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } };
  for (const { metadata } of world.list(deployments)) {
    world.edit(deployments, keyOf({ metadata }), (found) => ({
      ...found,
      metadata: { ...found.metadata, managedFields: [ours] },
      spec: { ...found.spec, strategy },
    }));
  }
}

describe('replicas that move to a child whose strategy becomes Recreate', () => {
  const refusesRecreate = (operation: Operation): ApiError | undefined => {
    if (operation.verb !== 'apply' || !operation.object.metadata.name.startsWith('web-b')) return undefined;
    const { strategy } = (operation.object as { spec?: { strategy?: { type?: string } } }).spec ?? {};
    if (strategy?.type !== 'Recreate') return undefined;
    return refusalOf(403, 'apply', 'admission webhook "policy" denied the request: Recreate');
  };
  /** The owners of its fields are changed by a patch of the version that was seen. */
  const isBehind = (operation: Operation): ApiError | undefined =>
    operation.verb === 'patch' && operation.key.name.startsWith('web-b')
      ? refusalOf(409, 'patch', 'the object has been modified')
      : undefined;

  it.each([
    ['stays', 7],
    ['grows', 8],
  ])('stay where they are while the total %s and that is refused', (_, total) => {
    const found = made();
    const { world, controller } = found;
    fillInRollingUpdate(world);
    moveTo(world, 1, total);
    editSpec(world, ({ template: { deploymentTemplate: given } }) => {
      const spec = { ...given?.spec, strategy: { type: 'Recreate' } };
      return { template: { deploymentTemplate: { ...given, spec } } as UnitedDeployment['spec']['template'] };
    });
    world.refuse = isBehind;
    reconcile(found, 1);
    world.refuse = refusesRecreate;
    reconcile(found, 6);
    expect(childrenOf(world)).toEqual({ a: 'Deployment 5', b: 'Deployment 2' });
    world.refuse = () => undefined;
    world.untilSteady(controller, 'ns/web');
    expect(childrenOf(world)).toEqual({ a: 'Deployment 1', b: `Deployment ${total - 1}` });
  });
});

describe('a move that nobody refuses', () => {
  it('is tried once for each child that grows, and only while something moves', () => {
    const found = made();
    moveTo(found.world, 4, 7);
    const results = reconcile(found, 3).flatMap(({ outcome }) => outcome.results);
    expect(results.map(({ step, did }) => `${step.do} ${step.target} ${did}`)).toEqual([
      'try b done',
      'apply a done',
      'apply b done',
    ]);
    moveTo(found.world, 4, 9);
    const grown = reconcile(found, 3).flatMap(({ outcome }) => outcome.results);
    expect(grown.map(({ step }) => `${step.do} ${step.target}`)).toEqual(['apply b']);
  });
});
