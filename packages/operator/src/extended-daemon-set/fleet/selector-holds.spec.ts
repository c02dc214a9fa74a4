import { describe, expect, it } from 'vitest';
import { decide } from '../decide.ts';
import {
  agent,
  node,
  nodesNamed,
  now,
  podOn,
  replicaSet,
  snapshotOf,
} from '../extended-daemon-set.fixture.ts';
import type { ExtendedDaemonSetSnapshot } from '../observe.ts';
import { plan } from '../plan.ts';

const north = { matchLabels: { zone: 'north' } };
const south = { matchLabels: { zone: 'south' } };
const northAsSet = { matchExpressions: [{ key: 'zone', operator: 'In', values: ['north'] }] } as const;
const nodes = [
  node('n', { labels: { zone: 'north' } }),
  node('s', { labels: { zone: 'south' } }),
  node('other'),
];
const active = replicaSet(1, { selector: north });
const running = { nodes, replicaSets: [active], pods: [podOn('n', active)] };

type Given = Partial<ExtendedDaemonSetSnapshot> & Parameters<typeof snapshotOf>[0];

function decided(given: Given) {
  const snapshot = snapshotOf(given);
  const decision = decide(snapshot, now);
  const steps = plan(snapshot, decision, now).stages.flatMap((stage) => stage.steps);
  return {
    holds: decision.holds.map(({ reason, problem }) => [reason, problem]),
    active: decision.fleet?.roles.active?.metadata.name,
    canary: decision.fleet?.roles.canary,
    upToDate: decision.fleet?.roles.upToDate?.metadata.name,
    does: steps.map(({ why, target }) => [why.word, ...(target === undefined ? [] : [target])].join(' ')),
    made: steps.flatMap((step) => (step.do === 'create' ? [step.object] : [])),
  };
}

describe('a selector that is changed without its template', () => {
  it('moves no pod and makes no replica set, and a person is asked which of both is meant', () => {
    const { holds, does } = decided({ object: agent('agent:1', { selector: south }), ...running });
    expect(does).toEqual([]);
    expect(holds).toEqual([
      [
        'SelectorNotApplied',
        'spec.selector was changed without the template: it selects the nodes with zone=south, and pods stay on the nodes with zone=north, ' +
          'as agent-1 has it. To move them, change spec.template too, by an annotation for example; to keep them, put spec.selector back',
      ],
    ]);
  });

  it.each([
    ['removed', undefined, 'it selects all nodes'],
    ['emptied', {}, 'it selects all nodes'],
    ['mistyped', { matchLabels: { zone: 'nrth' } }, 'it selects the nodes with zone=nrth'],
  ])('and %s ends no pod either', (_, selector, says) => {
    const { holds, does } = decided({
      object: agent('agent:1', selector === undefined ? {} : { selector }),
      ...running,
    });
    expect([does, holds[0]?.[1]]).toEqual([[], expect.stringContaining(says)]);
  });

  it('and spelt in another way is the same', () => {
    const object = agent('agent:1', { selector: northAsSet });
    expect(decided({ object, ...running })).toMatchObject({ holds: [], does: [] });
  });

  it('has its effect where the object has no pod that could be lost', () => {
    const { holds, does, made } = decided({
      object: agent('agent:1', { selector: south }),
      ...running,
      pods: [],
    });
    expect([holds, does]).toEqual([[], ['ReplicaSetCreated', 'PodCreated n']]);
    expect(made[0]).toMatchObject({ spec: { selector: south } });
  });

  it('has it without a canary, because the template is the active one: the pod of a canary would bring the selector before back', () => {
    const corrected = replicaSet(1, { name: 'agent-1-b', selector: south });
    const given = {
      nodes,
      replicaSets: [replicaSet(1, { selector: { matchLabels: { zone: 'nrth' } } }), corrected],
    };
    const objectWith = (activeReplicaSet: string) =>
      agent('agent:1', { selector: south, strategy: { canary: {} }, status: { activeReplicaSet } });
    const first = decided({ object: objectWith('agent-1'), ...given });
    expect(first).toMatchObject({ active: 'agent-1-b', canary: undefined, holds: [], does: [] });
    const next = { object: objectWith('agent-1-b'), ...given };
    expect(decided(next).does).toEqual(['PodCreated s', 'ReplicaSetObsolete']);
    const withPod = decided({ ...next, pods: [podOn('s', corrected)] });
    expect(withPod).toMatchObject({ active: 'agent-1-b', does: ['ReplicaSetObsolete'] });
  });

  it('does not, where pods of an older template are still there', () => {
    const old = replicaSet(0, { selector: north });
    const { does } = decided({
      object: agent('agent:1', { selector: south }),
      nodes,
      replicaSets: [old, active],
      pods: [podOn('n', old, { ready: false })],
    });
    expect(does).toEqual(['PodTried n', 'BatchRecorded', 'PodOutdated n']);
  });

  it('leaves the canary the replica set that it has', () => {
    const object = agent('agent:2', {
      selector: south,
      strategy: { canary: { validationMode: 'manual' } },
      status: { canary: { replicaSet: 'agent-2', nodes: ['n'] } },
    });
    const canary = replicaSet(2, { selector: north });
    const { upToDate, holds, does } = decided({
      object,
      nodes,
      replicaSets: [active, canary],
      pods: [podOn('n', canary)],
    });
    expect([upToDate, does]).toEqual(['agent-2', ['PodLabelled n']]);
    expect(holds.map(([reason]) => reason)).toContain('SelectorNotApplied');
  });
});

