import { extendedDaemonSetAnnotations } from '@atoll/api';
import { describe, expect, it } from 'vitest';
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
import { plan } from '../plan.ts';

const [set, old] = [replicaSet(1), replicaSet(0)];
const ready = [podOn('a', set), podOn('b', set)];
const starting = [podOn('a', set), podOn('b', set, { ready: false })];
const failed = {
  phase: 'Failed',
  created: ago(5),
  annotations: { [extendedDaemonSetAnnotations.failedPods]: '3' },
};
const object = agent('agent:1', { status: { activeReplicaSet: set.metadata.name } });
const given = { object, replicaSets: [set], nodes: nodesNamed('a', 'b') };

function inspected(pods: typeof ready, names: readonly string[] = []) {
  const finding = {
    word: 'FailedMount',
    message: 'a volume cannot be mounted',
    pods: names,
    nodes: [],
  } as const;
  const snapshot = snapshotOf({ ...given, pods, findings: { [set.metadata.uid]: finding } });
  const decision = decide(snapshot, now);
  const { inspect = [] } = plan(snapshot, decision, now);
  return {
    inspect: inspect.map(({ name, labelSelector, awaited }) => [name, labelSelector, awaited]),
    holds: decision.holds.map(({ reason, targets }) => `${reason} ${targets.join()}`),
  };
}

describe('pods of an ExtendedDaemonSet that are not Ready', () => {
  it('are looked at by their replica set, and are held for what was found', () => {
    const [, b] = starting;
    const { inspect, holds } = inspected(starting, [b?.metadata.name ?? '']);
    expect(inspect).toEqual([
      [
        set.metadata.name,
        `extendeddaemonsetreplicaset.datadoghq.com/name=${set.metadata.name}`,
        [b?.metadata.name],
      ],
    ]);
    expect(holds[0]).toBe('FailedMount b');
  });

  it('are not held for what was found in a pod that is Ready meanwhile', () => {
    const [a] = starting;
    expect(inspected(starting, [a?.metadata.name ?? '']).holds).not.toContain('FailedMount b');
  });

  it.each<[string, Parameters<typeof snapshotOf>[0]]>([
    ['on a node that is away', { nodes: [node('a'), node('b', { awaySince: ago(60) })], pods: starting }],
    [
      'of an older template',
      { replicaSets: [set, old], pods: [podOn('a', set), podOn('b', old, { ready: false })] },
    ],
    ['that has failed and is replaced later', { pods: [podOn('a', set), podOn('b', set, failed)] }],
    ['that is being deleted', { pods: [podOn('a', set), podOn('b', set, { ending: true })] }],
  ])('are not looked at where the only one is one %s', (_, change) => {
    const snapshot = snapshotOf({ ...given, ...change });
    expect(plan(snapshot, decide(snapshot, now), now).inspect ?? []).toEqual([]);
  });

  it('are not looked at where all are Ready', () => {
    expect(inspected(ready)).toEqual({ inspect: [], holds: [] });
  });
});
