import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { NodePool, PoolWorkload } from '@atoll/api';
import { describeFleet, isComplete, type FoundWorkload } from './fleet-state.ts';
import { narrateFleet } from './narrate-fleet.ts';
import { renderFleet } from './render-fleet.ts';

const pool: NodePool = {
  metadata: { name: 'hangzhou' },
  spec: { type: 'Edge', taints: [{ key: 'edge', value: 'x', effect: 'NoSchedule' }] },
  status: { readyNodeNum: 2, unreadyNodeNum: 1 },
};

function workload(
  observedGeneration: number,
  ready: 'True' | 'False',
  readyReplicas: number,
): PoolWorkload & { kind: string } {
  return {
    kind: 'YurtAppDaemon',
    metadata: { namespace: 'edge', name: 'web', generation: 2 },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      nodepoolSelector: {},
      revisionHistoryLimit: 10,
      workloadTemplate: {
        deploymentTemplate: {
          spec: { template: { spec: { containers: [{ name: 'web', image: 'nginx:1' }] } } },
        },
      },
    },
    status: {
      observedGeneration,
      conditions: [
        {
          type: 'Ready',
          status: ready,
          reason: ready === 'True' ? 'RolloutComplete' : 'RollingOut',
          message: '',
        },
      ],
      pools: [
        { name: 'hangzhou', workloadName: 'web-hangzhou-1', replicas: 2, readyReplicas, updatedReplicas: 2 },
      ],
    },
  };
}

const zones = {
  kind: 'UnitedDeployment',
  metadata: { namespace: 'shop', name: 'zones', generation: 1 },
  spec: {
    template: {
      deploymentTemplate: {
        spec: { template: { spec: { containers: [{ name: 'web', image: 'nginx:1' }] } } },
      },
    },
  },
  status: {
    observedGeneration: 1,
    conditions: [{ type: 'Ready', status: 'False', reason: 'RollingOut', message: 'not yet b' }],
    subsetStatuses: [
      { name: 'a', workloadName: 'zones-a-1', replicas: 1, readyReplicas: 1, updatedReplicas: 1 },
      { name: 'b' },
    ],
  },
} as unknown as FoundWorkload;

describe('the state of the fleet', () => {
  it('is complete when every node and every workload is ready', () => {
    const allReady = { ...pool, status: { readyNodeNum: 3, unreadyNodeNum: 0 } };
    expect(isComplete(describeFleet([allReady], [workload(2, 'True', 2)]))).toBe(true);
  });

  it.each([
    ['a node is not ready', [pool], [workload(2, 'True', 2)]],
    ['a workload is not ready', [{ ...pool, status: { readyNodeNum: 3 } }], [workload(2, 'False', 1)]],
    ['a status is older than its spec', [{ ...pool, status: { readyNodeNum: 3 } }], [workload(1, 'True', 2)]],
    ['there is nothing', [], []],
  ])('is not complete when %s', (_, pools, workloads) => {
    expect(isComplete(describeFleet(pools, workloads))).toBe(false);
  });

  it('reads as a table with one line for each child', () => {
    const lines = renderFleet(describeFleet([pool], [workload(2, 'False', 1)]), 7);
    expect(lines.map((line) => stripVTControlCharacters(line))).toEqual([
      'Atoll · 1 pool · 3 nodes · 7 s',
      '',
      'POOL       NODES       TAINTS',
      'hangzhou   2/3 ready   edge=x:NoSchedule',
      '',
      '… YurtAppDaemon edge/web  nginx:1  RollingOut',
      '    hangzhou   web-hangzhou-1   ■▪   1 of 2 pods ready',
    ]);
  });

  it('has a line for each subset of what is spread', () => {
    const state = describeFleet([], [zones]);
    expect(renderFleet(state, 7).map((line) => stripVTControlCharacters(line))).toEqual([
      'Atoll · 0 pools · 0 nodes · 7 s',
      '',
      'POOL   NODES   TAINTS',
      '',
      '… UnitedDeployment shop/zones  nginx:1  not yet b',
      '    a   zones-a-1   ■   1 of 1 pod ready',
      '    b                   no pods yet',
    ]);
    expect(narrateFleet(undefined, state)).toEqual([
      'UnitedDeployment shop/zones in subset a: 1 of 1 pod ready',
      'UnitedDeployment shop/zones in subset b: no pods yet',
      'UnitedDeployment shop/zones with nginx:1: RollingOut: not yet b',
    ]);
    const complete = describeFleet([{ ...pool, status: { readyNodeNum: 3 } }], [workload(2, 'True', 2)]);
    expect(isComplete({ ...complete, workloads: [...complete.workloads, ...state.workloads] })).toBe(false);
  });

  it('is narrated by what changed', () => {
    const before = describeFleet([pool], [workload(2, 'False', 1)]);
    const after = describeFleet([pool], [workload(2, 'True', 2)]);
    expect(narrateFleet(before, after)).toEqual([
      'YurtAppDaemon edge/web in pool hangzhou: 2 of 2 pods ready',
      'YurtAppDaemon edge/web with nginx:1: Ready',
    ]);
    expect(narrateFleet(after, after)).toEqual([]);
  });
});
