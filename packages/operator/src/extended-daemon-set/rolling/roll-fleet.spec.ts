import { describe, expect, it } from 'vitest';
import { touched, trying } from '../canary/canary.fixture.ts';
import { ago, node, podOn, replicaSet } from '../extended-daemon-set.fixture.ts';

const [older, active, tried] = [replicaSet(0), replicaSet(1), replicaSet(2, { created: ago(700) })];
const canary = { duration: '1h' };

describe('before the status names it', () => {
  it('a canary touches no node of the one before', () => {
    const third = replicaSet(3, { created: ago(10) });
    const pods = [podOn('a', tried), podOn('b', active), podOn('c', active)];
    const next = { canary, image: 'agent:3', replicaSets: [active, tried, third], pods };
    expect(touched(trying(next))).toEqual([]);
    const recorded = { replicaSet: 'agent-3', nodes: ['a'] };
    expect(touched(trying({ ...next, recorded }))).toEqual(['a']);
  });

  it('a node of the canary is in the budget of the others', () => {
    const pods = [podOn('a', active), podOn('b', older), podOn('c', older)];
    const rolling = { canary, replicaSets: [older, active, tried], pods };
    expect(touched(trying({ ...rolling, recorded: null }))).toEqual([]);
    expect(touched(trying(rolling))).toEqual(['a', 'b']);
  });

  it.each([
    ['made', [podOn('b', active), podOn('c', active)]],
    ['deleted', [podOn('a', older), podOn('b', active), podOn('c', active)]],
    [
      'cleaned up',
      [podOn('a', active), podOn('a', active, { name: 'second' }), podOn('b', active), podOn('c', active)],
    ],
  ])('no pod of the active replica set is %s', (_, pods) => {
    const fleet = { replicaSets: [older, active], image: 'agent:1', recorded: null, pods };
    expect(touched(trying({ ...fleet, recordedActive: '' }))).toEqual([]);
    expect(touched(trying(fleet))).toEqual(['a']);
  });
});

it('a pod of the canary stays on a node that the template of the active replica set does not fit', () => {
  const { template } = active.spec;
  const spec = { containers: [], ...template.spec, nodeSelector: { disk: 'ssd' } };
  const picky = { ...active, spec: { ...active.spec, template: { ...template, spec } } };
  const labels = { disk: 'ssd' };
  const nodes = [node('a'), node('b', { labels }), node('c', { labels })];
  const pods = [podOn('a', tried), podOn('b', active), podOn('c', active)];
  expect(touched(trying({ canary, replicaSets: [picky, tried], nodes, pods }))).toEqual([]);
});
