import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '@atoll/kube/testing';
import type { RolloutLimits } from '../../engine/rollout/choose-targets.ts';
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
  type PodShape,
} from '../extended-daemon-set.fixture.ts';
import type { ExtendedDaemonSetSnapshot } from '../observe.ts';
import { plan } from '../plan.ts';
import { report } from '../report.ts';
import { readStrategy } from '../read-strategy.ts';
import { deleteUnwanted } from '../steps/pod-steps.ts';
import type { HeldBy } from './held-by.ts';
import { rollingLimits, type RollingState } from './rolling-limits.ts';

const [old, current] = [replicaSet(1), replicaSet(2)];

/** The second template is the active one, and rolls out. */
function rolling(
  strategy: NonNullable<Parameters<typeof agent>[1]>['strategy'],
  change: Partial<ExtendedDaemonSetSnapshot>,
  annotations: Readonly<Record<string, string>> = {},
) {
  const rollingUpdate = {
    slowStartIntervalDuration: '1ms',
    slowStartAdditiveIncrease: 250,
    ...strategy?.rollingUpdate,
  };
  const object = agent('agent:2', {
    strategy: { reconcileFrequency: '0s', ...strategy, rollingUpdate },
    status: { activeReplicaSet: 'agent-2' },
    annotations,
  });
  const { fleet, ...rest } = decide(snapshotOf({ object, replicaSets: [old, current], ...change }), now);
  const names = (some: readonly { readonly target: { readonly id: string } }[] = []) =>
    some.map(({ target }) => target.id);
  return { fleet, ...rest, deleted: names(fleet?.active?.deleted), created: names(fleet?.active?.created) };
}

function fleetOf(counts: {
  readonly n: number;
  readonly missing?: number;
  readonly ready?: number;
  readonly starting?: number;
  readonly oldReady?: number;
  readonly oldBroken?: number;
}) {
  const names = Array.from({ length: counts.n }, (_, index) => `n${String(index).padStart(3, '0')}`);
  const open = [...names];
  const take = (count = 0): readonly string[] => open.splice(0, count);
  const on = (of: typeof old, shape: PodShape, count: number | undefined) =>
    take(count).map((name) => podOn(name, of, shape));
  return {
    nodes: nodesNamed(...names),
    pods: [
      ...on(current, {}, counts.ready),
      ...on(current, { ready: false }, counts.starting),
      ...on(old, {}, counts.oldReady),
      ...on(old, { ready: false }, counts.oldBroken),
    ],
  };
}

