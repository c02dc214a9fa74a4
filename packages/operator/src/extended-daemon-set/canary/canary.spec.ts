import type { ExtendedDaemonSetStatus } from '@atoll/api';
import fc from 'fast-check';
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
  template,
} from '../extended-daemon-set.fixture.ts';
import { eventsOf } from '../events.ts';
import { plan } from '../plan.ts';
import { report } from '../report.ts';
import { active, canaryPod, tried, nodes, onNodeA, nothingDone, trying, touched } from './canary.fixture.ts';

describe('a canary', () => {
  it('replaces the pods of its nodes alone, at once, and the active one touches none of them (BUG-7)', () => {
    const pods = [podOn('a', active), podOn('b', active), podOn('c', active)];
    const result = trying({ canary: { validationMode: 'manual' }, pods });
    expect(touched(result)).toEqual(['a']);
  });

  it('that fits fewer nodes deletes nothing on the others (BUG-7)', () => {
    const narrow = {
      ...template('agent:2'),
      spec: {
        ...template('agent:2').spec,
        containers: template('agent:2').spec?.containers ?? [],
        nodeSelector: { gpu: 'yes' },
      },
    };
    const one = replicaSet(2, { created: ago(10) });
    const picky = { ...one, spec: { ...one.spec, template: narrow } };
    const object = agent('agent:2', {
      strategy: { canary: {} },
      status: { canary: { replicaSet: 'agent-2', nodes: ['a'] } },
    });
    const fleet = [node('a', { labels: { gpu: 'yes' } }), node('b'), node('c')];
    const pods = [podOn('a', picky), podOn('b', active), podOn('c', active)];
    const owner = {
      resource: snapshotOf({}).owner?.resource ?? active,
      object: { ...object, spec: { ...object.spec, template: narrow } },
    };
    const snapshot = {
      ...snapshotOf({ object: owner.object }),
      replicaSets: [active, picky],
      pods,
      nodes: fleet,
    };
    const decision = decide(snapshot, now);
    expect(decision.fleet?.roles.canaryToRecord).toEqual({ replicaSet: 'agent-2', nodes: ['a'] });
    expect(plan(snapshot, decision, now).stages.flatMap(({ steps }) => steps)).toEqual([
      expect.objectContaining({
        do: 'patch',
        target: 'a',
        why: expect.objectContaining({ word: 'PodLabelled' }),
      }),
    ]);
  });

  it.each([
    ['an outdated pod', [podOn('a', active), podOn('b', active), podOn('c', active)]],
    ['no pod', [podOn('b', active), podOn('c', active)]],
  ])('that is paused deletes nothing and makes nothing on a node with %s (BUG-14)', (_, pods) => {
    const annotations = { 'extendeddaemonset.datadoghq.com/canary-paused': 'true' };
    expect(touched(trying({ annotations, pods }))).toEqual([]);
  });

  it('with a strategy that cannot be used deletes nothing and makes nothing', () => {
    const canary = { autoPause: { maxRestarts: 5 }, autoFail: { maxRestarts: 2 } };
    expect(touched(trying({ canary, pods: [podOn('a', active), podOn('b', active)] }))).toEqual(['c']);
    expect(touched(trying({ canary, pods: [podOn('b', active), podOn('c', active)] }))).toEqual([]);
  });

  it.each([3, 7])(
    'with a strategy that cannot be used is not judged by restarts (%i), and keeps its nodes',
    (restarts) => {
      const canary = { replicas: 2, autoPause: { maxRestarts: 900 }, autoFail: { maxRestarts: 200 } };
      const recorded = { replicaSet: 'agent-2', nodes: ['b', 'a'] };
      const pods = [podOn('a', tried, { restarts }), podOn('b', tried), podOn('c', active)];
      const found = trying({ canary, recorded, pods });
      expect(found.roles?.canary?.verdict.is).toBe('running');
      expect(found.roles?.promoted).toBeUndefined();
      expect(found.status).toMatchObject({ state: 'Canary', canary: recorded });
      expect(touched(found)).toEqual([]);
    },
  );

  describe('that fails', () => {
    const pods = canaryPod({ restarts: 6 });
    const shown = replicaSet(2, {
      conditions: [{ type: 'Canary-Failed', status: 'True', reason: 'Error' }],
    });

    it('keeps its nodes recorded until its replica set shows that, and is not tried on another node', () => {
      const first = trying({ pods });
      expect(first.status).toMatchObject({ state: 'Canary', canary: onNodeA });
      // The write of the replica set's status waits for a second, or fails.
      const { canary: recorded = null } = first.status as { readonly canary?: typeof onNodeA };
      const second = trying({ pods, recorded });
      expect(second.roles?.failed).toBeDefined();
      expect(second.roles?.canaryToRecord).toBeUndefined();
      expect(touched(second)).toEqual([]);
    });

    it('has none when its replica set shows that', () => {
      const { status } = trying({ pods, replicaSets: [active, shown] });
      expect(status).toMatchObject({ state: 'Canary Failed' });
      expect(status).not.toHaveProperty('canary');
    });
  });

  describe('on a node that somebody taints NoSchedule', () => {
    const taints = [{ key: 'maintenance', effect: 'NoSchedule' }] as const;
    const tainted = [node('a', { taints }), node('b'), node('c')];
    const canary = { duration: '1h' };

    it('stays there, and runs on no other', () => {
      const found = trying({ canary, nodes: tainted, pods: canaryPod() });
      expect(touched(found)).toEqual([]);
      expect(found.status).toMatchObject({ state: 'Canary', canary: onNodeA, upToDate: 1, ready: 3 });
    });

    it('is judged by its restarts there', () => {
      const found = trying({ canary, nodes: tainted, pods: canaryPod({ restarts: 6 }) });
      expect(found.roles?.failed).toMatchObject({ by: 'autoFail.maxRestarts' });
    });

    it('is promoted when it is Ready there', () => {
      expect(trying({ nodes: tainted, pods: canaryPod() }).roles?.promoted).toBeDefined();
      expect(trying({ nodes: tainted, pods: canaryPod({ ready: false }) }).roles?.promoted).toBeUndefined();
    });

    it.each([
      ['its pod ends there', [podOn('b', active), podOn('c', active)]],
      ['it has not begun there', [podOn('a', active), podOn('b', active), podOn('c', active)]],
    ])('moves to another one where %s', (_, pods) => {
      expect(trying({ canary, nodes: tainted, pods }).status).toMatchObject({
        canary: { replicaSet: 'agent-2', nodes: ['b'] },
      });
    });

    it('keeps the overrides that it has, because no other pod can be made', () => {
      const annotations = { 'atoll.dev/overrides-hash': 'other' };
      const pods = canaryPod({ annotations });
      const found = trying({ canary, nodes: tainted, pods });
      expect(touched(found)).toEqual([]);
      expect(found.holds).toContainEqual(expect.objectContaining({ reason: 'NodeTainted', targets: ['a'] }));
    });

    it('is judged by its restarts also with overrides that are no longer those of the node', () => {
      const annotations = { 'atoll.dev/overrides-hash': 'other' };
      const pods = (restarts: number) => canaryPod({ annotations, restarts });
      expect(trying({ canary, nodes: tainted, pods: pods(6) }).roles?.failed).toMatchObject({
        by: 'autoFail.maxRestarts',
      });
      // Where another pod can be made, it is replaced, and the new one is judged.
      expect(trying({ canary, pods: pods(6) }).roles?.failed).toBeUndefined();
    });
  });

  it('with a strategy that cannot be used stays paused where it was', () => {
    const canary = { autoPause: { maxRestarts: 5 }, autoFail: { maxRestarts: 2 } };
    const conditions = [{ type: 'Canary-Paused', status: 'True', reason: 'CrashLoopBackOff' }];
    const replicaSets = [active, replicaSet(2, { created: ago(700), conditions })];
    const { roles } = trying({ canary, replicaSets, pods: canaryPod() });
    expect(roles?.canary?.verdict).toMatchObject({ is: 'paused', by: 'paused before' });
  });

  it('touches no node before the node is recorded', () => {
    const pods = [podOn('a', active), podOn('b', active), podOn('c', active)];
    const fresh = trying({ canary: { duration: '1h' }, recorded: { replicaSet: '', nodes: [] }, pods });
    expect(touched(fresh)).toEqual([]);
    const lost = trying({
      canary: { duration: '1h' },
      recorded: { replicaSet: 'agent-2', nodes: ['gone'] },
      pods,
    });
    expect(touched(lost)).toEqual([]);
    expect(lost.status).toMatchObject({ canary: onNodeA });
    expect(fresh.status).toMatchObject({ state: 'Canary', canary: onNodeA });
  });

  it('stays recorded, with its nodes, until the template that follows has a replica set', () => {
    const object = agent('agent:3', { strategy: { canary: {} }, status: { canary: onNodeA } });
    const pods = [podOn('a', tried), podOn('b', active), podOn('c', active)];
    const snapshot = { ...snapshotOf({ object, nodes, pods, replicaSets: [active, tried] }) };
    const decision = decide(snapshot, now);
    expect(decision.fleet?.roles.canaryToRecord).toEqual(onNodeA);
    const steps = plan(snapshot, decision, now).stages.flatMap((stage) => stage.steps);
    expect(steps.map(({ why }) => why.word)).toEqual(['ReplicaSetCreated']);
  });

  it('that is dropped from the strategy leaves no canary in the status, and its nodes are served again (BUG-2)', () => {
    const object = agent('agent:2', { status: { activeReplicaSet: 'agent-2', canary: onNodeA } });
    const snapshot = snapshotOf({ object, nodes, replicaSets: [active, tried] });
    const [status] = report(snapshot, decide(snapshot, now), nothingDone, now).filter(
      ({ resource }) => resource.kind === 'ExtendedDaemonSet',
    );
    expect(status?.status).not.toHaveProperty('canary');
  });

  it('gives up a node that is gone or does not fit, takes another one, and shrinks when fewer are asked for (BUG-17)', () => {
    const recorded = { replicaSet: 'agent-2', nodes: ['gone', 'c'] };
    expect(
      trying({ canary: { replicas: 2, duration: '1h' }, recorded }).roles?.canaryToRecord?.nodes,
    ).toEqual(['c', 'a']);
    const many = { replicaSet: 'agent-2', nodes: ['c', 'b', 'a'] };
    expect(
      trying({ canary: { replicas: 1, duration: '1h' }, recorded: many }).roles?.canaryToRecord?.nodes,
    ).toEqual(['c']);
  });

  describe('with a node that is away', () => {
    const fleet = (awaySeconds: number, ...others: readonly string[]) => [
      node('a', { awaySince: ago(awaySeconds) }),
      ...nodesNamed(...others),
    ];
    const chosen = (given: Parameters<typeof trying>[0]) =>
      trying({ canary: { duration: '1h' }, ...given }).roles?.canaryToRecord?.nodes;
    const pulling = podOn('a', tried, { ready: false, waiting: 'ContainerCreating' });

    it.each([
      ['no pod', []],
      ['a pod of the active replica set', [podOn('a', active)]],
      ['a pod of the canary that has not started', [pulling]],
    ])('takes another one after a minute, where it has %s', (_, pods) => {
      expect(chosen({ nodes: fleet(61, 'b'), pods })).toEqual(['b']);
      expect(chosen({ nodes: fleet(59, 'b'), pods })).toEqual(['a']);
    });

    it('keeps it where a canary has started, because that may be why it is away', () => {
      for (const pod of [podOn('a', tried), podOn('a', tried, { ready: false, restarts: 1 })])
        expect(chosen({ nodes: fleet(600, 'b'), pods: [pod] })).toEqual(['a']);
    });

    it('keeps it where no other one can take its place, and comes back when it is to be given up', () => {
      expect(chosen({ nodes: fleet(600) })).toEqual(['a']);
      const { requeueAt } = trying({ canary: { duration: '1h' }, nodes: fleet(20, 'b') });
      expect(requeueAt).toBe(now + 40_000);
    });

    it('deletes nothing and makes nothing there while no pod of the canary could come in its place', () => {
      const away = fleet(30, 'b', 'c');
      const others = [podOn('b', active), podOn('c', active)];
      const of = (pods: typeof others) => touched(trying({ canary: { duration: '1h' }, nodes: away, pods }));
      expect(of([podOn('a', active), ...others])).toEqual([]);
      expect(of(others)).toEqual([]);
    });

    it('deletes nothing there, and leaves its pod to the active replica set', () => {
      const recorded = { replicaSet: 'agent-2', nodes: ['b'] };
      const pods = [pulling, podOn('b', tried)];
      expect(touched(trying({ canary: { duration: '1h' }, recorded, nodes: fleet(61, 'b'), pods }))).toEqual(
        [],
      );
    });
  });

  describe('with a node that is Ready, and that a taint of its absence still keeps new pods off', () => {
    const lingering = (seconds: number) =>
      node('a', {
        taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule', timeAdded: ago(seconds) }],
      });
    const others = nodesNamed('b', 'c');
    const pods = ['a', 'b', 'c'].map((name) => podOn(name, active));
    const chosen = (change: Parameters<typeof trying>[0], seconds = 10) =>
      trying({ nodes: [lingering(seconds), ...others], pods, ...change }).roles?.canaryToRecord?.nodes;

    it('begins on another one', () => {
      expect(chosen({ recorded: null })).toEqual(['b']);
    });

    it('gives it up after a minute, where it has not started', () => {
      expect([59, 61].map((seconds) => chosen({}, seconds))).toEqual([['a'], ['b']]);
      const nodes = [lingering(59), ...others];
      expect(trying({ nodes, pods }).requeueAt).toBe(now + 1_000);
    });

    it('keeps it where no other one can take its place, and where a canary has started', () => {
      expect(chosen({ nodes: [lingering(61)] })).toEqual(['a']);
      expect(chosen({ pods: [podOn('a', tried), ...pods.slice(1)] }, 61)).toEqual(['a']);
    });
  });

  describe('with a nodeSelector', () => {
    const fleet = [
      node('a'),
      node('b', { labels: { tier: 'test' } }),
      node('c', { labels: { tier: 'test' }, awaySince: ago(5) }),
      node('d', { labels: { tier: 'test' } }),
    ];
    const nodeSelector = { matchLabels: { tier: 'test' } };

    it.each([
      [
        'takes nodes that match alone, and of these the ones that are Ready',
        { replicas: 3 },
        null,
        ['b', 'd'],
      ],
      ['gives up a node that matches no more', {}, onNodeA, ['b']],
      ['takes a percentage of all nodes, and not of those that match', { replicas: '50%' }, null, ['b', 'd']],
    ])('%s', (_, canary, recorded, chosen) => {
      const { roles } = trying({
        canary: { ...canary, nodeSelector, duration: '1h' },
        recorded,
        nodes: fleet,
      });
      expect(roles?.canaryToRecord?.nodes).toEqual(chosen);
    });

    it('that cannot be read keeps its nodes, is not promoted, and is named', () => {
      // As an old operator left it.
      const unreadable = { matchExpressions: [{ key: 'tier', operator: 'In' as const, values: [] }] };
      const { roles, holds, status } = trying({ canary: { nodeSelector: unreadable }, pods: canaryPod() });
      expect(roles?.canaryToRecord).toEqual(onNodeA);
      expect(roles?.promoted).toBeUndefined();
      expect(holds).toContainEqual(
        expect.objectContaining({
          reason: 'CanaryRunning',
          waitsFor: 'person',
          waitingUntil: expect.stringContaining('spec.strategy.canary.nodeSelector'),
        }),
      );
      const { conditions = [] } = status as ExtendedDaemonSetStatus;
      const shown = conditions.map(({ type, status: is, reason }) => [type, is, reason].join(' '));
      expect(shown).toEqual(
        expect.arrayContaining([
          'Ready False InvalidSelector',
          'Degraded True InvalidSelector',
          'Stalled True InvalidSelector',
        ]),
      );
    });
  });

  it('prefers nodes on which pods restart seldom', () => {
    const pods = [
      podOn('a', active, { restarts: 3 }),
      podOn('b', active, { restarts: 1 }),
      podOn('c', active),
    ];
    const fresh = { replicaSet: '', nodes: [] };
    expect(
      trying({ canary: { replicas: 2, duration: '1h' }, recorded: fresh, pods }).roles?.canaryToRecord?.nodes,
    ).toEqual(['c', 'b']);
  });

  it('is spread over the values of its keys, of nodes that fit alone, and needs no more values than there are (BUG-5)', () => {
    const zone = (name: string, value: string, unfit = false) =>
      node(name, { labels: { zone: value }, taints: unfit ? [{ key: 'x', effect: 'NoSchedule' }] : [] });
    const fleet = [
      zone('a', 'x', true),
      zone('b', 'y', true),
      zone('c', 'z'),
      zone('d', 'z'),
      zone('e', 'w'),
      zone('f', 'z'),
    ];
    const canary = { nodeAntiAffinityKeys: ['zone'], duration: '1h' };
    const recorded = { replicaSet: '', nodes: [] };
    const chosen = (replicas: number) =>
      trying({ canary: { ...canary, replicas }, recorded, nodes: fleet }).roles?.canaryToRecord?.nodes;
    expect(chosen(2)).toEqual(['c', 'e']);
    expect(chosen(4)).toEqual(['c', 'e', 'd', 'f']);
  });

  it('never has more nodes than asked for, nor one that does not fit, whatever is recorded', () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    fc.assert(
      fc.property(fc.subarray(names), fc.subarray(names), fc.nat(6), (present, recorded, replicas) => {
        const { roles } = trying({
          canary: { replicas, duration: '1h' },
          nodes: nodesNamed(...present),
          recorded: { replicaSet: 'agent-2', nodes: recorded },
        });
        const chosen = roles?.canaryToRecord?.nodes ?? [];
        expect(chosen).toHaveLength(Math.min(replicas, present.length));
        expect(chosen.every((name) => present.includes(name))).toBe(true);
        expect(new Set(chosen).size).toBe(chosen.length);
      }),
    );
  });

  describe('with annotations that pause it and let it go on', () => {
    const [paused, unpaused] = ['canary-paused', 'canary-unpaused'].map(
      (each) => `extendeddaemonset.datadoghq.com/${each}`,
    ) as [string, string];
    const annotations = { [paused]: 'true', [unpaused]: 'false' };
    const failed = replicaSet(2, {
      conditions: [{ type: 'Canary-Failed', status: 'True', reason: 'Error' }],
    });
    const third = replicaSet(3, { created: ago(10) });
    const pausedFor = (reason: string) =>
      replicaSet(2, { created: ago(700), conditions: [{ type: 'Canary-Paused', status: 'True', reason }] });

    it.each<[string, Parameters<typeof trying>[0], readonly string[]]>([
      ['keeps them while it runs', { pods: canaryPod() }, []],
      ['keeps them before it is recorded', { recorded: null }, []],
      ['keeps them until the template that follows has a replica set', { image: 'agent:3' }, []],
      [
        'loses them to the one that follows',
        { image: 'agent:3', replicaSets: [active, pausedFor('Unknown'), third] },
        [paused, unpaused],
      ],
      [
        'leaves a pause that came with the template that follows',
        { image: 'agent:3', replicaSets: [active, tried, third] },
        [unpaused],
      ],
      [
        'leaves one that came with it also where its own pods had paused it',
        { image: 'agent:3', replicaSets: [active, pausedFor('CrashLoopBackOff'), third] },
        [unpaused],
      ],
      ['keeps them when it has failed, until that is recorded', { replicaSets: [active, failed] }, []],
      [
        'loses them when its failure is recorded',
        { replicaSets: [active, failed], recorded: null },
        [paused, unpaused],
      ],
      ['loses them when it is promoted', { recordedActive: 'agent-2' }, [paused, unpaused]],
    ])('%s', (_, given, removed) => {
      expect(trying({ annotations, ...given }).fleet?.annotationsToRemove).toEqual(removed);
    });

    it('leaves them where the object has no canary: they are about none', () => {
      const object = agent('agent:1', { annotations });
      const snapshot = snapshotOf({ object, nodes, replicaSets: [active] });
      expect(decide(snapshot, now).fleet?.annotationsToRemove).toEqual([]);
    });
  });

  it('begins without the pause of the one before it', () => {
    const third = replicaSet(3, { created: ago(10) });
    const annotations = { 'extendeddaemonset.datadoghq.com/canary-paused': 'true' };
    const pods = canaryPod();
    const conditions = [{ type: 'Canary-Paused', status: 'True', reason: 'Unknown' }];
    const paused = replicaSet(2, { created: ago(700), conditions });
    const changed = trying({ image: 'agent:3', replicaSets: [active, paused, third], annotations, pods });
    expect(changed.steps).toEqual([
      expect.objectContaining({ do: 'patch', why: expect.objectContaining({ word: 'CanaryEnded' }) }),
    ]);
    expect(changed.status).toMatchObject({ canary: onNodeA });
    const cleared = trying({ image: 'agent:3', replicaSets: [active, tried, third] });
    expect(cleared.status).toMatchObject({
      state: 'Canary',
      canary: { replicaSet: 'agent-3', nodes: ['a'] },
    });
  });

  it('takes off a pause that was set while none ran, and says so in an event', () => {
    const annotations = { 'extendeddaemonset.datadoghq.com/canary-paused': 'true' };
    const object = agent('agent:1', { strategy: { canary: {} }, annotations });
    const snapshot = snapshotOf({ object, replicaSets: [active] });
    const steps = plan(snapshot, decide(snapshot, now), now).stages.flatMap(({ steps: each }) => each);
    const events = eventsOf(snapshot, { results: steps.map((step) => ({ step, did: 'done' })) });
    expect(events).toContainEqual(
      expect.objectContaining({
        reason: 'CanaryEnded',
        note: 'no canary runs, so the annotations for one are removed: canary-paused. To pause the next one, set it together with the new template, or later',
      }),
    );
  });

  it('begins paused where the pause came with its template', () => {
    const third = replicaSet(3, { created: ago(10) });
    const annotations = { 'extendeddaemonset.datadoghq.com/canary-paused': 'true' };
    const followed = { image: 'agent:3', replicaSets: [active, tried, third], annotations };
    const { status, steps } = trying({ ...followed, pods: canaryPod() });
    expect(status).toMatchObject({ state: 'Canary Paused', canary: { replicaSet: 'agent-3' } });
    expect(steps).toEqual([]);
    const recorded = { replicaSet: 'agent-3', nodes: ['a'] };
    expect(touched(trying({ ...followed, recorded, pods: canaryPod() }))).toEqual([]);
  });

  it('begins when the `canary-unpaused` of the one before is taken off, so that it can be paused', () => {
    const unpaused = { 'extendeddaemonset.datadoghq.com/canary-unpaused': 'true' };
    const pods = [podOn('a', active), podOn('b', active), podOn('c', active)];
    const before = trying({ annotations: unpaused, recorded: null, pods });
    expect(before.steps).toMatchObject([{ do: 'patch', why: { word: 'CanaryEnded' } }]);
    expect(before.roles).toMatchObject({ canaryToRecord: undefined });
    expect(trying({ recorded: null, pods }).status).toMatchObject({ canary: { replicaSet: 'agent-2' } });
    // A person lets the next one go on, which was paused before it was recorded.
    const conditions = [{ type: 'Canary-Paused', status: 'True', reason: 'Unknown' }];
    const replicaSets = [active, replicaSet(2, { created: ago(10), conditions })];
    const meant = trying({ annotations: unpaused, recorded: null, replicaSets, pods });
    expect(meant.roles?.canary?.verdict.is).toBe('running');
    expect(meant.status).toMatchObject({ state: 'Canary', canary: { replicaSet: 'agent-2' } });
    expect(trying({ annotations: unpaused, pods }).steps).not.toContainEqual(
      expect.objectContaining({ why: expect.objectContaining({ word: 'CanaryEnded' }) }),
    );
  });
});
