import { extendedDaemonSetReplicaSets, replicaSetConditions as types } from '@atoll/api';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '@atoll/kube/testing';
import type { Step, StepResult } from '../../engine/step.ts';
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
import type { ExtendedDaemonSetSnapshot } from '../observe.ts';
import { plan } from '../plan.ts';
import { report } from '../report.ts';

const [first, second] = [replicaSet(1), replicaSet(2)];
const at = new Date(now).toISOString().replace('.000Z', 'Z');
const denied = refusalOf(403, 'x', 'no');

type Given = Partial<ExtendedDaemonSetSnapshot> & Parameters<typeof snapshotOf>[0];

/** The conditions of each replica set after all that is planned was done, but for what fails. */
function conditionsAfter(given: Given, fails: (step: Step) => boolean = () => false) {
  const snapshot = snapshotOf(given);
  const decision = decide(snapshot, now);
  const results = plan(snapshot, decision, now).stages.flatMap(({ steps }) =>
    steps.map((step): StepResult =>
      fails(step) ? { step, did: 'failed', error: denied } : { step, did: 'done' },
    ),
  );
  const written = report(snapshot, decision, { results }, now);
  const ofReplicaSets = written.filter(({ resource }) => resource === extendedDaemonSetReplicaSets);
  return Object.fromEntries(
    ofReplicaSets.map(({ object, status }) => {
      const { conditions = [] } = status as typeof first.status & object;
      return [object.metadata.name, Object.fromEntries(conditions.map((each) => [each.type, each]))];
    }),
  );
}

describe('that pods were deleted for others', () => {
  const tried = agent('agent:2', {
    strategy: { canary: { validationMode: 'manual' } },
    status: { activeReplicaSet: 'agent-1', canary: { replicaSet: 'agent-2', nodes: ['a'] } },
  });
  const canary = {
    object: tried,
    replicaSets: [first, second],
    nodes: nodesNamed('a', 'b'),
    pods: [podOn('a', first), podOn('b', first)],
  };

  it('is a condition of the canary that they make room for, with the time of the last ones', () => {
    const after = conditionsAfter(canary);
    expect(after['agent-2']?.[types.podDeletion]).toEqual({
      type: 'PodDeletion',
      status: 'True',
      message: 'pods deleted',
      lastTransitionTime: at,
      lastUpdateTime: at,
    });
    expect(after['agent-1']?.[types.podDeletion]).toBeUndefined();
  });

  it('is none where they were refused', () => {
    expect(
      conditionsAfter(canary, ({ do: does }) => does === 'delete')['agent-2']?.[types.podDeletion],
    ).toBeUndefined();
  });

  it('is one of the active replica set, also where its interval is too short to be recorded before', () => {
    const strategy = { reconcileFrequency: '100ms' };
    const object = agent('agent:2', { strategy, status: { activeReplicaSet: 'agent-2' } });
    const after = conditionsAfter({ ...canary, object });
    expect(after['agent-2']?.[types.podDeletion]).toMatchObject({ status: 'True', lastUpdateTime: at });
  });

  it('is written with the others where it could not be recorded before', () => {
    const object = agent('agent:2', { status: { activeReplicaSet: 'agent-2' } });
    const fails = ({ why }: Step): boolean => why.word === 'BatchRecorded';
    const after = conditionsAfter({ ...canary, object }, fails);
    expect(after['agent-2']?.[types.podDeletion]).toMatchObject({ status: 'True', lastUpdateTime: at });
  });

  it('is written before the deletions where it is the clock of the next batch, and not again after them', () => {
    const old = {
      type: 'PodDeletion',
      status: 'True',
      message: 'pods deleted',
      lastUpdateTime: ago(60),
    } as const;
    const active = replicaSet(2, { conditions: [old] });
    const object = agent('agent:2', { status: { activeReplicaSet: 'agent-2' } });
    const after = conditionsAfter({ ...canary, object, replicaSets: [first, active] });
    expect(after['agent-2']?.[types.podDeletion]).toEqual(old);
  });
});

describe('that pods which nobody wants were cleaned up', () => {
  const tainted = node('b', { taints: [{ key: 'out', effect: 'NoExecute' }] });
  const given = {
    replicaSets: [first],
    nodes: [...nodesNamed('a', 'c'), tainted],
    pods: [podOn('a', first), podOn('b', first), podOn('c', first, { phase: 'Failed', ready: false })],
  };

  it('is a condition of the active replica set', () => {
    expect(conditionsAfter(given)['agent-1']?.[types.podsCleanupDone]).toEqual({
      type: 'PodsCleanupDone',
      status: 'True',
      lastTransitionTime: at,
      lastUpdateTime: at,
    });
  });

  it.each(['PodUnwanted', 'PodReplaced'] as const)('is none where they are refused: %s', (word) => {
    const done = { type: 'PodsCleanupDone', status: 'True', lastTransitionTime: ago(60) } as const;
    const after = conditionsAfter(
      { ...given, replicaSets: [replicaSet(1, { conditions: [done] })] },
      ({ why }) => why.word === word,
    );
    expect(after['agent-1']?.[types.podsCleanupDone]?.status).toBe('False');
  });

  it('turns False where one of them was refused, and is not written for the first time then', () => {
    const fails = ({ why }: Step): boolean => why.word === 'PodUnwanted';
    expect(conditionsAfter(given, fails)['agent-1']?.[types.podsCleanupDone]).toBeUndefined();
    const done = {
      type: 'PodsCleanupDone',
      status: 'True',
      lastTransitionTime: ago(60),
      lastUpdateTime: ago(60),
    };
    const before = replicaSet(1, {
      conditions: [done as { readonly type: string; readonly status: 'True' }],
    });
    const after = conditionsAfter({ ...given, replicaSets: [before] }, fails);
    expect(after['agent-1']?.[types.podsCleanupDone]).toMatchObject({
      status: 'False',
      lastTransitionTime: at,
    });
  });

  it('is not written again by every clean-up', () => {
    const done = {
      type: 'PodsCleanupDone',
      status: 'True',
      lastTransitionTime: ago(60),
      lastUpdateTime: ago(60),
    };
    const before = replicaSet(1, {
      conditions: [done as { readonly type: string; readonly status: 'True' }],
    });
    expect(conditionsAfter({ ...given, replicaSets: [before] })['agent-1']?.[types.podsCleanupDone]).toEqual(
      done,
    );
  });
});