describe('a rolling update', () => {
  // `reference/extendeddaemonset.md` 3.10; the number to delete is what the budget leaves, so it shows where enough pods are outdated.
  it.each([
    [{ n: 10 }, 5, 20, 10, 0],
    [{ n: 10 }, 5, 5, 5, 0],
    [{ n: 10, starting: 7 }, 5, 5, 3, 0],
    [{ n: 10, ready: 5, starting: 2 }, 5, 5, 3, 0],
    [{ n: 10, ready: 7, starting: 3 }, 5, 5, 0, 0],
    [{ n: 10, ready: 2, starting: 3, oldReady: 5 }, 5, 5, 0, 2],
    [{ n: 10, oldReady: 10 }, 5, 5, 0, 5],
    [{ n: 10, oldReady: 10 }, 3, 5, 0, 3],
    [{ n: 10, ready: 7 }, 3, 5, 3, 0],
    [{ n: 10, ready: 3, starting: 1, oldReady: 6 }, 3, 5, 0, 2],
    [{ n: 166, oldReady: 149 }, 19, 20, 17, 2],
    [{ n: 10, ready: 7, oldBroken: 3 }, 3, 5, 0, 3],
  ])(
    'of %j with maxUnavailable %i and %i creations makes %i and deletes %i',
    (counts, maxUnavailable, slots, creates, deletes) => {
      const { created, deleted } = rolling(
        { rollingUpdate: { maxUnavailable, maxParallelPodCreation: slots } },
        fleetOf(counts),
      );
      expect([created.length, deleted.length]).toEqual([creates, deletes]);
    },
  );

  it.each([
    [10, '10%', 1],
    [11, '10%', 2],
    [3, '1%', 1],
    [150, '1%', 2],
  ])('of %i nodes with maxUnavailable %s, which is rounded up, deletes %i', (n, maxUnavailable, deletes) => {
    const { deleted } = rolling({ rollingUpdate: { maxUnavailable } }, fleetOf({ n, oldReady: n }));
    expect(deleted).toHaveLength(deletes);
  });

  it('deletes the broken pod and leaves the healthy ones (BUG-10)', () => {
    const { nodes, pods } = fleetOf({ n: 10, oldReady: 9, oldBroken: 1 });
    expect(rolling({ rollingUpdate: { maxUnavailable: 1 } }, { nodes, pods }).deleted).toEqual(['n009']);
  });

  it('never has more than maxUnavailable nodes without an available pod by its own doing', () => {
    const shape = fc.constantFrom('none', 'ready', 'starting', 'oldReady', 'oldBroken', 'ending');
    fc.assert(
      fc.property(fc.array(shape, { minLength: 1, maxLength: 12 }), fc.nat(4), (shapes, more) => {
        const maxUnavailable = more + 1;
        const named = shapes.map((is, index) => ({ is, name: `n${index}` }));
        const pods = named.flatMap(({ is, name }) =>
          is === 'none'
            ? []
            : [
                podOn(name, is === 'ready' || is === 'starting' ? current : old, {
                  ready: is === 'ready' || is === 'oldReady',
                  ending: is === 'ending',
                }),
              ],
        );
        const nodes = nodesNamed(...named.map(({ name }) => name));
        const { deleted } = rolling({ rollingUpdate: { maxUnavailable } }, { nodes, pods });
        const down = named.filter(({ is }) => is !== 'ready' && is !== 'oldReady').map(({ name }) => name);
        const healthy = deleted.filter((name) => !down.includes(name));
        expect(healthy.length === 0 || down.length + healthy.length <= maxUnavailable).toBe(true);
      }),
    );
  });

  it('takes nodes of all zones in turn', () => {
    const zones = { a: 'x', b: 'x', c: 'y', d: 'y' };
    const nodes = Object.entries(zones).map(([name, zone]) =>
      node(name, { labels: { 'topology.kubernetes.io/zone': zone } }),
    );
    const pods = Object.keys(zones).map((name) => podOn(name, old));
    expect(rolling({ rollingUpdate: { maxUnavailable: 2 } }, { nodes, pods }).deleted).toEqual(['a', 'c']);
  });

  it('makes no pod for a node that is away, names it, and makes those of the others', () => {
    const { created, holds } = rolling({}, { nodes: [node('a', { awaySince: ago(5) }), node('b')] });
    expect(created).toEqual(['b']);
    expect(holds).toContainEqual(expect.objectContaining({ reason: 'NodeNotReady', targets: ['a'] }));
  });

  it('names a node that is away where all that is missing is that its pod is Ready', () => {
    const nodes = [node('a', { awaySince: ago(500) }), node('b')];
    const pods = [podOn('a', current, { ready: false }), podOn('b', current)];
    const waitingUntil = 'the node is Ready again';
    expect(rolling({}, { nodes, pods }).holds).toMatchObject([
      { reason: 'NodeNotReady', waitsFor: 'nodes', targets: ['a'], waitingUntil, bad: false },
    ]);
  });

  it('deletes no healthy pod for which slow start allows no successor', () => {
    const strategy = {
      rollingUpdate: { maxUnavailable: 5, slowStartIntervalDuration: '1m', slowStartAdditiveIncrease: 2 },
    };
    const { deleted, holds } = rolling(strategy, fleetOf({ n: 10, oldReady: 10 }));
    expect(deleted).toHaveLength(2);
    expect(holds.map(({ reason }) => reason)).toContain('CreationLimitReached');
  });

  it('keeps reconcileFrequency between two batches of deletions', () => {
    const conditions = [{ type: 'PodDeletion', status: 'True', lastUpdateTime: ago(5) }];
    const replicaSets = [old, replicaSet(2, { conditions })];
    const { nodes, pods } = fleetOf({ n: 3, oldReady: 3 });
    const soon = rolling({ reconcileFrequency: '10s' }, { nodes, pods, replicaSets });
    expect(soon.deleted).toEqual([]);
    expect(soon.holds[0]?.reason).toBe('BatchInterval');
    expect(soon.requeueAt).toBe(now + 5_999);
    expect(rolling({ reconcileFrequency: '4s' }, { nodes, pods, replicaSets }).deleted).toHaveLength(1);
  });

  it('makes as many pods in an interval as slow start allows, those that were just made included', () => {
    const strategy = {
      reconcileFrequency: '10s',
      rollingUpdate: { slowStartIntervalDuration: '1m', slowStartAdditiveIncrease: 2 },
    };
    const nodes = nodesNamed('a', 'b', 'c', 'd');
    expect(rolling(strategy, { nodes }).created).toEqual(['a', 'b']);
    const pods = [podOn('a', current, { created: ago(2) })];
    expect(rolling(strategy, { nodes, pods }).created).toEqual(['b']);
    // Deleted meanwhile, it was made all the same; one of another template was made by nobody now.
    const ending = [podOn('a', current, { created: ago(2), ending: true })];
    expect(rolling(strategy, { nodes, pods: ending }).created).toEqual(['b']);
    expect(rolling(strategy, { nodes, pods: [podOn('a', old, { created: ago(2) })] }).created).toEqual([
      'b',
      'c',
    ]);
  });

  it.each([
    ['rolling-update-paused', ['a']],
    ['rollout-frozen', []],
  ])('with %s deletes nothing and makes %j', (annotation, made) => {
    const nodes = nodesNamed('a', 'b', 'c');
    const pods = [podOn('b', old), podOn('c', old, { ready: false })];
    const { created, deleted } = rolling(
      {},
      { nodes, pods },
      { [`extendeddaemonset.datadoghq.com/${annotation}`]: 'true' },
    );
    expect(deleted).toEqual([]);
    expect(created).toEqual(made);
  });

  it('goes on when one node is dead and its pod does not end, after ten minutes, whatever maxPodSchedulerFailure is (BUG-19)', () => {
    const dead = (seconds: number) => [node('a', { awaySince: ago(seconds) }), node('b')];
    const pods = [podOn('a', old, { ending: true }), podOn('b', old)];
    expect(rolling({}, { nodes: dead(300), pods }).deleted).toEqual([]);
    expect(rolling({}, { nodes: dead(601), pods }).deleted).toEqual(['b']);
    const left = { rollingUpdate: { maxPodSchedulerFailure: 1 } };
    expect(rolling(left, { nodes: dead(61), pods }).deleted).toEqual(['b']);
  });

  it('goes on when a node without a pod is Ready and keeps a taint of its absence, after ten minutes, and names the taint', () => {
    const key = 'node.kubernetes.io/not-ready';
    const tainted = (seconds: number) => [
      node('a', { taints: [{ key, effect: 'NoSchedule', timeAdded: ago(seconds) }] }),
      node('b'),
    ];
    const pods = [podOn('b', old)];
    expect(rolling({}, { nodes: tainted(300), pods }).deleted).toEqual([]);
    const { deleted, holds } = rolling({}, { nodes: tainted(601), pods });
    expect(deleted).toEqual(['b']);
    const waitingUntil = `the taint ${key} is gone from the node, which is Ready`;
    expect(holds).toContainEqual(
      expect.objectContaining({ reason: 'NodeNotReady', targets: ['a'], waitingUntil }),
    );
    const left = { rollingUpdate: { maxPodSchedulerFailure: 1 } };
    expect(rolling(left, { nodes: tainted(61), pods }).deleted).toEqual(['b']);
    expect(
      rolling(left, { nodes: [node('a', { taints: [{ key, effect: 'NoSchedule' }] }), node('b')], pods })
        .deleted,
    ).toEqual([]);
  });

  it.each([
    ['of an older template', old, {}],
    ['with other overrides', current, { 'atoll.dev/overrides-hash': 'others' }],
    ['that nobody owns any more', undefined, {}],
  ])('replaces a pod %s that was never scheduled (BUG-18)', (_, of, annotations) => {
    const nodes = nodesNamed('a', 'b');
    const stuck = { bound: false, ready: false, created: ago(1200), annotations };
    const { ownerReferences: __, ...unowned } = podOn('a', old, stuck).metadata;
    const found = of === undefined ? { ...podOn('a', old, stuck), metadata: unowned } : podOn('a', of, stuck);
    expect(rolling({}, { nodes, pods: [found, podOn('b', old)] }).deleted).toEqual(['a']);
  });

  it('deletes nothing on a node that a taint keeps new pods off, and nothing that runs there goes (BUG-25)', () => {
    const nodes = [node('a', { taints: [{ key: 'x', effect: 'NoSchedule' }] })];
    const { deleted, fleet } = rolling({}, { nodes, pods: [podOn('a', old)] });
    expect(deleted).toEqual([]);
    expect(fleet?.unwanted.deleted).toEqual([]);
  });

  it('ends pods on nodes that do not fit any more, and duplicates, the younger one first', () => {
    const nodes = [node('a', { taints: [{ key: 'x', effect: 'NoExecute' }] }), node('b')];
    const pods = [
      podOn('a', current),
      podOn('b', current),
      podOn('b', current, { name: 'younger', created: ago(9) }),
    ];
    const { fleet } = rolling({}, { nodes, pods });
    expect(fleet?.unwanted.deleted.map(({ pod, because }) => [pod.metadata.name, because])).toEqual([
      ['agent-2-a', 'unfit'],
      ['younger', 'duplicate'],
    ]);
  });

  it('of two pods on a node ends the one that is not Ready, however many nodes have two', () => {
    const names = ['a', 'b', 'c'];
    const pods = names.flatMap((name) => [
      podOn(name, old, { name: `broken-${name}`, created: ago(900), ready: false }),
      podOn(name, old, { name: `serving-${name}`, created: ago(90) }),
    ]);
    const { fleet } = rolling({}, { nodes: nodesNamed(...names), pods });
    const ended = fleet?.unwanted.deleted ?? [];
    expect(ended.map(({ pod }) => pod.metadata.name)).toEqual(['broken-a', 'broken-b', 'broken-c']);
    // Where it is Ready meanwhile, or the other one is not any more, it is looked at again.
    expect(ended.map((each) => deleteUnwanted(each, undefined, false))).toMatchObject(
      names.map((name) => ({
        resourceVersion: '1',
        restsOn: [{ uid: `uid-serving-${name}`, resourceVersion: '1' }],
      })),
    );
  });

  it.each([
    ['unfit', [node('a', { labels: { zone: 'far' }, taints: [{ key: 'x', effect: 'NoExecute' }] })], 'uid-a'],
    ['node-gone', [], undefined],
  ] as const)('looks at the node again before a pod ends that is %s', (because, nodes, uid) => {
    const pods = [podOn('a', current, { bound: because === 'unfit' })];
    const object = agent('agent:2', { status: { activeReplicaSet: 'agent-2' } });
    const snapshot = snapshotOf({ object, replicaSets: [old, current], nodes, pods });
    const steps = plan(snapshot, decide(snapshot, now), now).stages.flatMap((stage) => stage.steps);
    const labels = uid === undefined ? {} : { zone: 'far' };
    expect(steps.filter(({ why }) => why.word === 'PodUnwanted')).toMatchObject([
      { restsOn: [{ resource: { kind: 'Node' }, key: { name: 'a' }, uid, labels }] },
    ]);
  });

  it('ends a pod that has failed beside another one, so that its replica set does not stay for ever', () => {
    const evicted = podOn('a', old, { phase: 'Failed', ready: false });
    const given = { nodes: nodesNamed('a'), pods: [podOn('a', current), evicted] };
    const { fleet } = rolling({}, given);
    expect(fleet?.unwanted.deleted.map(({ pod }) => pod)).toEqual([evicted]);
    const after = rolling({}, { ...given, pods: given.pods.slice(0, 1) });
    expect(after.fleet?.obsolete).toEqual([old]);
  });

  it.each(['duplicate', 'unfit', 'node-gone'])(
    'that is frozen leaves a pod that is %s (BUG-25)',
    (because) => {
      const nodes = [node('a'), node('b', { taints: [{ key: 'x', effect: 'NoExecute' }] })];
      const pods = {
        duplicate: [podOn('a', current), podOn('a', current, { name: 'younger', created: ago(9) })],
        unfit: [podOn('b', current)],
        'node-gone': [podOn('gone', current, { bound: false })],
      }[because];
      const unwanted = (annotations: Readonly<Record<string, string>>) =>
        rolling({}, { nodes, ...(pods === undefined ? {} : { pods }) }, annotations).fleet?.unwanted.deleted;
      expect(unwanted({})).toMatchObject([{ because }]);
      expect(unwanted({ 'extendeddaemonset.datadoghq.com/rollout-frozen': 'true' })).toEqual([]);
    },
  );

  it.each(['Failed', 'Succeeded'])(
    'replaces a pod that is %s (BUG-25), with back-off where it happens again',
    (phase) => {
      const nodes = nodesNamed('a');
      const ended = (failures: string, created: number) =>
        podOn('a', current, {
          phase,
          ready: false,
          created: ago(created),
          annotations: { 'atoll.dev/failed-pods': failures },
        });
      const first = rolling({}, { nodes, pods: [ended('0', 3)] });
      expect(first.created).toEqual(['a']);
      expect(first.fleet?.active?.created[0]).toMatchObject({
        failures: 1,
        replaces: { metadata: { name: 'agent-2-a' } },
      });
      const again = rolling({}, { nodes, pods: [ended('2', 3)] });
      expect(again.created).toEqual([]);
      expect(again.requeueAt).toBe(now - 3_000 + 20_000);
      expect(rolling({}, { nodes, pods: [ended('2', 21)] }).created).toEqual(['a']);
    },
  );

  it('counts the pods of a second replica set of the same template as its own, so that none is restarted', () => {
    const duplicate = replicaSet(2, { name: 'agent-2-b', created: ago(10) });
    const pods = [podOn('a', duplicate)];
    const { deleted, fleet } = rolling(
      {},
      { nodes: nodesNamed('a'), pods, replicaSets: [current, duplicate] },
    );
    expect(deleted).toEqual([]);
    expect(fleet?.obsolete).toEqual([]);
  });

  it('with a strategy that cannot be used deletes nothing, fills empty nodes, and names which field it is (BUG-13, BUG-20)', () => {
    const strategy = { rollingUpdate: { maxUnavailable: '10$' } };
    const nodes = nodesNamed('a', 'b');
    const { deleted, created, holds } = rolling(strategy, { nodes, pods: [podOn('b', old)] });
    expect([deleted, created]).toEqual([[], ['a']]);
    expect(holds[0]).toMatchObject({ reason: 'InvalidStrategy', bad: true });
    expect(holds[0]?.problem).toContain('maxUnavailable is "10$"');
  });
});

