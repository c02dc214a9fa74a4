import { expect, it } from 'vitest';
import type { ExtendedDaemonSet } from '@atoll/api';
import type { Stored } from '@atoll/kube';
import { judgeRollout } from './judge-rollout.ts';

function object(status: object): Stored<ExtendedDaemonSet> {
  return {
    metadata: {
      name: 'agent',
      generation: 2,
      uid: 'u',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: { strategy: {}, template: {} },
    status: { state: 'Running', desired: 0, current: 100, upToDate: 100, ...status },
  } as unknown as Stored<ExtendedDaemonSet>;
}

const activeSince = Date.parse('2026-01-01T01:00:00Z');
const failedAt = (lastTransitionTime: string) => ({
  conditions: [{ type: 'Canary-Failed', status: 'False', lastTransitionTime }],
});

it.each<[string, object, string]>([
  ['all are up to date', {}, 'complete'],
  ['more than the percentage', { upToDate: 96 }, 'complete'],
  ['fewer than ten are missing', { current: 50, upToDate: 41 }, 'complete'],
  ['exactly the percentage, and ten are missing', { current: 200, upToDate: 190 }, 'waiting'],
  ['nothing runs yet', { desired: 100, current: 0, upToDate: 0 }, 'waiting'],
  ['old pods are deleted, and new ones not made', { desired: 100, current: 40, upToDate: 40 }, 'waiting'],
  ['the operator has not seen the spec', { observedGeneration: 1 }, 'waiting'],
  ['the operator has seen the spec', { observedGeneration: 2 }, 'complete'],
  ['a canary is under way', { state: 'Canary', canary: { replicaSet: 'x' } }, 'waiting'],
  ['it is frozen', { state: 'Rollout frozen' }, 'failed'],
  ['a canary failed after the active replica set was made', failedAt('2026-01-01T02:00:00Z'), 'failed'],
  [
    'a canary follows one that failed, and whose template went back',
    { ...failedAt('2026-01-01T02:00:00Z'), state: 'Canary', canary: { replicaSet: 'x' } },
    'waiting',
  ],
  ['a canary failed before', failedAt('2026-01-01T00:30:00Z'), 'complete'],
])('%s', (_, status, expected) => {
  expect(judgeRollout(object(status), activeSince, { percent: 95, fewerThan: 10 }).is).toBe(expected);
});

it.each([
  ['all are asked for, and all are up to date', {}, { percent: 100, fewerThan: 0 }],
  ['there is no node', { current: 0, upToDate: 0 }, { percent: 95, fewerThan: 0 }],
])('is complete where %s', (_, status, settings) => {
  expect(judgeRollout(object(status), activeSince, settings).is).toBe('complete');
});

it.each(['Running', 'Rollout frozen'])(
  'has failed, with the cause, where the active replica set is unknown and the state is %s',
  (state) => {
    const message = 'status.activeReplicaSet is empty, and each of agent-0, agent-1 may be the active one';
    const conditions = [
      { type: 'Ready', status: 'False', reason: 'ActiveReplicaSetUnknown', message },
      { type: 'ActiveReplicaSetUnknown', status: 'True' },
    ];
    const unknown = object({ state, conditions, current: 3, upToDate: 0, activeReplicaSet: '' });
    expect(judgeRollout(unknown, undefined, { percent: 95, fewerThan: 10 })).toEqual({
      is: 'failed',
      message: `the active replica set of agent is not known: ${message}`,
    });
  },
);
