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

describe('an annotation of a node that names no container of the template', () => {
  const problemsWith = (container: string, image = 'agent:1'): readonly (string | undefined)[] => {
    const annotations = { [nodeResourcesAnnotation('edge', 'agent', container)]: '{"requests":{"cpu":"2"}}' };
    const object = agent(image);
    const renamed = { ...object.spec, template: { spec: { containers: [{ name: 'node-agent', image }] } } };
    const snapshot = snapshotOf({
      object: image === 'agent:1' ? object : { ...object, spec: { ...renamed, strategy: { canary: {} } } },
      replicaSets: [replicaSet(1)],
      nodes: [node('a', { annotations })],
      pods: [podOn('a', replicaSet(1))],
    });
    const decision = decide(snapshot, now);
    expect(decision.fleet?.active?.deleted).toEqual([]);
    return decision.holds.flatMap(({ reason, problem }) => (reason === 'InvalidOverride' ? [problem] : []));
  };

  it('is shown, and costs no pod', () => {
    expect(problemsWith('agnet')).toEqual([
      'the annotation resources.extendeddaemonset.datadoghq.com/edge.agent.agnet changes no pod: the template has no container agnet, but agent. Correct the name (node a)',
    ]);
  });

  it('is not shown where it is for another object, or for the template that is tried', () => {
    expect(problemsWith('two.agent')).toEqual([]);
    expect(problemsWith('node-agent', 'agent:2')).toEqual([]);
  });
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
