import { nodeResourcesAnnotation } from '@atoll/api';
import { describe, expect, it } from 'vitest';
import { decide } from '../decide.ts';
import { agent, ago, node, now, podOn, replicaSet, snapshotOf } from '../extended-daemon-set.fixture.ts';

const key = nodeResourcesAnnotation('edge', 'agent', 'agent');

it('overrides of nodes that cannot be used are one hold, which names all of them and the first problem', () => {
  const nodes = ['b', 'a', 'c'].map((name) =>
    node(name, { annotations: name === 'c' ? {} : { [key]: '{' } }),
  );
  const { holds } = decide(snapshotOf({ replicaSets: [replicaSet(1)], nodes }), now);
  const found = holds.filter(({ reason }) => reason === 'InvalidOverride');
  expect(found).toMatchObject([{ targets: ['a', 'b'], waitsFor: 'person', bad: false }]);
  expect(found[0]?.problem).toContain(`the annotation ${key} is no JSON`);
});

it('a selector that selects all nodes is not meant for pods where there is no node', () => {
  const selector = {};
  const object = agent('agent:1', { selector });
  expect(decide(snapshotOf({ object, replicaSets: [replicaSet(1, { selector })] }), now).holds).toEqual([]);
});

describe('a selector that matches the labels of the pods, as in the manifest of a DaemonSet', () => {
  const labels = { app: 'agent' };
  const selector = { matchLabels: labels };
  const active = replicaSet(1, { selector });
  const reasonsOf = (change: Parameters<typeof snapshotOf>[0]): readonly string[] =>
    decide(
      snapshotOf({ object: agent('agent:1', { selector }), replicaSets: [active], ...change }),
      now,
    ).holds.map(({ reason }) => reason);

  it('is refused where it matches no node', () => {
    expect(reasonsOf({ nodes: [node('a')] })).toContain('InvalidSelector');
  });

  it('is taken where the canary has all nodes that it matches', () => {
    const tried = replicaSet(2, { selector, created: ago(60) });
    const status = { canary: { replicaSet: 'agent-2', nodes: ['a'] } };
    const object = agent('agent:2', { selector, strategy: { canary: {} }, status });
    const found = { object, replicaSets: [active, tried], pods: [podOn('a', tried)] };
    expect(reasonsOf({ ...found, nodes: [node('a', { labels })] })).not.toContain('InvalidSelector');
  });

  it('is taken where a taint keeps pods off all nodes that it matches', () => {
    const taints = [{ key: 'maintenance', effect: 'NoSchedule' }];
    const nodes = [node('a', { labels, taints })];
    expect(reasonsOf({ pods: [podOn('a', active)], nodes })).not.toContain('InvalidSelector');
  });
});