it('a rollout that may make no pod deletes none, and names the field that a person has to change', () => {
  const strategy = { rollingUpdate: { maxParallelPodCreation: 0 } };
  const empty = rolling(strategy, { nodes: nodesNamed('a'), pods: [] });
  expect(empty.created).toEqual([]);
  expect(empty.holds).toEqual([
    expect.objectContaining({
      reason: 'CreationLimitReached',
      waitsFor: 'person',
      waitingUntil: expect.stringContaining(
        'spec.strategy.rollingUpdate.maxParallelPodCreation is more than 0',
      ),
    }),
  ]);
});

it('an annotation of a node that cannot be read is named, and its pod is made without it', () => {
  const annotations = { 'resources.extendeddaemonset.datadoghq.com/edge.agent.agent': '{' };
  const { created, holds } = rolling({}, { nodes: [node('a', { annotations })] });
  expect(created).toEqual(['a']);
  expect(holds[0]).toMatchObject({ reason: 'InvalidOverride', targets: ['a'] });
});

it('what the API server refuses is in the conditions of object and replica set, with its message (BUG-20)', () => {
  const snapshot = snapshotOf({ nodes: nodesNamed('a'), replicaSets: [old] });
  const decision = decide(snapshot, now);
  const [step] = plan(snapshot, decision, now).stages.flatMap(({ steps }) => steps);
  if (step === undefined) throw new Error('nothing is planned');
  const message = 'pods "x" is forbidden: exceeded quota';
  const error = refusalOf(403, 'create pods', message);
  const written = report(snapshot, decision, { results: [{ step, did: 'failed', error }] }, now);
  for (const { status } of written) {
    expect(status).toMatchObject({
      conditions: expect.arrayContaining([
        expect.objectContaining({
          type: 'ReconcileError',
          status: 'True',
          message: expect.stringContaining(message),
        }),
      ]),
    });
  }
});

