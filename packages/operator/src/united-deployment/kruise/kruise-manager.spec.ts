import { fieldManagers, kruiseManager, type UnitedDeployment } from '@atoll/api';
import {
  deployments,
  mutatingWebhookConfigurations,
  statefulSets,
  validatingAdmissionPolicyBindings,
  validatingWebhookConfigurations,
} from '@atoll/kube';
import type { KubeObject, Reader, Resource, Stored } from '@atoll/kube';
import { describe, expect, test } from 'vitest';
import { FreshWorld } from '../../../simulation/examples/fresh-world.ts';
import { quietMs } from '../../children/ownership/status-writers.ts';
import { kruiseFacts, refusedByLeftWebhooks, conflictOf, type KruiseFacts } from './kruise-manager.ts';

const at = (time: string): number => Date.parse(`2026-11-01T${time}Z`);
const nobody: KruiseFacts = { managers: [], mayRunUnseen: false, keptOffSince: undefined, guarded: [] };
const manager = (runs: boolean) => ({ what: 'Deployment kruise-system/kruise-controller-manager', runs });

interface Written {
  readonly byKruise?: string;
  readonly byUs?: string;
  readonly conditions?: readonly {
    readonly type: string;
    readonly reason: string;
    readonly observedGeneration?: number;
  }[];
}

function web({ byKruise, byUs, conditions = [] }: Written): Stored<UnitedDeployment> {
  const entry = (field: string, time: string | undefined, subresource = 'status') =>
    time === undefined ? [] : [{ manager: field, subresource, time: `2026-11-01T${time}Z` }];
  return {
    metadata: {
      namespace: 'ns',
      name: 'web',
      managedFields: [
        ...entry(kruiseManager.fieldManager, byKruise),
        ...entry(fieldManagers.atoll, byUs),
        // Its webhook fills in the spec; that is no status.
        ...entry(kruiseManager.fieldManager, '10:59:59', ''),
      ],
    },
    status: { conditions },
  } as unknown as Stored<UnitedDeployment>;
}

function limitedTo<T extends KubeObject>(namespace: string, reader: Reader<T>): Reader<T> {
  const { resource, synced } = reader;
  const get = reader.get.bind(reader);
  return {
    resource,
    synced,
    namespaces: [namespace],
    get,
    list: () => reader.list(),
    by: (...of) => reader.by(...of),
  };
}

const progressing = { type: 'Progressing', reason: 'RolloutComplete' };
const held = { type: 'Stalled', reason: 'ServedByKruise' };

describe('a UnitedDeployment', () => {
  test.each<[string, Written, KruiseFacts, string]>([
    ['nothing of Kruise is there', {}, nobody, 'ours'],
    ['its manager runs', {}, { ...nobody, managers: [manager(true)] }, 'runs'],
    ['one of its managers runs', {}, { ...nobody, managers: [manager(false), manager(true)] }, 'runs'],
    ['its webhooks are there and its manager may run unseen', {}, { ...nobody, mayRunUnseen: true }, 'runs'],
    [
      'its manager may run unseen and is kept off',
      {},
      { ...nobody, mayRunUnseen: true, keptOffSince: at('10:00:00') },
      'ours',
    ],
    ['its manager is scaled to zero', {}, { ...nobody, managers: [manager(false)] }, 'ours'],
    [
      'its manager is scaled to zero and wrote a moment ago',
      { byKruise: '10:59:50', byUs: '10:59:40' },
      { ...nobody, managers: [manager(false)] },
      'ours',
    ],
    [
      'its manager runs and is kept off',
      {},
      { ...nobody, managers: [manager(true)], keptOffSince: at('10:00:00') },
      'ours',
    ],
    [
      'its manager wrote before it was kept off',
      { byKruise: '10:58:00', byUs: '10:57:00' },
      { ...nobody, managers: [manager(true)], keptOffSince: at('10:58:00') },
      'ours',
    ],
    [
      'its manager writes although it is kept off',
      { byKruise: '10:59:00', byUs: '10:58:30' },
      { ...nobody, managers: [manager(true)], keptOffSince: at('10:58:00') },
      'writes',
    ],
    ['only Kruise has written the status, as before a take-over', { byKruise: '10:59:50' }, nobody, 'ours'],
    ['we wrote last', { byKruise: '10:59:00', byUs: '10:59:50' }, nobody, 'ours'],
    ['Kruise wrote after us', { byKruise: '10:59:50', byUs: '10:59:00' }, nobody, 'writes'],
    ['both wrote in one second', { byKruise: '10:59:50', byUs: '10:59:50' }, nobody, 'ours'],
    [
      'both wrote in one second, and our conditions are as we wrote them',
      {
        byKruise: '10:59:50',
        byUs: '10:59:50',
        conditions: [{ ...progressing, observedGeneration: 1 }],
      },
      nobody,
      'ours',
    ],
    [
      'both wrote in one second, and our conditions have lost their generation',
      { byKruise: '10:59:50', byUs: '10:59:50', conditions: [progressing] },
      nobody,
      'writes',
    ],
    ['Kruise wrote after us, long ago', { byKruise: '10:50:00', byUs: '10:00:00' }, nobody, 'ours'],
    [
      'Kruise wrote after us, at a time that is far ahead',
      { byKruise: '12:00:00', byUs: '10:59:00' },
      nobody,
      'ours',
    ],
    [
      'Kruise wrote over all that we had written',
      { byKruise: '10:59:50', conditions: [progressing] },
      nobody,
      'writes',
    ],
    [
      'Kruise wrote a short time ago, and we said so since',
      { byKruise: '10:55:00', byUs: '10:55:01', conditions: [held] },
      nobody,
      'writes',
    ],
    [
      'we said so, and Kruise has been quiet since',
      { byKruise: '10:50:00', byUs: '10:50:01', conditions: [held] },
      nobody,
      'ours',
    ],
  ])('where %s', (_name, written, facts, expected) => {
    const conflict = conflictOf(web(written), facts, at('11:00:00'));
    const sign = conflict?.until === undefined ? 'runs' : 'writes';
    expect(conflict === undefined ? 'ours' : sign).toBe(expected);
  });

  test('that somebody else serves names who does, and what ends it', () => {
    expect(conflictOf(web({}), { ...nobody, managers: [manager(true)] }, at('11:00:00'))).toMatchObject({
      reason: 'ServedByKruise',
      problem:
        "OpenKruise's manager, Deployment kruise-system/kruise-controller-manager, controls UnitedDeployments too. Keep it off UnitedDeployments with deploy/optional/kruise-kept-off.yaml. Or, where nothing else needs that manager, delete its webhooks and scale it to zero: webhooks that nothing answers stop every new pod in the cluster",
    });
    expect(conflictOf(web({ byKruise: '10:59:50', byUs: '10:59:00' }), nobody, at('11:00:00'))).toMatchObject(
      {
        reason: 'ServedByKruise',
        problem:
          'a manager of OpenKruise wrote the status at 2026-11-01T10:59:50Z. Keep it off UnitedDeployments with deploy/optional/kruise-kept-off.yaml. Or, where nothing else needs that manager, delete its webhooks and scale it to zero: webhooks that nothing answers stop every new pod in the cluster',
        waitingUntil: 'it has written nothing for 10 minutes',
        until: at('10:59:50') + quietMs,
      },
    );
  });
});