describe('a selector that is changed with its template', () => {
  it('comes with the new replica set', () => {
    const { made, holds } = decided({ object: agent('agent:2', { selector: south }), ...running });
    expect(made.map(({ kind }) => kind)).toEqual(['ExtendedDaemonSetReplicaSet']);
    expect([made[0], holds]).toMatchObject([{ spec: { selector: south } }, []]);
  });

  it('stays when the template goes back to an earlier one, whose replica set has the older selector', () => {
    const second = replicaSet(2, { selector: south });
    const object = agent('agent:1', { selector: south, status: { activeReplicaSet: 'agent-2' } });
    const replicaSets = [active, second];
    const { made } = decided({ object, nodes, replicaSets, pods: [podOn('s', second)] });
    const [replaced] = made;
    expect(replaced).toMatchObject({ spec: { selector: south, template: active.spec.template } });
    const given = { ...active, metadata: { ...active.metadata, name: 'given', uid: 'uid-given' } };
    const back = { ...given, spec: { ...active.spec, selector: south } };
    // Its pods of that template that still run where they may are left as they are.
    const { does } = decided({
      object: agent('agent:1', { selector: south, status: { activeReplicaSet: 'given' } }),
      nodes,
      replicaSets: [active, back],
      pods: [podOn('s', active)],
    });
    expect(does).toEqual([]);
  });

  it('is not taken for the same as another under one name', () => {
    const names = [north, south, undefined].map((selector) => {
      const object = agent('agent:2', selector === undefined ? {} : { selector });
      return decided({ object, ...running }).made[0]?.metadata.name;
    });
    expect(new Set(names).size).toBe(3);
  });
});

describe('a selector that selects no pods to run', () => {
  it('because it matches the labels of the pods and no node is named: it selects nodes (BUG-6)', () => {
    const selector = { matchLabels: { app: 'agent' } };
    const given = { object: agent('agent:1', { selector }), replicaSets: [replicaSet(1, { selector })] };
    expect(decided({ ...given, nodes: nodesNamed('a') })).toMatchObject({
      does: [],
      holds: [['InvalidSelector', expect.stringContaining('selects nodes, not pods')]],
    });
    const labelled = [node('a', { labels: { app: 'agent' } }), node('b')];
    expect(decided({ ...given, nodes: labelled })).toMatchObject({ does: ['PodCreated a'], holds: [] });
  });

  it('because it cannot be understood is named, and counts as one of all nodes, so that no pod is ended', () => {
    const selector = { matchExpressions: [{ key: 'zone', operator: 'Near' as 'In' }] };
    const given = { object: agent('agent:1', { selector }), replicaSets: [replicaSet(1, { selector })] };
    expect(decided({ ...given, nodes: nodesNamed('a') })).toMatchObject({
      does: ['PodCreated a'],
      holds: [
        ['InvalidSelector', expect.stringContaining('spec.selector.matchExpressions[0].operator: "Near"')],
      ],
    });
  });
});
