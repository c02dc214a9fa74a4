import { expect, it } from 'vitest';
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

it('a template that takes each node down soon after its pod was Ready stops its rollout', () => {
  const [old, current] = [replicaSet(1), replicaSet(2)];
  const object = agent('agent:2', { status: { activeReplicaSet: 'agent-2' } });
  const gone = ['a', 'b', 'c'].map((name) => {
    const pod = podOn(name, current, { ready: false, created: ago(60) });
    const conditions = [{ type: 'Ready', status: 'False' as const, lastTransitionTime: ago(10) }];
    return { ...pod, status: { ...pod.status, conditions } };
  });
  const nodes = [
    ...['a', 'b', 'c'].map((name) => node(name, { awaySince: ago(10) })),
    ...nodesNamed('d', 'e'),
  ];
  const pods = [...gone, podOn('d', old), podOn('e', old)];
  const { fleet } = decide(snapshotOf({ object, replicaSets: [old, current], nodes, pods }), now);
  expect(fleet?.active?.deleted.map(({ target }) => target.id)).toEqual([]);
});
