import { describe, expect, test } from 'vitest';
import { fieldManagers, kruiseKeptOffPolicy, kruiseManager, unitedDeployments } from '@atoll/api';
import {
  controllerRevisions,
  deployments,
  validatingAdmissionPolicyBindings,
  validatingWebhookConfigurations,
} from '@atoll/kube';
import type { Deployment, KubeObject } from '@atoll/kube';
import type { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import {
  childrenOf,
  conditionsOf,
  setImage,
  spread,
  statusOf,
  webKey,
} from '../../../simulation/examples/spread-example.ts';
import { quietMs } from '../../children/ownership/status-writers.ts';

const manager = { namespace: 'kruise-system', name: kruiseManager.workload };

function installKruise(world: FreshWorld): void {
  world.put(deployments, { metadata: manager, spec: { replicas: 2 }, status: {} } as unknown as Deployment);
}

function stopKruise(world: FreshWorld): void {
  world.edit(deployments, manager, (found) => ({ ...found, spec: { ...found.spec, replicas: 0 } }));
}

/** But for the manager of Kruise, which is a Deployment too. */
function ourChildren(world: FreshWorld): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(childrenOf(world)).filter(([name]) => name !== manager.name));
}

/** The API server writes down who wrote the status, and when. */
function statusWrittenBy(world: FreshWorld, fieldManager: string): void {
  const time = new Date(world.now).toISOString().replace('.000Z', 'Z');
  world.edit(unitedDeployments, webKey, (found) => ({
    ...found,
    metadata: {
      ...found.metadata,
      managedFields: [
        ...(found.metadata.managedFields ?? []).filter((entry) => entry.manager !== fieldManager),
        { manager: fieldManager, subresource: 'status', time },
      ],
    },
  }));
}

describe('where the manager of Kruise runs, a UnitedDeployment', () => {
  test('gets no child from us, and reports why', () => {
    const { world, controller } = spread();
    installKruise(world);
    const [reconciled, ...more] = world.untilSteady(controller, 'ns/web');
    expect(more).toEqual([]);
    expect([ourChildren(world), world.list(controllerRevisions)]).toEqual([{}, []]);
    expect(reconciled?.plan.holds).toMatchObject([
      { reason: 'ServedByKruise', waitsFor: 'person', bad: true },
    ]);
    expect(conditionsOf(world)).toEqual({
      Ready: 'False ServedByKruise',
      Progressing: 'False ServedByKruise',
      Degraded: 'True ServedByKruise',
      Stalled: 'True ServedByKruise',
    });
  });

  test('keeps the status that Kruise writes, to the letter', () => {
    const { world, controller } = spread();
    installKruise(world);
    const condition = { type: 'SubsetUpdated', status: 'True', lastTransitionTime: '2026-11-01T09:00:00Z' };
    const theirs = { observedGeneration: 1, replicas: 6, subsetReplicas: { a: 6 }, currentRevision: 'web-1' };
    world.edit(unitedDeployments, webKey, (found) => ({
      ...found,
      status: { ...theirs, conditions: [condition] },
    }));
    world.untilSteady(controller, 'ns/web');
    const { conditions, ...status } = statusOf(world);
    expect(status).toEqual(theirs);
    expect(conditions?.find(({ type }) => type === 'SubsetUpdated')).toEqual(condition);
    expect(conditions?.map(({ type }) => type)).not.toContain('SubsetFailure');
  });

  test('that is ours already is left as it is, whatever changes', () => {
    const { world, controller } = spread();
    world.untilSteady(controller, 'ns/web');
    const before = ourChildren(world);
    installKruise(world);
    setImage(world, 'web:2');
    expect(world.untilSteady(controller, 'ns/web').flatMap(({ plan }) => plan.stages)).toEqual([]);
    expect(ourChildren(world)).toEqual(before);
  });

  test('is ours as soon as the manager is scaled to zero', () => {
    const { world, controller } = spread();
    installKruise(world);
    world.untilSteady(controller, 'ns/web');
    stopKruise(world);
    world.untilSteady(controller, 'ns/web');
    expect(Object.keys(ourChildren(world))).toEqual(['a', 'b', 'c']);
    expect(conditionsOf(world)['Stalled']).toBeUndefined();
  });

  test('is ours as soon as the manager is kept off', () => {
    const { world, controller } = spread();
    installKruise(world);
    world.untilSteady(controller, 'ns/web');
    world.put(validatingAdmissionPolicyBindings, {
      metadata: { name: kruiseKeptOffPolicy },
      spec: { policyName: kruiseKeptOffPolicy, validationActions: ['Deny'] },
    });
    world.untilSteady(controller, 'ns/web');
    expect(Object.keys(ourChildren(world))).toEqual(['a', 'b', 'c']);
  });

  test('does not count as its before it is read whether the manager is kept off', () => {
    const { world, controller } = spread();
    installKruise(world);
    world.unsynced.add('kruiseKeptOff');
    world.reconcile(controller, 'ns/web');
    expect(conditionsOf(world)['Ready']).toBe('Unknown NotYetObserved');
  });

  test('is woken when it is installed, stopped or kept off', () => {
    const { world, controller } = spread();
    const enqueues = (name: 'deployments' | 'kruiseKeptOff', object: KubeObject): readonly string[] => {
      const { keysFor } = controller.sources.find(({ reader }) => reader === world.readers[name]) ?? {};
      return [...(keysFor?.({ type: 'added', object: object as never }) ?? [])];
    };
    expect(enqueues('deployments', { metadata: manager })).toEqual(['ns/web']);
    expect(enqueues('deployments', { metadata: { ...manager, name: 'another' } })).toEqual([]);
    expect(enqueues('kruiseKeptOff', { metadata: { name: kruiseKeptOffPolicy } })).toEqual(['ns/web']);
  });
});

