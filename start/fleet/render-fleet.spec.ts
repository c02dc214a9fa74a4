import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { ChildState, FleetState, WorkloadState } from './fleet-state.ts';
import { idOf, renderFleet } from './render-fleet.ts';

const child = (place: string, of: Partial<ChildState> = {}): ChildState => ({
  place,
  workloadName: `w-${place}`,
  replicas: 1,
  ready: 1,
  updated: 1,
  ...of,
});
const workload = (name: string, count: number, of: Partial<WorkloadState> = {}): WorkloadState => ({
  kind: 'UnitedDeployment',
  namespace: 'default',
  name,
  image: 'nginx:1.27',
  ready: true,
  reason: 'RolloutComplete',
  message: '',
  places: 'node',
  children: Array.from({ length: count }, (_, index) => child(`n${index + 1}`)),
  ...of,
});
const pools = ['beijing', 'hangzhou', 'shanghai'].map((name) => ({
  name,
  nodes: 3,
  readyNodes: 3,
  taints: [],
}));
const lines = (state: FleetState, room?: number, newest?: readonly string[]): readonly string[] =>
  renderFleet(state, 7, room, newest).map((line) => stripVTControlCharacters(line));

describe('the view of a fleet', () => {
  const broken = workload('broken', 9, {
    ready: false,
    message: 'n8: waiting until the pods are available',
    children: Array.from({ length: 9 }, (_, index) =>
      child(`n${index + 1}`, index === 7 ? { ready: 0, updated: 0 } : {}),
    ),
  });
  const state = { pools, workloads: [workload('a', 3), workload('b', 9), broken] };

  it('has every place of every workload where there is room', () => {
    expect(lines(state)).toHaveLength(1 + 1 + 4 + 3 * 2 + 21);
  });

  it('has all pools and workloads in little room, the worst first, the rest folded', () => {
    expect(lines(state, 13)).toEqual([
      'Atoll · 3 pools · 9 nodes · 7 s',
      '',
      'POOL       NODES       TAINTS',
      'beijing    3/3 ready   -',
      'hangzhou   3/3 ready   -',
      'shanghai   3/3 ready   -',
      '',
      '… UnitedDeployment default/broken  nginx:1.27  n8: waiting until the pods are available',
      '    n8   w-n8   ·   0 of 1 pod ready, 0 of the new template',
      '    n1   w-n1   ■   1 of 1 pod ready',
      '    … 7 more nodes, all ready',
      '✔ UnitedDeployment default/a  nginx:1.27  Ready',
      '✔ UnitedDeployment default/b  nginx:1.27  Ready',
    ]);
  });

  it('shows what changed last before what changed earlier', () => {
    const calm = { pools, workloads: [workload('a', 3), workload('b', 3)] };
    const heads = lines(calm, 12, [idOf(workload('b', 3)), idOf(workload('a', 3))]).slice(7);
    expect(heads).toEqual([
      '✔ UnitedDeployment default/b  nginx:1.27  Ready',
      '    n1   w-n1   ■   1 of 1 pod ready',
      '    n2   w-n2   ■   1 of 1 pod ready',
      '    n3   w-n3   ■   1 of 1 pod ready',
      '✔ UnitedDeployment default/a  nginx:1.27  Ready',
    ]);
  });

  it.each([9, 8, 5])('takes %i lines where it can', (room) => {
    expect(lines(state, room).length).toBeLessThanOrEqual(room);
    expect(lines(state, room).join('\n')).toContain('shanghai');
  });
});
