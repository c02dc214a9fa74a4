import { daemonSetUpdate } from '@atoll/api';
import { gaugesText, type KubeObject, type Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { daemonSetFigures } from '../daemon-set/figures.ts';
import { extendedDaemonSetFigures } from '../extended-daemon-set/gauges/figures.ts';
import { nodePoolFigures } from '../node-pool/figures.ts';
import { poolWorkloadFigures } from '../pool-workload/figures.ts';
import { unitedDeploymentFigures } from '../united-deployment/figures.ts';
import {
  figureFamilies,
  figuresOf,
  figuresPerController,
  type ControllerFigures,
  type FiguresOf,
  type ObjectFigures,
} from './object-figures.ts';

const held = [{ type: 'Ready', status: 'False', reason: 'MaxUnavailableReached' }];

const everyKind = [
  nodePoolFigures,
  poolWorkloadFigures,
  unitedDeploymentFigures,
  extendedDaemonSetFigures,
  daemonSetFigures,
] as readonly FiguresOf<KubeObject>[];
const asked = { [daemonSetUpdate.annotations.updateStrategy]: 'OTA' };

/** An object as the API server stores it, as far as figures read it. */
function stored(parts: object): never {
  return {
    metadata: { namespace: 'edge', name: 'agent', uid: 'a', resourceVersion: '1' },
    ...parts,
  } as never;
}

describe('the figures', () => {
  it.each<readonly [string, ObjectFigures | undefined, ObjectFigures | undefined]>([
    [
      'of a pool count nodes',
      nodePoolFigures(stored({ status: { readyNodeNum: 2, unreadyNodeNum: 1, conditions: held } })),
      { desired: 3, available: 2, waitsFor: 'MaxUnavailableReached' },
    ],
    [
      'of a workload in pools are the sum over these',
      poolWorkloadFigures(
        stored({
          status: {
            pools: [{ replicas: 2, updatedReplicas: 1, availableReplicas: 2 }, { replicas: 1 }],
            conditions: [{ type: 'Ready', status: 'True', reason: 'RolloutComplete' }],
          },
        }),
      ),
      { desired: 3, updated: 1, available: 2, waitsFor: undefined },
    ],
    [
      'of a UnitedDeployment have its total',
      unitedDeploymentFigures(
        stored({
          spec: { replicas: 5 },
          status: {
            updatedReplicas: 4,
            subsetStatuses: [{ availableReplicas: 3 }, { availableReplicas: 1 }],
          },
        }),
      ),
      { desired: 5, updated: 4, available: 4, waitsFor: undefined },
    ],
    [
      'of an ExtendedDaemonSet report how its canary stands',
      extendedDaemonSetFigures(
        stored({
          status: { desired: 9, upToDate: 1, available: 8, state: 'Canary Paused', conditions: held },
        }),
      ),
      { desired: 9, updated: 1, available: 8, waitsFor: 'MaxUnavailableReached', canary: 'paused' },
    ],
    [
      'of a DaemonSet that asks for nothing are none',
      daemonSetFigures(stored({ status: { desiredNumberScheduled: 3 } })),
      undefined,
    ],
    [
      'of a DaemonSet that asks for a strategy count what its status leaves out as 0',
      daemonSetFigures(
        stored({ metadata: { annotations: asked }, status: { desiredNumberScheduled: 3, numberReady: 0 } }),
      ),
      { desired: 3, updated: 0, available: 0, waitsFor: undefined },
    ],
    [
      'of a DaemonSet whose controller has not counted yet are unknown',
      daemonSetFigures(stored({ metadata: { annotations: asked } })),
      { desired: undefined, updated: undefined, available: undefined, waitsFor: undefined },
    ],
    [
      'of an object without a status are unknown',
      poolWorkloadFigures(stored({ spec: {} })),
      { desired: undefined, updated: undefined, available: undefined, waitsFor: undefined },
    ],
  ])('%s', (_, found, expected) => {
    expect(found).toEqual(expected);
  });

  it.each<readonly [string, unknown]>([
    ['a text', 'abc'],
    ['a list', [1]],
    ['conditions that are a text', { conditions: 'abc' }],
    ['conditions that are no objects', { conditions: [null, 3] }],
    ['a reason that is a number', { conditions: [{ type: 'Ready', status: 'False', reason: 3 }] }],
    ['a reason that is an object', { conditions: [{ type: 'UpToDate', status: 'False', reason: {} }] }],
    ['pools and subsets that are a number', { pools: 3, subsetStatuses: 3 }],
    ['pools and subsets that are none', { pools: [null], subsetStatuses: [null] }],
    [
      'counts that are texts',
      { readyNodeNum: 'a', desired: 'a', available: {}, upToDate: [], pools: [{ replicas: 'a' }] },
    ],
    ['a state that is the name of a method', { state: 'constructor' }],
  ])('of an object whose status is %s hide those of no other', (_, status) => {
    for (const of of everyKind) {
      const well = stored({ metadata: { name: 'well', annotations: asked }, spec: {}, status: {} });
      const strange = stored({ metadata: { name: 'strange', annotations: asked }, spec: {}, status });
      const objects = figuresOf<KubeObject>({ synced: true, list: () => [strange, well] }, of);
      expect(objects.map(({ name }) => name)).toEqual(['strange', 'well']);
      const text = gaugesText(figureFamilies([{ controller: 'any', objects }]));
      const values = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
      expect(values.filter((line) => !/^[a-z_]+{[^}]*} \d+$/.test(line))).toEqual([]);
    }
  });

  it('are none while it is not known which objects there are', () => {
    const reader = { synced: false, list: (): readonly Stored<KubeObject>[] => [stored({})] };
    expect(figuresOf(reader, () => ({ desired: 1, available: 1, waitsFor: undefined }))).toEqual([]);
  });
});

