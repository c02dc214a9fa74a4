import { replicaSetConditions, type ExtendedDaemonSetStatus } from '@atoll/api';
import { conditionOf } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { decide } from '../../decide.ts';
import {
  agent,
  node,
  now,
  podOn,
  replicaSet,
  snapshotOf,
  type PodShape,
} from '../../extended-daemon-set.fixture.ts';
import { plan } from '../../plan.ts';
import { report } from '../../report.ts';

const [old, current] = [replicaSet(1), replicaSet(2)];
const taints = [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }] as const;

/** `agent:2` has all nodes that are not tainted; each pod is on a node, and of one of the replica sets. */
function rolledOut(
  pods: readonly (readonly [string, typeof old, PodShape?])[],
  tainted: readonly string[] = ['b'],
) {
  const names = ['a', 'b', 'c', 'd', 'e'].filter((name) => pods.some(([on]) => on === name) || name === 'b');
  const snapshot = snapshotOf({
    object: agent('agent:2', { status: { activeReplicaSet: 'agent-2' } }),
    replicaSets: [old, current],
    pods: pods.map(([name, of, shape]) => podOn(name, of, shape)),
    nodes: names.map((name) => node(name, tainted.includes(name) ? { taints } : {})),
  });
  const decision = decide(snapshot, now);
  const steps = plan(snapshot, decision, now).stages.flatMap((stage) => stage.steps);
  const written = report(snapshot, decision, { results: [] }, now);
  const status = written.find(({ resource }) => resource.kind === 'ExtendedDaemonSet')
    ?.status as ExtendedDaemonSetStatus;
  const condition = (type: string) => conditionOf({ status }, type);
  return { holds: decision.holds, steps, condition };
}

describe('a node with a taint that came later', () => {
  it('keeps a pod of another template, and is named until it has none', () => {
    const { holds, steps, condition } = rolledOut([
      ['a', current],
      ['b', old],
    ]);
    expect(steps.filter(({ do: does }) => does === 'delete' || does === 'create')).toEqual([]);
    expect(holds).toMatchObject([{ reason: 'NodeTainted', waitsFor: 'person', targets: ['b'], bad: false }]);
    const message =
      '1 of 2 nodes run the current template and their pods are Ready; b: its pod of another template stays, because the template ' +
      'does not tolerate the taint dedicated=gpu:NoSchedule, so that none can be made in its place. ' +
      'Remove the taint, tolerate it in the template, or delete the pod';
    expect(condition('Ready')).toMatchObject({ status: 'False', reason: 'NodeTainted', message });
    expect(condition('Progressing')).toMatchObject({ status: 'False', reason: 'NodeTainted' });
    expect(condition('Degraded')?.status).toBe('False');
  });

  it.each<[string, Parameters<typeof rolledOut>[0]]>([
    [
      'has a pod of the current template',
      [
        ['a', current],
        ['b', current],
      ],
    ],
    ['has no pod', [['a', current]]],
    [
      'has a pod that ends',
      [
        ['a', current],
        ['b', old, { ending: true }],
      ],
    ],
    [
      'has a pod that was never bound to it',
      [
        ['a', current],
        ['b', old, { bound: false }],
      ],
    ],
    [
      'has a pod that has ended',
      [
        ['a', current],
        ['b', old, { phase: 'Failed', ready: false }],
      ],
    ],
  ])('is no reason to wait where it %s', (_, pods) => {
    const { holds, condition } = rolledOut(pods);
    expect(holds).toEqual([]);
    const message = 'all 1 nodes run the current template and their pods are Ready';
    expect(condition('Ready')).toMatchObject({ status: 'True', reason: 'RolloutComplete', message });
  });

  it('is named where its pod is that of a canary that has failed, and not while one is tried', () => {
    const failed = { type: replicaSetConditions.canaryFailed, status: 'True', reason: 'Error' } as const;
    const named = (tried: typeof old, status: object) => {
      const object = agent('agent:2', { strategy: { canary: { validationMode: 'manual' } }, status });
      const nodes = [node('a'), node('b', { taints })];
      const pods = [podOn('a', old), podOn('b', tried)];
      const { holds } = decide(snapshotOf({ object, replicaSets: [old, tried], nodes, pods }), now);
      return holds.flatMap(({ reason, targets }) => (reason === 'NodeTainted' ? targets : []));
    };
    expect(named(replicaSet(2, { conditions: [failed] }), {})).toEqual(['b']);
    expect(named(current, { canary: { replicaSet: 'agent-2', nodes: ['b'] } })).toEqual([]);
  });

  it('leaves the rollout on the others going on, and is one of few that are named', () => {
    const names = ['b', 'c', 'd', 'e'];
    const { holds, condition } = rolledOut(
      [['a', current, { ready: false }], ...names.map((name) => [name, old] as const)],
      names,
    );
    expect(holds).toContainEqual(expect.objectContaining({ reason: 'NodeTainted', count: 4 }));
    expect(condition('Progressing')).toMatchObject({ status: 'True' });
    const alone = rolledOut([['a', current], ...names.map((name) => [name, old] as const)], names);
    expect(alone.condition('Ready')?.message).toContain('b, c, d and 1 more: its pod of another template');
  });
});
