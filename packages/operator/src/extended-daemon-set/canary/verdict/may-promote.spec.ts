import { describe, expect, it } from 'vitest';
import { ago, now, podOn, replicaSet } from '../../extended-daemon-set.fixture.ts';
import { active, tried, onNodeA, trying, canaryPod, type Given } from '../canary.fixture.ts';

describe('the promotion of a canary', () => {
  it('comes when its time is over and all of its pods are Ready', () => {
    const { roles, steps } = trying({ pods: canaryPod() });
    expect(roles?.promoted).toMatchObject({ by: 'time and health' });
    expect(steps).toHaveLength(1);
    expect(steps[0]).toMatchObject({
      do: 'patch',
      patch: { body: { status: { activeReplicaSet: 'agent-2', state: 'Running', canary: null } } },
    });
  });

  it('is sent only while its replica set and its pods are as they were seen, and until then all is as before (F5)', () => {
    const { steps, status } = trying({ pods: canaryPod() });
    expect(steps[0]).toMatchObject({
      irreversible: true,
      restsOn: [
        { key: { namespace: 'edge', name: 'agent-2' }, uid: 'uid-agent-2', resourceVersion: '1' },
        { key: { namespace: 'edge', name: 'agent-2-a' }, uid: 'uid-agent-2-a', resourceVersion: '1' },
      ],
    });
    expect(status).toMatchObject({ activeReplicaSet: 'agent-1', state: 'Canary', canary: onNodeA });
  });

  it('by a person rests on the replica set too, which another one may fail at the same time', () => {
    const annotations = { 'extendeddaemonset.datadoghq.com/canary-valid': 'agent-2' };
    const { steps } = trying({ pods: canaryPod({ ready: false }), annotations });
    expect(steps[0]).toMatchObject({ restsOn: [{ uid: 'uid-agent-2', resourceVersion: '1' }] });
  });

  it.each<readonly [string, Given, string, string]>([
    ['a pod that is not Ready (BUG-3)', { pods: canaryPod({ ready: false }) }, 'pods are ready', 'health'],
    ['a pod that was never created (BUG-3)', { pods: canaryPod().slice(1) }, 'pods are ready', 'health'],
    ['a pod of another template (BUG-3)', { pods: [podOn('a', active)] }, 'pods are ready', 'health'],
    [
      'no node that fits (BUG-4)',
      { nodes: [], recorded: { replicaSet: 'agent-2', nodes: [] } },
      'pods exist',
      'nodes',
    ],
    [
      'replicas 0 (BUG-4)',
      { canary: { replicas: 0 }, recorded: { replicaSet: 'agent-2', nodes: [] }, pods: canaryPod() },
      'pods exist',
      'nodes',
    ],
    [
      'a duration that is not over',
      { canary: { duration: '11m40.1s' }, pods: canaryPod() },
      'duration',
      'time',
    ],
    [
      'a restart that is not long ago',
      { pods: canaryPod({ restarts: 1, restartedAt: ago(299) }) },
      'noRestartsDuration',
      'time',
    ],
    [
      'a pod that was made late, as after an eviction',
      { pods: canaryPod({ created: ago(299) }) },
      'age of pods',
      'time',
    ],
    [
      'a pod that was made late, its duration being shorter than its noRestartsDuration',
      { canary: { duration: '60s' }, pods: canaryPod({ created: ago(59) }) },
      'age of pods',
      'time',
    ],
    [
      'the newest of two pods, which was made late',
      {
        canary: { replicas: 2 },
        recorded: { replicaSet: 'agent-2', nodes: ['a', 'b'] },
        pods: [podOn('a', tried), podOn('b', tried, { created: ago(299) }), podOn('c', active)],
      },
      'age of pods',
      'time',
    ],
    ['a record that is not there yet', { recorded: null, pods: canaryPod() }, 'recorded', 'time'],
    [
      'a record of other nodes, because fewer are wanted now',
      { recorded: { replicaSet: 'agent-2', nodes: ['a', 'b'] }, pods: canaryPod() },
      'recorded',
      'time',
    ],
    [
      'a record of another template',
      { recorded: { replicaSet: 'agent-3', nodes: ['a'] }, pods: canaryPod() },
      'recorded',
      'time',
    ],
    ['the manual mode of the operator', { validationMode: 'manual', pods: canaryPod() }, 'manual', 'person'],
    ['the manual mode', { canary: { validationMode: 'manual' }, pods: canaryPod() }, 'manual', 'person'],
    [
      'the manual mode, of a spec in which the old operator wrote the duration (BUG-31)',
      {
        canary: { validationMode: 'manual', duration: '10m0s', noRestartsDuration: '5m0s' },
        pods: canaryPod(),
      },
      'manual',
      'person',
    ],
    [
      'the manual mode with a canaryTimeout (BUG-13)',
      { canary: { validationMode: 'manual', autoFail: { canaryTimeout: '1h' } }, pods: canaryPod() },
      'manual',
      'person',
    ],
    [
      'a pause',
      { annotations: { 'extendeddaemonset.datadoghq.com/canary-paused': 'true' }, pods: canaryPod() },
      'paused',
      'person',
    ],
    [
      'a spec that cannot be used',
      { canary: { autoPause: { maxRestarts: 5 }, autoFail: { maxRestarts: 2 } }, pods: canaryPod() },
      'spec',
      'person',
    ],
  ])('waits because of %s', (_, given, by, waitsFor) => {
    const { roles, status } = trying(given);
    expect(roles?.canary?.promotion).toMatchObject({ promote: false, by, waitsFor });
    expect(status).toMatchObject({ activeReplicaSet: 'agent-1' });
  });

  it.each<readonly [string, Given]>([
    [
      'its duration is over, which is at 2026-01-01T01:00:20Z',
      { canary: { duration: '12m' }, pods: canaryPod() },
    ],
    [
      'its pods have not restarted for its noRestartsDuration, which is at 2026-01-01T01:00:01Z',
      { pods: canaryPod({ restarts: 1, restartedAt: ago(299) }) },
    ],
    [
      'its newest pod is as old as its noRestartsDuration, which is at 2026-01-01T01:00:01Z',
      { pods: canaryPod({ created: ago(299) }) },
    ],
  ])('names the moment until which it waits, the same in every reconcile: %s', (until, given) => {
    const [first, later] = [0, 700].map((ms) => trying({ ...given, at: now + ms }));
    expect(first?.holds[0]).toMatchObject({ waitsFor: 'time', waitingUntil: `${until} (canary agent-2)` });
    expect(later?.holds).toEqual(first?.holds);
    expect(later?.status).toEqual(first?.status);
  });

  it.each([
    ['0%', 'spec.strategy.canary.replicas means no node'],
    ['50%', 'a node that fits its template and its nodeSelector is Ready, without a taint of its absence'],
  ])('waits with replicas %s, where no node fits, until %s', (replicas, until) => {
    const recorded = { replicaSet: 'agent-2', nodes: [] };
    const { holds } = trying({ canary: { replicas }, nodes: [], recorded });
    expect(holds[0]).toMatchObject({ waitsFor: 'nodes', waitingUntil: expect.stringContaining(until) });
  });

  it.each<readonly [string, Given]>([
    ['its noRestartsDuration', { pods: canaryPod({ created: ago(301) }) }],
    [
      'its duration, which is shorter',
      { canary: { duration: '60s' }, pods: canaryPod({ created: ago(61) }) },
    ],
    ['no time at all', { canary: { noRestartsDuration: '0s' }, pods: canaryPod({ created: ago(1) }) }],
  ])('waits for a pod that was made late for %s', (_, given) => {
    expect(trying(given).roles?.promoted).toMatchObject({ by: 'time and health' });
  });

  it.each<readonly [string, Given]>([
    ['is not recorded', { recorded: null }],
    ['has fewer nodes than are recorded', { recorded: { replicaSet: 'agent-2', nodes: ['a', 'b'] } }],
  ])('of one that %s comes after the write that records it', (_, given) => {
    const first = trying({ ...given, pods: canaryPod() });
    expect(first.roles?.promoted).toBeUndefined();
    const { canary } = first.status as { readonly canary: { replicaSet: string; nodes: string[] } };
    expect(canary).toEqual(onNodeA);
    expect(trying({ recorded: canary, pods: canaryPod() }).roles?.promoted).toBeDefined();
  });

  it.each<readonly [string, Given]>([
    ['the manual mode', { canary: { validationMode: 'manual' } }],
    ['the manual mode of the operator', { validationMode: 'manual' }],
  ])('names how a person validates it, because of %s', (_, given) => {
    const { holds } = trying({ ...given, pods: canaryPod() });
    expect(holds[0]).toMatchObject({ reason: 'CanaryRunning', waitsFor: 'person' });
    expect(holds[0]?.waitingUntil).toContain('kubectl eds canary validate agent -n edge');
  });

  it('asks for no health where the annotation asks for the old rule', () => {
    const annotations = { 'atoll.dev/canary-promotion': 'AfterDuration' };
    const { roles } = trying({ annotations, pods: canaryPod({ ready: false }) });
    expect(roles?.promoted).toMatchObject({ by: 'without health' });
  });

  it.each([
    ['is named', 'agent-2', true],
    ['is not named', 'agent-9', false],
  ])(
    'comes at once where a person validated it, in whatever mode and while it is paused, if it %s',
    (_, valid, promoted) => {
      const annotations = {
        'extendeddaemonset.datadoghq.com/canary-valid': valid,
        'extendeddaemonset.datadoghq.com/canary-paused': 'true',
      };
      const { roles } = trying({
        canary: { validationMode: 'manual' },
        annotations,
        pods: canaryPod({ ready: false }),
      });
      expect(roles?.promoted !== undefined).toBe(promoted);
    },
  );

  it('never comes for one that has failed, its time being over', () => {
    const conditions = [{ type: 'Canary-Failed', status: 'True', reason: 'Error' }];
    const replicaSets = [active, replicaSet(2, { created: ago(7000), conditions })];
    const { roles } = trying({ replicaSets, pods: canaryPod() });
    expect(roles?.promoted).toBeUndefined();
    expect(roles?.failed).toMatchObject({ reason: 'Error' });
  });

  it('counts from the creation of its own replica set after a third template', () => {
    const third = replicaSet(3, { created: ago(10) });
    const pods = [podOn('a', third), podOn('b', active)];
    const { roles } = trying({
      image: 'agent:3',
      replicaSets: [active, tried, third],
      recorded: { replicaSet: 'agent-3', nodes: ['a'] },
      pods,
    });
    expect(roles?.canary?.promotion).toMatchObject({
      promote: false,
      by: 'duration',
      until: now + 590_000 + 1,
    });
  });

  describe('after a pause', () => {
    const unpaused = { 'extendeddaemonset.datadoghq.com/canary-unpaused': 'true' };
    /** Made 700 s ago, and paused for the last 600 of them. */
    const paused = { type: 'Canary-Paused', status: 'True', reason: 'Unknown', lastTransitionTime: ago(600) };
    const set = (...conditions: readonly (typeof paused)[]) => [
      active,
      replicaSet(2, { created: ago(700), conditions }),
    ];
    const given = { canary: { duration: '150s' }, annotations: unpaused, pods: canaryPod() };

    it('waits for what is left of the duration, and that outlives the process', () => {
      const { roles, ofReplicaSet } = trying({ ...given, replicaSets: set(paused) });
      expect(roles?.promoted).toBeUndefined();
      expect(roles?.canary?.promotion).toMatchObject({ by: 'duration', until: now + 50_001 });
      const status = ofReplicaSet('agent-2') as { readonly conditions: readonly (typeof paused)[] };
      expect(status.conditions).toContainEqual(
        expect.objectContaining({ type: 'CanaryDuration', lastUpdateTime: ago(100) }),
      );
      expect(status.conditions).toContainEqual(
        expect.objectContaining({ type: 'Canary-Paused', status: 'False' }),
      );
      const again = trying({ ...given, replicaSets: set(...status.conditions) });
      expect(again.roles?.canary?.promotion).toMatchObject({ by: 'duration', until: now + 50_001 });
      const over = { ...given, canary: { duration: '99s' }, replicaSets: set(...status.conditions) };
      expect(trying(over).roles?.promoted).toBeDefined();
    });

    it('adds a second one to the first', () => {
      const first = { ...paused, type: 'CanaryDuration', lastUpdateTime: ago(650) };
      const { canary } = trying({ ...given, replicaSets: set(paused, first) }).roles ?? {};
      expect(canary?.countsFrom).toBe(now - 50_000);
    });

    it('counts its time where the annotation asks for the old rule', () => {
      const annotations = { ...unpaused, 'atoll.dev/canary-promotion': 'AfterDuration' };
      expect(trying({ ...given, annotations, replicaSets: set(paused) }).roles?.promoted).toBeDefined();
    });

    it('has no record of it while none has ended', () => {
      const { ofReplicaSet } = trying({ ...given, annotations: {}, replicaSets: set(paused) });
      expect(JSON.stringify(ofReplicaSet('agent-2'))).not.toContain('CanaryDuration');
    });
  });

  describe('that was given up, and is asked for again', () => {
    const left = { type: 'Canary', status: 'False', lastTransitionTime: ago(600) };
    const set = (...conditions: readonly (typeof left)[]) => [
      active,
      replicaSet(2, { created: ago(700), conditions }),
    ];
    const given = { canary: { duration: '150s' }, pods: canaryPod() };

    it('is tried for its whole duration, and that outlives the process', () => {
      const { roles, ofReplicaSet } = trying({ ...given, recorded: null, replicaSets: set(left) });
      expect(roles?.promoted).toBeUndefined();
      expect(roles?.canary?.promotion).toMatchObject({ by: 'duration', until: now + 150_001 });
      const { conditions } = ofReplicaSet('agent-2') as { readonly conditions: readonly (typeof left)[] };
      expect(conditions).toContainEqual(expect.objectContaining({ type: 'Canary', status: 'True' }));
      const again = trying({ ...given, replicaSets: set(...conditions) });
      expect(again.roles?.canary?.promotion).toMatchObject({ by: 'duration', until: now + 150_001 });
    });

    it('does not count the time before, nor a pause in which it was given up', () => {
      const earlier = { ...left, type: 'CanaryDuration', status: 'True', lastUpdateTime: ago(690) };
      const paused = { ...left, type: 'Canary-Paused' };
      const { canary } = trying({ ...given, replicaSets: set(left, earlier, paused) }).roles ?? {};
      expect(canary?.countsFrom).toBe(now);
    });

    it('is promoted by the time since it was made where the annotation asks for the old rule', () => {
      const annotations = { 'atoll.dev/canary-promotion': 'AfterDuration' };
      expect(trying({ ...given, annotations, replicaSets: set(left) }).roles?.promoted).toBeDefined();
    });

    // One whose rolling update was paused or frozen all the time has never been Active.
    it.each(['Active', 'RollingUpdatePaused', 'RolloutFrozen'])(
      'needs no second trial where it was the active one meanwhile: %s',
      (type) => {
        const replicaSets = set(left, { ...left, type });
        expect(trying({ ...given, replicaSets }).roles?.promoted).toMatchObject({ by: 'was active before' });
      },
    );

    it('does not fail for restarts of the trial before', () => {
      const restarted = { type: 'PodRestarting', status: 'True', lastTransitionTime: ago(690) };
      const again = { ...left, status: 'True', lastTransitionTime: ago(60) };
      const canary = { duration: '150s', autoFail: { maxRestartsDuration: '5m' } };
      const pods = canaryPod({ restarts: 1, restartedAt: ago(10) });
      const { roles } = trying({ canary, pods, replicaSets: set(again, restarted) });
      expect(roles?.canary?.verdict).toMatchObject({ is: 'running' });
    });

    it('is quiet where it has failed', () => {
      const failed = { type: 'Canary-Failed', status: 'True', lastTransitionTime: ago(600) };
      const annotations = { 'atoll.dev/on-canary-failure': 'Hold' };
      const { ofReplicaSet } = trying({ ...given, annotations, replicaSets: set(left, failed) });
      expect(JSON.stringify(ofReplicaSet('agent-2'))).not.toContain('CanaryDuration');
    });
  });

  it('needs no canary for a template that was the active one before', () => {
    const conditions = [{ type: 'Active', status: 'False' }];
    const replicaSets = [active, replicaSet(2, { created: ago(7000), conditions })];
    expect(trying({ replicaSets }).roles?.promoted).toMatchObject({ by: 'was active before' });
  });
});