describe('what is seen of Kruise', () => {
  function put(world: FreshWorld, resource: Resource<KubeObject>, metadata: object, content: object): void {
    world.put(resource, { metadata, ...content } as unknown as KubeObject);
  }

  test('is nothing in a cluster without it', () => {
    expect(kruiseFacts(new FreshWorld().readers)).toEqual(nobody);
  });

  test('is its manager in any namespace, as a Deployment or as the StatefulSet of old releases', () => {
    const world = new FreshWorld();
    const name = kruiseManager.workload;
    put(world, deployments, { namespace: 'kruise-system', name }, { spec: { replicas: 2 } });
    put(
      world,
      deployments,
      { namespace: 'ingress', name },
      { spec: { replicas: 0 }, status: { replicas: 0 } },
    );
    put(
      world,
      deployments,
      { namespace: 'ending', name },
      { spec: { replicas: 0 }, status: { replicas: 1 } },
    );
    put(world, deployments, { namespace: 'ingress', name: 'manager' }, { spec: { replicas: 2 } });
    put(world, statefulSets, { namespace: 'old', name }, { spec: {} });
    expect(kruiseFacts(world.readers).managers).toEqual([
      { what: `Deployment ending/${name}`, runs: true },
      { what: `Deployment ingress/${name}`, runs: false },
      { what: `Deployment kruise-system/${name}`, runs: true },
      { what: `StatefulSet old/${name}`, runs: true },
    ]);
  });

  test.each<[readonly string[], boolean]>([
    [['Deny'], true],
    [['Warn', 'Audit'], false],
  ])('is the policy that keeps it off where its binding says %j: %j', (validationActions, keptOff) => {
    const world = new FreshWorld();
    const metadata = { name: 'united-deployments-without-kruise.atoll.dev' };
    put(world, validatingAdmissionPolicyBindings, metadata, { spec: { validationActions } });
    expect(kruiseFacts(world.readers).keptOffSince).toBe(keptOff ? world.now : undefined);
  });

  test('is that its manager may run unseen where its webhooks are and only some namespaces are seen', () => {
    const world = new FreshWorld();
    const limited = () =>
      kruiseFacts({ ...world.readers, deployments: limitedTo('edge', world.readers.deployments) });
    expect(limited().mayRunUnseen).toBe(false);
    put(world, validatingWebhookConfigurations, { name: kruiseManager.validatingWebhooks }, { webhooks: [] });
    expect([limited().mayRunUnseen, kruiseFacts(world.readers).mayRunUnseen]).toEqual([true, false]);
    put(world, deployments, { namespace: 'edge', name: kruiseManager.workload }, { spec: { replicas: 0 } });
    expect(limited().mayRunUnseen).toBe(false);
  });

  test('is what its webhooks guard while nobody answers for them', () => {
    const world = new FreshWorld();
    const webhook = (failurePolicy: string | undefined, ...resources: readonly string[]) => ({
      ...(failurePolicy === undefined ? {} : { failurePolicy }),
      rules: [{ resources }],
    });
    put(
      world,
      validatingWebhookConfigurations,
      { name: kruiseManager.validatingWebhooks },
      { webhooks: [webhook('Fail', 'uniteddeployments'), webhook('Ignore', 'nodes')] },
    );
    put(
      world,
      mutatingWebhookConfigurations,
      { name: kruiseManager.mutatingWebhooks },
      { webhooks: [webhook(undefined, 'uniteddeployments', 'pods')] },
    );
    const facts = kruiseFacts(world.readers);
    expect(facts.guarded).toEqual(['pods', 'uniteddeployments']);
    expect(refusedByLeftWebhooks(facts)).toContain(
      'the API server refuses writes of pods, uniteddeployments',
    );
    expect(refusedByLeftWebhooks({ ...facts, managers: [manager(false)] })).toBeDefined();
    expect(refusedByLeftWebhooks({ ...facts, managers: [manager(true)] })).toBeUndefined();
    expect(refusedByLeftWebhooks(nobody)).toBeUndefined();
    expect(refusedByLeftWebhooks({ ...facts, mayRunUnseen: true })).toBeUndefined();
  });
});
