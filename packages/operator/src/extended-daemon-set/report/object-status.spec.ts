import {
  extendedDaemonSetAnnotations as annotations,
  extendedDaemonSetConditions as types,
  extendedDaemonSets,
  nodeResourcesAnnotation,
  replicaSetConditions,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetStatus,
} from '@atoll/api';
import { conditionOf } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { hold, type Hold } from '../../engine/hold.ts';
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
  template,
} from '../extended-daemon-set.fixture.ts';
import { renderReplicaSet } from '../replica-sets/render-replica-set.ts';
import { report } from '../report.ts';
import { objectStatus } from './object-status.ts';

const canary = { replicas: 1, validationMode: 'manual' } as const;
const [first, second] = [replicaSet(1), replicaSet(2)];

/** The status with these holds in place of what is decided. */
function statusOf(given: Parameters<typeof snapshotOf>[0], holds?: readonly Hold[]): ExtendedDaemonSetStatus {
  const snapshot = snapshotOf(given);
  const { fleet, ...decided } = decide(snapshot, now);
  if (fleet === undefined || snapshot.owner === undefined) throw new Error('nothing was decided');
  const decision = { ...decided, fleet, holds: holds ?? decided.holds };
  return objectStatus(snapshot.owner.object, decision, [], [], now);
}

function tried(nodes: readonly string[], strategy: ExtendedDaemonSet['spec']['strategy']) {
  const status = { canary: { replicaSet: 'agent-2', nodes: [...nodes] } };
  return { object: agent('agent:2', { strategy, status }), replicaSets: [first, second] };
}

describe('upToDate', () => {
  it('counts no pod while the template has no replica set, as where none may be made', () => {
    const object = agent('agent:2', { status: { activeReplicaSet: 'agent-1', state: 'Running' } });
    const nodes = nodesNamed('a', 'b', 'c');
    const pods = ['a', 'b', 'c'].map((node) => podOn(node, first));
    const snapshot = snapshotOf({ object, nodes, replicaSets: [first], pods });
    const written = report(snapshot, decide(snapshot, now), { results: [] }, now);
    const { status } = written.find(({ resource }) => resource === extendedDaemonSets) ?? {};
    expect(status).toMatchObject({ current: 3, upToDate: 0 });
  });
});

describe('activeReplicaSet', () => {
  const { name } = renderReplicaSet(agent('agent:2', { status: { activeReplicaSet: '' } })).metadata;
  const object = agent('agent:2', { strategy: { canary }, status: { activeReplicaSet: name } });
  const wasActive = [
    { type: replicaSetConditions.active, status: 'True' as const, lastTransitionTime: ago(9000) },
  ];
  const before = replicaSet(1, { conditions: wasActive });
  const nodes = nodesNamed('a', 'b');

  it('is not the one before, where a new leader does not see the active one yet', () => {
    expect(statusOf({ object, nodes, replicaSets: [before] }).activeReplicaSet).toBe(name);
  });

  it('is the one before where the active one was of another template than the spec has', () => {
    const other = { ...object, spec: { ...object.spec, template: template('agent:3') } };
    expect(statusOf({ object: other, nodes, replicaSets: [before] }).activeReplicaSet).toBe('agent-1');
  });
});

it('each condition has the generation that it is about, so that one of the spec before is known', () => {
  const conditions = [
    { type: types.canaryFailed, status: 'True', observedGeneration: 1 },
    { type: types.canaryPaused, status: 'False' },
    { type: 'of somebody else', status: 'True' },
  ] as const;
  const object = agent('agent:1', { status: { conditions: [...conditions] } });
  const status = statusOf({ object, nodes: nodesNamed('a'), replicaSets: [first] });
  const seen = status.conditions?.map(({ type, observedGeneration }) => [type, observedGeneration]);
  expect(status.observedGeneration).toBe(2);
  expect(Object.fromEntries(seen ?? [])).toEqual({
    'Canary-Failed': 2,
    'Canary-Paused': 2,
    Ready: 2,
    Progressing: 2,
    Degraded: 2,
  });
});

describe('the condition Paused', () => {
  const given = { ...tried(['a'], { canary }), nodes: nodesNamed('a', 'b') };
  const waits = hold('CanaryPaused', 'person', [], { problem: 'a person paused it' }, false);

  it.each([
    ['is True while all that is left waits for a person', [waits], 'True CanaryPaused'],
    ['is not there where something is wrong', [{ ...waits, bad: true }], undefined],
    ['is not there while time is awaited', [{ ...waits, waitsFor: 'time' }], undefined],
  ] as const)('%s', (_, holds, expected) => {
    const paused = conditionOf({ status: statusOf(given, holds) }, 'Paused');
    expect(paused && `${paused.status} ${paused.reason}`).toBe(expected);
  });
});

describe('the condition Canary-Failed', () => {
  const failed = { type: replicaSetConditions.canaryFailed, status: 'True' } as const;

  it('names the template that failed, where the active replica set is gone and nothing may take its place', () => {
    const object = agent('agent:2', { strategy: { canary }, status: { activeReplicaSet: 'gone' } });
    const status = statusOf({ object, replicaSets: [replicaSet(2, { conditions: [failed] })] });
    const found = conditionOf({ status }, types.canaryFailed);
    expect(found).toMatchObject({ status: 'True', message: 'canary failed with ers: agent-2' });
  });

  it('ends when the object has no canary any more', () => {
    const conditions = [{ ...failed, type: types.canaryFailed, lastTransitionTime: ago(60) }];
    const object = agent('agent:1', { status: { conditions } });
    const status = statusOf({ object, replicaSets: [first] });
    expect(conditionOf({ status }, types.canaryFailed)?.status).toBe('False');
  });
});