describe('slow start of 100 nodes', () => {
  const minutes = 60_000;
  function creations(slowStartAdditiveIncrease: number, change: Partial<RollingState>) {
    const { strategy } = readStrategy(
      agent('x', { strategy: { rollingUpdate: { slowStartAdditiveIncrease } } }),
      'auto',
    );
    const limits: RolloutLimits = rollingLimits({
      strategy: { ...strategy, slowStartIntervalMs: minutes },
      held: undefined,
      nodes: 100,
      activeSince: now,
      created: [],
      unfit: new Set(),
      now,
      ...change,
    });
    return limits.creations;
  }

  it.each([
    [1, 0, 1],
    [1, 2, 3],
    [2, 2, 6],
    [10, 5, 60],
    [30, 10, 250],
  ])('with an increase of %i allows after %i minutes %i creations', (increase, after, slots) => {
    expect(creations(increase, { activeSince: now - after * minutes })?.atMost).toBe(slots);
  });

  it('allows none where more pods were made within the interval than it has slots', () => {
    expect(creations(1, { created: [now, now, now] })?.atMost).toBe(0);
  });

  it('names no moment at which it allows more while the rollout is paused', () => {
    const held: HeldBy = { by: 'paused', rule: () => undefined };
    expect(creations(1, { held, activeSince: undefined })?.moreAt).toBeUndefined();
    expect(creations(1, { activeSince: undefined })?.moreAt).toBe(now + minutes);
  });
});
