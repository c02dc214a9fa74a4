import type { ExtendedDaemonSet } from '@atoll/api';
import type { Pod } from '@atoll/kube';
import { expect, it } from 'vitest';
import { describeExtendedDaemonSet } from './extended-daemon-set-state.ts';

function object(status: object = {}): ExtendedDaemonSet {
  const template = { spec: { containers: [{ name: 'c', image: 'nginx:1.28' }] } };
  return {
    metadata: { namespace: 'default', name: 'agent', generation: 2 },
    spec: { strategy: {}, template },
    status: { observedGeneration: 2, activeReplicaSet: 'agent-1', ...status },
  } as unknown as ExtendedDaemonSet;
}

function pod(node: string, replicaSet: string, of = 'agent'): Pod {
  const labels = {
    'extendeddaemonset.datadoghq.com/name': of,
    'extendeddaemonsetreplicaset.datadoghq.com/name': replicaSet,
  };
  return {
    metadata: { namespace: 'default', name: `${of}-${node}`, labels },
    spec: { nodeName: node, containers: [] },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

const pods = [pod('b', 'agent-1'), pod('a', 'agent-2'), pod('a', 'other-1', 'other')];

it('has a line for each of its own pods, and those of the canary are of the new template', () => {
  const canary = { canary: { replicaSet: 'agent-2', nodes: ['a'] } };
  const { children, image } = describeExtendedDaemonSet(object(canary), pods);
  expect(children.map(({ place, updated, ready }) => [place, updated, ready])).toEqual([
    ['a', 1, 1],
    ['b', 0, 1],
  ]);
  expect(image).toBe('nginx:1.28');
});

it.each([
  [
    'by its condition',
    { conditions: [{ type: 'Ready', status: 'True', reason: 'AllReady' }] },
    true,
    'AllReady',
  ],
  [
    'the operator has not seen the spec',
    { observedGeneration: 1, conditions: [{ type: 'Ready', status: 'True' }] },
    false,
    'NotYetObserved',
  ],
])('is Ready as its condition says: %s', (_, status, ready, reason) => {
  expect(describeExtendedDaemonSet(object(status), pods)).toMatchObject({ ready, reason });
});