describe('Ready', () => {
  const ready = (status: ExtendedDaemonSetStatus) => conditionOf({ status }, 'Ready');
  const nodes = nodesNamed('a', 'b');

  it('names the nodes whose pod of the canary is missing', () => {
    const pods = [podOn('a', first), podOn('b', first)];
    const status = statusOf({ ...tried(['b'], { canary }), nodes, pods }, []);
    const message =
      'the current template is tried on b as canary agent-2, and all other nodes are to run agent-1; not yet b';
    expect(ready(status)).toMatchObject({ status: 'False', message });
  });

  it('shows that a canary has no node', () => {
    const onNone = { ...canary, nodeSelector: { matchLabels: { disk: 'none' } } };
    const status = statusOf({ ...tried([], { canary: onNone }), nodes }, []);
    expect(ready(status)?.message).toMatch(
      /^the current template is canary agent-2, which has no node, and /,
    );
  });

  it('has the name of the replica set whose template no node is to run', () => {
    const failed = [
      { type: replicaSetConditions.canaryFailed, status: 'True' as const, lastTransitionTime: ago(600) },
    ];
    const lost = [replicaSet(2, { conditions: failed })];
    const stopped = statusOf({ ...tried(['b'], { canary }), nodes, replicaSets: lost }, []);
    expect(ready(stopped)?.message).toContain('no node is to run the current template, which is agent-2');
    const unpaused = { [annotations.canaryUnpaused]: 'true' };
    const object = agent('agent:2', { strategy: { canary }, annotations: unpaused });
    const waiting = statusOf({ object, nodes, replicaSets: [first, second] }, []);
    expect(ready(waiting)?.message).toContain('which is agent-2, and all nodes are to run agent-1');
  });

  describe('where a node asks for resources that cannot be used', () => {
    const asked = { [nodeResourcesAnnotation('edge', 'agent', 'agent')]: '{"requests":{"cpu":"two"}}' };
    const found = [node('a'), node('b'), node('c', { annotations: asked })];
    const problem = /; c: the annotation .* cannot be used: requests\.cpu is "two"/;

    it('still names what a rollout waits for, and goes on', () => {
      const pods = [podOn('a', first, { ready: false }), podOn('b', replicaSet(0)), podOn('c', first)];
      const status = statusOf({ replicaSets: [replicaSet(0), first], nodes: found, pods });
      expect(ready(status)).toMatchObject({ reason: 'MaxUnavailableReached' });
      expect(ready(status)?.message).toMatch(/waiting until the number of nodes .* \(now 1: a\)/);
      expect(ready(status)?.message).toMatch(problem);
      const last = statusOf({
        replicaSets: [first],
        nodes: found,
        pods: [podOn('a', first, { ready: false }), podOn('b', first), podOn('c', first)],
      });
      expect(conditionOf({ status: last }, 'Progressing')).toMatchObject({ status: 'True' });
    });

    it('is True when all is done, and names it as long as it is so', () => {
      const pods = ['a', 'b', 'c'].map((name) => podOn(name, first));
      const status = statusOf({ replicaSets: [first], nodes: found, pods });
      expect(ready(status)).toMatchObject({ status: 'True', reason: 'RolloutComplete' });
      expect(ready(status)?.message).toMatch(problem);
    });
  });

  it('shows that the template has no replica set yet', () => {
    const status = statusOf(
      { object: agent('agent:2', { strategy: { canary } }), nodes, replicaSets: [first] },
      [],
    );
    expect(ready(status)?.message).toContain('the current template has no replica set yet');
  });
});

describe('Progressing', () => {
  it('shows what passes by itself, and not what is wrong beside it', () => {
    const holds = [
      hold('ChildRefused', 'person', ['a'], { problem: 'refused' }, true),
      hold('BatchInterval', 'time', ['b'], { problem: 'a batch was sent' }, false),
    ];
    const status = statusOf(
      { object: agent('agent:1'), replicaSets: [first], nodes: nodesNamed('a', 'b') },
      holds,
    );
    expect(conditionOf({ status }, 'Progressing')?.reason).toBe('BatchInterval');
  });

  it.each<[string, readonly string[], string]>([
    ['goes on while a person is waited for on some of the nodes', ['a'], 'True'],
    ['ends when a person is waited for on all nodes', ['a', 'b'], 'False'],
    ['ends when a person is waited for by the whole object', [], 'False'],
  ])('%s', (_, held, expected) => {
    const holds = [hold('ChildRefused', 'person', held, { problem: 'refused' }, false)];
    const status = statusOf(
      { object: agent('agent:1'), replicaSets: [first], nodes: nodesNamed('a', 'b') },
      holds,
    );
    expect(conditionOf({ status }, 'Progressing')?.status).toBe(expected);
  });
});

it('is Degraded where something wrong lasts since it was Ready', () => {
  const degraded = (since: string): string | undefined => {
    const conditions = [{ type: 'Ready', status: 'False', lastTransitionTime: since } as const];
    const object = agent('agent:1', { status: { conditions } });
    const holds = [hold('ChildRefused', 'person', ['a'], { problem: 'refused' }, true)];
    const status = statusOf({ object, replicaSets: [first], nodes: nodesNamed('a') }, holds);
    return conditionOf({ status }, 'Degraded')?.status;
  };
  expect([degraded(ago(1)), degraded(ago(3600))]).toEqual(['False', 'True']);
});