describe('where somebody writes a status after us as Kruise does, a UnitedDeployment', () => {
  test('is left alone, looked at again when the sign is old, and then ours', () => {
    const { world, controller } = spread();
    world.untilSteady(controller, 'ns/web');
    statusWrittenBy(world, fieldManagers.atoll);
    world.now += 5000;
    statusWrittenBy(world, kruiseManager.fieldManager);
    setImage(world, 'web:2');
    const [reconciled] = world.untilSteady(controller, 'ns/web');
    expect([reconciled?.plan.stages, reconciled?.plan.requeueAt]).toEqual([[], world.now + quietMs]);
    expect(conditionsOf(world)['Stalled']).toBe('True ServedByKruise');
    // Our own word is newer now, and does not end it.
    world.now += 1000;
    statusWrittenBy(world, fieldManagers.atoll);
    expect(world.untilSteady(controller, 'ns/web')).toEqual([]);
    world.now += quietMs;
    const reconciles = world.untilSteady(controller, 'ns/web');
    expect(reconciles.flatMap(({ outcome }) => outcome.results.map(({ step }) => step.do))).toContain(
      'apply',
    );
    expect(conditionsOf(world)['Stalled']).toBeUndefined();
  });
});

describe('where Kruise left webhooks that nobody answers for, a UnitedDeployment', () => {
  test('is served, and reports what the API server refuses', () => {
    const { world, controller } = spread();
    world.put(validatingWebhookConfigurations, {
      metadata: { name: kruiseManager.validatingWebhooks },
      webhooks: [
        {
          name: 'vuniteddeployment.kb.io',
          failurePolicy: 'Fail',
          rules: [{ resources: ['uniteddeployments'] }],
          clientConfig: {},
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    });
    const [reconciled] = world.untilSteady(controller, 'ns/web');
    expect(Object.keys(ourChildren(world))).toEqual(['a', 'b', 'c']);
    const hold = reconciled?.plan.holds.find(({ reason }) => reason === 'KruiseWebhooksLeft');
    expect(hold?.problem).toContain('the API server refuses writes of uniteddeployments');
  });
});
