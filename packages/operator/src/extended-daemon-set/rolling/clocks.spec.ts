// Clocks that are set back, and kubelets whose clock is ahead or behind: nothing waits until they agree again, and nothing is done too soon.
import { expect, it } from 'vitest';
import { replaceAt } from '../fleet/failed-pods.ts';
import { decide } from '../decide.ts';
import {
  agent,
  ago,
  node,
  nodesNamed,
  now,
  podOn,
  replicaSet,
  snapshotOf,
} from '../extended-daemon-set.fixture.ts';

const hour = -3_600;

function rolledAfter(seconds: number) {
  const conditions = [{ type: 'PodDeletion', status: 'True', lastUpdateTime: ago(seconds) }];
  const [old, current] = [replicaSet(1), replicaSet(2, { conditions })];
  const object = agent('agent:2', { status: { activeReplicaSet: 'agent-2' } });
  const pods = [podOn('a', old), podOn('b', current, { created: ago(seconds) })];
  const strategyOf = { ...object.spec.strategy, reconcileFrequency: '10s' };
  const limited = { slowStartIntervalDuration: '1m', slowStartAdditiveIncrease: 1 };
  const strategy = { ...strategyOf, rollingUpdate: limited };
  const timed = { ...object, spec: { ...object.spec, strategy } };
  const snapshot = snapshotOf({
    object: timed,
    replicaSets: [old, current],
    nodes: nodesNamed('a', 'b'),
    pods,
  });
  return decide(snapshot, now).fleet?.active?.deleted.map(({ target }) => target.id);
}

it('a batch and pods of the future hold nothing, and those of now do', () => {
  expect(rolledAfter(5)).toEqual([]);
  expect(rolledAfter(-5)).toEqual([]);
  expect(rolledAfter(hour)).toEqual(['a']);
});

it('a pod that failed in the future is replaced as if it had failed when it was made', () => {
  const failed = podOn('a', replicaSet(1), { phase: 'Failed', ready: false, created: ago(60) });
  const condition = { type: 'Ready', status: 'False', lastTransitionTime: ago(hour) };
  const ahead = { ...failed, status: { ...failed.status, conditions: [condition] } };
  expect(replaceAt(ahead, now)).toBe(now - 60_000);
});

it.each([
  ['has tainted it', [{ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute', timeAdded: ago(0) }]],
  ['has not tainted it yet', []],
])(
  'a node that is not Ready since a moment by a kubelet whose clock is an hour behind counts where the controller %s',
  (_, taints) => {
    const conditions = [{ type: 'Ready', status: 'False' as const, lastTransitionTime: ago(3_600) }];
    const away = { ...node('a'), spec: { taints }, status: { conditions } };
    const [old, current] = [replicaSet(1), replicaSet(2)];
    const object = agent('agent:2', { status: { activeReplicaSet: 'agent-2' } });
    const pods = [podOn('a', current, { ready: false, created: ago(120) }), podOn('b', old)];
    const nodes = [away, node('b')];
    const { fleet, requeueAt } = decide(
      snapshotOf({ object, replicaSets: [old, current], nodes, pods }),
      now,
    );
    expect(fleet?.active?.deleted).toEqual([]);
    expect(requeueAt).toBe(now + 600_000);
  },
);