describe('the metrics of objects', () => {
  const calm = { namespace: 'edge', desired: 2, available: 2, waitsFor: undefined };
  const many: ControllerFigures = {
    controller: 'node-pool',
    objects: [
      ...Array.from({ length: figuresPerController + 5 }, (_, index) => ({ ...calm, name: `pool-${index}` })),
      { ...calm, name: 'waiting', waitsFor: 'NodeNotReady', canary: 'failed' as const },
    ],
  };
  const few: ControllerFigures = {
    controller: 'united-deployment',
    objects: [{ ...calm, name: 'web', updated: 1 }],
  };
  const families = new Map(figureFamilies([many, few]).map(({ name, samples }) => [name, samples]));

  it('name at most so many objects of one controller, those that wait first, and count the rest', () => {
    const desired = families.get('atoll_object_desired') ?? [];
    expect(desired.filter(({ labels }) => labels['controller'] === 'node-pool')).toHaveLength(
      figuresPerController,
    );
    expect(desired).toContainEqual({
      labels: { controller: 'united-deployment', namespace: 'edge', name: 'web' },
      value: 2,
    });
    expect(families.get('atoll_objects')?.map(({ value }) => value)).toEqual([figuresPerController + 6, 1]);
    expect(families.get('atoll_objects_unnamed')?.map(({ value }) => value)).toEqual([6, 0]);
  });

  it('report what an object waits for, and how its canary stands', () => {
    const labels = { controller: 'node-pool', namespace: 'edge', name: 'waiting' };
    expect(families.get('atoll_object_waits')).toEqual([
      { labels: { ...labels, waits_for: 'NodeNotReady' }, value: 1 },
    ]);
    expect(families.get('atoll_object_canary')).toEqual([
      { labels: { ...labels, state: 'failed' }, value: 1 },
    ]);
  });

  it('leave out numbers that a kind does not have', () => {
    expect(families.get('atoll_object_updated')).toHaveLength(1);
  });
});
