import {
  extendedDaemonSetAnnotations as annotations,
  extendedDaemonSetReplicaSets,
  replicaSetConditions as types,
  type ExtendedDaemonSetReplicaSetStatus,
  type ExtendedDaemonSetStatus,
} from '@atoll/api';
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
import { report } from '../report.ts';

const wasActive = { type: types.active, status: 'True', lastTransitionTime: ago(60) } as const;
const [first, second] = [replicaSet(1, { conditions: [wasActive] }), replicaSet(2)];

function reported(given: Parameters<typeof snapshotOf>[0]) {
  const snapshot = snapshotOf(given);
  const written = report(snapshot, decide(snapshot, now), { results: [] }, now);
  const own = written.find(({ resource: { kind } }) => kind === 'ExtendedDaemonSet');
  const ofReplicaSets = written
    .filter(({ resource }) => resource === extendedDaemonSetReplicaSets)
    .map(
      ({ object, status }) => [object.metadata.name, status as ExtendedDaemonSetReplicaSetStatus] as const,
    );
  return {
    object: own?.status as ExtendedDaemonSetStatus,
    replicaSets: Object.fromEntries(ofReplicaSets),
  };
}

function conditionsOf(status: ExtendedDaemonSetReplicaSetStatus | undefined) {
  return Object.fromEntries((status?.conditions ?? []).map(({ type, status: holds }) => [type, holds]));
}

describe('the conditions of a replica set', () => {
  const given = { replicaSets: [first, second], nodes: nodesNamed('a'), pods: [podOn('a', first)] };
  const of = (found: Readonly<Record<string, string>>) => {
    const object = agent('agent:1', { annotations: found });
    const { replicaSets } = reported({ ...given, object });
    return ['agent-1', 'agent-2'].map((name) => conditionsOf(replicaSets[name]));
  };

  it.each<[string, Readonly<Record<string, string>>, object]>([
    ['goes on', {}, { Active: 'True' }],
    [
      'is paused',
      { [annotations.rollingUpdatePaused]: 'true' },
      { Active: 'False', RollingUpdatePaused: 'True' },
    ],
    ['is frozen', { [annotations.rolloutFrozen]: 'true' }, { Active: 'False', RolloutFrozen: 'True' }],
  ])('show that the active one %s, and nothing of that on another', (_, found, expected) => {
    const [active, other] = of(found);
    expect(active).toMatchObject(expected);
    const shown = [types.active, types.rollingUpdatePaused, types.rolloutFrozen];
    expect(
      Object.keys(active ?? {}).filter((type) => shown.includes(type as typeof types.active)),
    ).toHaveLength(Object.keys(expected).length);
    for (const type of shown) expect(other).not.toHaveProperty(type);
  });

  it.each<[string, string, string, boolean]>([
    ['are', 'False', 'Unschedulable', true],
    ['were', 'True', 'Unschedulable', false],
    ['are for another reason', 'False', 'SchedulingGated', false],
  ])('name nodes whose pods %s unschedulable', (_, status, reason, expected) => {
    const pod = podOn('a', first, { ready: false, bound: false, created: ago(60) });
    const scheduled = { type: 'PodScheduled', status, reason };
    const conditions = [...(pod.status?.conditions ?? []), scheduled];
    const pods = [{ ...pod, status: { ...pod.status, conditions } }];
    const { replicaSets } = reported({ ...given, pods });
    const found = replicaSets['agent-1']?.conditions?.find(({ type }) => type === types.unschedule);
    expect(found?.message).toBe(expected ? 'nodes:a' : undefined);
  });
});

it('a canary that has failed is looked at again without a change of its condition, also of one that has no message', () => {
  const status = 'True';
  const failed = {
    type: types.canaryFailed,
    status,
    reason: 'Unknown',
    lastTransitionTime: ago(60),
  } as const;
  const object = agent('agent:2', {
    strategy: { canary: { replicas: 1, duration: '1h' } },
    status: { activeReplicaSet: 'agent-1', canary: { replicaSet: 'agent-2', nodes: ['a'] } },
  });
  const tried = replicaSet(2, { conditions: [failed] });
  const { replicaSets } = reported({ object, replicaSets: [first, tried], nodes: nodesNamed('a', 'b') });
  expect(replicaSets['agent-2']?.conditions).toContainEqual(failed);
});

describe('the counts', () => {
  const stuck = podOn('d', first, { bound: false, ready: false, created: ago(900) });
  const canary = agent('agent:2', {
    strategy: { canary: { replicas: 2, validationMode: 'manual' } },
    status: { activeReplicaSet: 'agent-1', canary: { replicaSet: 'agent-2', nodes: ['e', 'f'] } },
  });
  const stuckToo = podOn('f', second, { bound: false, ready: false, created: ago(900) });
  const { object, replicaSets } = reported({
    object: canary,
    replicaSets: [first, second, replicaSet(0)],
    nodes: nodesNamed('a', 'b', 'c', 'd', 'e', 'f'),
    pods: [
      podOn('a', first),
      podOn('b', first, { ready: false }),
      podOn('c', replicaSet(0)),
      stuck,
      podOn('e', second),
      stuckToo,
      podOn('x', replicaSet(0), { ending: true }),
      podOn('y', replicaSet(0), { phase: 'Failed' }),
    ],
  });
  const counts = (name: string) => {
    const { desired, current, ready, available, ignoredUnresponsiveNodes } = replicaSets[name] ?? {};
    return [desired, current, ready, available, ignoredUnresponsiveNodes];
  };

  it('of a replica set are those of the nodes that it is to run on, or what is left of its pods', () => {
    expect(counts('agent-1')).toEqual([4, 3, 1, 1, 1]);
    expect(counts('agent-2')).toEqual([2, 2, 1, 1, 1]);
    expect(counts('agent-0')).toEqual([0, 1, 1, 1, 0]);
  });

  it('of the object are sums, and up to date is what the canary runs', () => {
    const expected = {
      desired: 6,
      current: 6,
      ready: 3,
      available: 3,
      upToDate: 2,
      ignoredUnresponsiveNodes: 2,
    };
    expect(object).toMatchObject(expected);
  });
});

it('pods of another replica set of the same template count once', () => {
  const duplicate = replicaSet(1, { name: 'agent-1-b' });
  const given = { replicaSets: [first, duplicate], nodes: nodesNamed('a', 'b') };
  const { object } = reported({ ...given, pods: [podOn('a', first), podOn('b', duplicate)] });
  expect(object).toMatchObject({ desired: 2, current: 2, ready: 2 });
});

it('pods on nodes that are gone do not count, also of a replica set that is in no role', () => {
  const promoted = agent('agent:2', { status: { activeReplicaSet: 'agent-2' } });
  const pods = [podOn('a', second), podOn('b', first), podOn('gone', first), podOn('gone-too', second)];
  const { object, replicaSets } = reported({
    object: promoted,
    replicaSets: [first, second],
    nodes: nodesNamed('a', 'b'),
    pods,
  });
  expect(replicaSets['agent-1']).toMatchObject({ desired: 0, current: 1, ready: 1, available: 1 });
  expect(object).toMatchObject({ desired: 2, current: 2, ready: 2, available: 2, upToDate: 1 });
});
