import { describe, expect, it } from 'vitest';
import { decide } from '../decide.ts';
import {
  agent,
  ago,
  nodesNamed,
  now,
  podOn,
  replicaSet,
  snapshotOf,
} from '../extended-daemon-set.fixture.ts';
import type { ExtendedDaemonSetSnapshot } from '../observe.ts';
import { plan } from '../plan.ts';

const [old, current] = [replicaSet(1), replicaSet(2)];

function stepsOf(change: Partial<ExtendedDaemonSetSnapshot> & Parameters<typeof snapshotOf>[0]) {
  const snapshot = snapshotOf({
    object: agent('agent:2', { status: { activeReplicaSet: 'agent-2' } }),
    replicaSets: [old, current],
    ...change,
  });
  return plan(snapshot, decide(snapshot, now), now).stages.flatMap(({ steps }) => steps);
}

const wordsOf = (change: Parameters<typeof stepsOf>[0]) => stepsOf(change).map(({ why }) => why.word);

describe('before pods are deleted', () => {
  const nodes = nodesNamed('a', 'b');

  it('the first that replaces one is tried, and the batch and its deletions depend on that', () => {
    const steps = stepsOf({ nodes, pods: [podOn('a', old), podOn('b', old)] });
    const [tried, recorded, deleted] = steps;
    expect(steps.map(({ why }) => why.word)).toEqual(['PodTried', 'BatchRecorded', 'PodOutdated']);
    if (tried?.do !== 'try') throw new Error('nothing is tried');
    expect(tried).toMatchObject({ target: 'a', object: { spec: { containers: [{ image: 'agent:2' }] } } });
    const { name } = tried.object.metadata;
    expect([recorded?.dependsOn, deleted?.dependsOn]).toEqual([[name], [name, current.metadata.uid]]);
  });

  it('none is tried while one of the replica set was made within the last minute', () => {
    const made = (seconds: number) =>
      wordsOf({ nodes, pods: [podOn('a', current, { created: ago(seconds) }), podOn('b', old)] });
    expect(made(59)).toEqual(['BatchRecorded', 'PodOutdated']);
    expect(made(61)).toEqual(['PodTried', 'BatchRecorded', 'PodOutdated']);
    // A clock that was set back by a day says nothing of the last minute.
    expect(made(-86_400)[0]).toBe('PodTried');
  });

  it('a pod that another replica set of the template made says nothing', () => {
    const duplicate = replicaSet(2, { name: 'agent-2-b' });
    const pods = [podOn('a', duplicate, { created: ago(1) }), podOn('b', old)];
    expect(wordsOf({ nodes, replicaSets: [old, current, duplicate], pods })[0]).toBe('PodTried');
  });

  it('nothing is tried where nothing is deleted, as on empty nodes', () => {
    expect(wordsOf({ nodes, replicaSets: [current], pods: [podOn('a', current)] })).toEqual(['PodCreated']);
  });

  it('a canary tries its own', () => {
    const object = agent('agent:2', {
      strategy: { canary: {} },
      status: { activeReplicaSet: 'agent-1', canary: { replicaSet: 'agent-2', nodes: ['a'] } },
    });
    const steps = stepsOf({ object, nodes, pods: [podOn('a', old), podOn('b', old)] });
    expect(steps.map(({ why, target }) => [why.word, target])).toEqual([
      ['PodTried', 'a'],
      ['PodOutdated', 'a'],
    ]);
    const [tried, deleted] = steps;
    if (tried?.do !== 'try') throw new Error('nothing is tried');
    expect(deleted?.dependsOn).toEqual([tried.object.metadata.name]);
  });
});
