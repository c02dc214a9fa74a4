import type { CanaryStrategy } from '@atoll/api';
import { describe, expect, it } from 'vitest';
import { decide } from '../../decide.ts';
import {
  agent,
  ago,
  now,
  podOn,
  replicaSet,
  snapshotOf,
  template,
  type PodShape,
} from '../../extended-daemon-set.fixture.ts';
import { plan } from '../../plan.ts';
import { active, tried, nodes, trying, canaryPod, canaryPodWith } from '../canary.fixture.ts';

describe('the verdict of a canary', () => {
  const long = { duration: '24h' };

  it.each<readonly [string, CanaryStrategy, PodShape, string, string]>([
    ['more restarts than autoFail allows', long, { restarts: 6 }, 'failed', 'Error'],
    ['more restarts than autoPause allows', long, { restarts: 3 }, 'paused', 'Error'],
    [
      'an image that cannot be pulled',
      long,
      { ready: false, waiting: 'ImagePullBackOff' },
      'paused',
      'ImagePullBackOff',
    ],
    [
      'a container that is created for too long',
      { ...long, autoPause: { maxSlowStartDuration: '1m' } },
      { ready: false, waiting: 'ContainerCreating' },
      'paused',
      'SlowStartTimeoutExceeded',
    ],
  ])('with %s', (_, canary, shape, is, reason) => {
    expect(trying({ canary, pods: canaryPod(shape) }).roles?.canary?.verdict).toMatchObject({ is, reason });
  });

  it.each<readonly [string, CanaryStrategy, PodShape]>([
    ['restarts within the limits', long, { restarts: 2 }],
    ['pods that wait in CrashLoopBackOff alone', long, { ready: false, waiting: 'CrashLoopBackOff' }],
    [
      'a container that is created for long, without a maxSlowStartDuration',
      long,
      { ready: false, waiting: 'ContainerCreating' },
    ],
    [
      'an image that cannot be pulled, within maxSlowStartDuration',
      { ...long, autoPause: { maxSlowStartDuration: '2h' } },
      { ready: false, waiting: 'ImagePullBackOff' },
    ],
    [
      'autoPause and autoFail off',
      { ...long, autoPause: { enabled: false }, autoFail: { enabled: false } },
      { restarts: 9 },
    ],
  ])('is none with %s', (_, canary, shape) => {
    expect(trying({ canary, pods: canaryPod(shape) }).roles?.canary?.verdict.is).toBe('running');
  });

  it.each([
    ['5m49s', 'failed'],
    ['5m50s', 'running'],
  ])(
    'of restarts that go on for 350 s is, with a maxRestartsDuration of %s, %s',
    (maxRestartsDuration, is) => {
      const restarting = {
        type: 'PodRestarting',
        status: 'True',
        lastTransitionTime: ago(400),
        lastUpdateTime: ago(50),
      };
      const replicaSets = [active, replicaSet(2, { created: ago(700), conditions: [restarting] })];
      const canary = { ...long, autoFail: { maxRestartsDuration } };
      const { verdict } = trying({ canary, replicaSets, pods: canaryPod() }).roles?.canary ?? {};
      expect(verdict).toMatchObject(is === 'failed' ? { is, reason: 'RestartsTimeoutExceeded' } : { is });
      // A restart of a container that is seen now goes on, too.
      const pods = canaryPod({ restarts: 1, restartedAt: ago(1) });
      expect(trying({ canary, replicaSets, pods }).roles?.canary?.verdict.is).toBe('failed');
    },
  );

  it.each(['initContainerStatuses', 'ephemeralContainerStatuses'] as const)(
    'asks %s like those of containers, for restarts and for what cannot start',
    (field) => {
      const verdictWith = (of: Parameters<typeof canaryPodWith>[1]) =>
        trying({ canary: long, pods: canaryPodWith(field, of ?? {}) }).roles?.canary?.verdict;
      const terminated = { exitCode: 137, reason: 'OOMKilled', finishedAt: ago(9) };
      expect(verdictWith({ restartCount: 3, lastState: { terminated } })).toMatchObject({
        is: 'paused',
        reason: 'OOMKilled',
      });
      expect(verdictWith({ restartCount: 6 })).toMatchObject({ is: 'failed', reason: 'Unknown' });
      expect(verdictWith({ restartCount: 0, state: { waiting: { reason: 'ErrImagePull' } } })).toMatchObject({
        is: 'paused',
        reason: 'ErrImagePull',
        message: expect.stringContaining('container more-0'),
      });
    },
  );

  it('is that of the container that restarted most', () => {
    const restarted = (restartCount: number, reason: string) => ({
      restartCount,
      lastState: { terminated: { exitCode: 1, reason, finishedAt: ago(9) } },
    });
    const pods = canaryPodWith(
      'containerStatuses',
      restarted(3, 'Error'),
      restarted(5, 'OOMKilled'),
      restarted(4, 'Completed'),
    );
    expect(trying({ canary: long, pods }).roles?.canary?.verdict).toMatchObject({
      is: 'paused',
      reason: 'OOMKilled',
      message: expect.stringContaining('has restarted 5 times'),
    });
  });

  it('asks no pod of another template, whatever that does on the node', () => {
    const pods = [podOn('a', active, { restarts: 9, ready: false, waiting: 'ErrImagePull' })];
    expect(trying({ canary: long, pods }).roles?.canary?.verdict.is).toBe('running');
  });

  it('is not that of a person who let the canary before go on', () => {
    const third = replicaSet(3, { created: ago(10) });
    const annotations = { 'extendeddaemonset.datadoghq.com/canary-unpaused': 'true' };
    const pods = [podOn('a', third, { ready: false, waiting: 'ErrImagePull' })];
    const given = { canary: long, image: 'agent:3', replicaSets: [active, tried, third], annotations, pods };
    expect(trying(given).roles?.canary?.verdict.is).toBe('paused');
    const recorded = { replicaSet: 'agent-3', nodes: ['a'] };
    expect(trying({ ...given, recorded }).roles?.canary?.verdict.is).toBe('running');
  });

  it('is no pause where canary-paused is set beside canary-unpaused, and the condition says that it has no effect', () => {
    const [paused, unpaused] = ['canary-paused', 'canary-unpaused'].map(
      (name) => `extendeddaemonset.datadoghq.com/${name}`,
    ) as [string, string];
    const readyWith = (annotations: Readonly<Record<string, string>>) => {
      const { roles, status } = trying({ canary: long, pods: canaryPod(), annotations });
      expect(roles?.canary?.verdict.is).toBe('running');
      const { conditions = [] } = status as {
        readonly conditions?: readonly { readonly type: string; readonly message?: string }[];
      };
      return conditions.find(({ type }) => type === 'Ready')?.message;
    };
    const inVain = `the annotation ${paused} has no effect beside ${unpaused}`;
    expect(readyWith({ [paused]: 'true', [unpaused]: 'true' })).toContain(inVain);
    expect(readyWith({ [unpaused]: 'true' })).not.toContain('has no effect');
  });

  it('is that of time without any pod (BUG-15)', () => {
    const conditions = [{ type: 'Canary', status: 'True', lastTransitionTime: ago(4000) }];
    const replicaSets = [active, replicaSet(2, { created: ago(4000), conditions })];
    const canary = { duration: '30m', autoFail: { canaryTimeout: '1h' } };
    const { roles } = trying({ canary, replicaSets, pods: [podOn('b', active)] });
    expect(roles?.failed).toMatchObject({ reason: 'TimeoutExceeded', by: 'autoFail.canaryTimeout' });
  });

  it('is not paused any more when a person says so, without any pod (BUG-15)', () => {
    const conditions = [{ type: 'Canary-Paused', status: 'True', reason: 'ImagePullBackOff' }];
    const replicaSets = [active, replicaSet(2, { conditions })];
    expect(trying({ canary: long, replicaSets }).roles?.canary?.verdict.is).toBe('paused');
    const annotations = { 'extendeddaemonset.datadoghq.com/canary-unpaused': 'true' };
    expect(trying({ canary: long, replicaSets, annotations }).roles?.canary?.verdict.is).toBe('running');
  });

  it('looks at all pods, and names the one that cannot start with node, container and reason (BUG-16)', () => {
    const recorded = { replicaSet: 'agent-2', nodes: ['a', 'b'] };
    const pods = [
      podOn('a', tried, { ready: false, waiting: 'ErrImagePull' }),
      podOn('b', tried),
      podOn('c', active),
    ];
    const { ofReplicaSet, holds, status } = trying({ canary: { ...long, replicas: 2 }, recorded, pods });
    expect(ofReplicaSet('agent-2')).toMatchObject({
      conditions: expect.arrayContaining([
        expect.objectContaining({
          type: 'PodCannotStart',
          status: 'True',
          reason: 'ErrImagePull',
          message: 'Pod agent-2-a cannot start with reason: ErrImagePull (node a, container agent)',
        }),
      ]),
    });
    expect(holds[0]).toMatchObject({
      reason: 'CanaryPaused',
      problem: expect.stringContaining('node a, container agent'),
    });
    expect(status).toMatchObject({ state: 'Canary Paused', reason: 'ErrImagePull' });
  });

  it("has the server's message of a container that cannot start, in the conditions and for the person who is waited for", () => {
    const message = 'failed to pull image "agent:2": registry.example/agent: not found';
    const pods = canaryPodWith('containerStatuses', {
      name: 'agent',
      ready: false,
      state: { waiting: { reason: 'ErrImagePull', message } },
    });
    const { ofReplicaSet, holds, status } = trying({ canary: long, pods });
    const cause = `Pod agent-2-a cannot start with reason: ErrImagePull (node a, container agent: ${message})`;
    expect(ofReplicaSet('agent-2')).toMatchObject({
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'PodCannotStart', message: cause }),
        expect.objectContaining({ type: 'Canary-Paused', message: cause }),
      ]),
    });
    expect(holds[0]).toMatchObject({ reason: 'CanaryPaused', problem: expect.stringContaining(cause) });
    expect(status).toMatchObject({
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'Ready', message: expect.stringContaining(cause) }),
      ]),
    });
  });

  it('notes the last restart with its own reason, whatever else is in the way of pods (BUG-16)', () => {
    const recorded = { replicaSet: 'agent-2', nodes: ['a', 'b'] };
    const pods = [
      podOn('a', tried, { restarts: 1 }),
      podOn('b', tried, { ready: false, waiting: 'ErrImagePull' }),
      podOn('c', active),
    ];
    const { ofReplicaSet } = trying({ canary: { ...long, replicas: 2 }, recorded, pods });
    expect(ofReplicaSet('agent-2')).toMatchObject({
      conditions: expect.arrayContaining([
        expect.objectContaining({
          type: 'PodRestarting',
          status: 'True',
          reason: 'Error',
          message: 'Pod agent-2-a restarting with reason: Error',
        }),
      ]),
    });
  });

  it('counts the newest restart, and one that was recorded by a clock that was ahead as none', () => {
    const quiet = { duration: '1s', noRestartsDuration: '5m' };
    const restarted = (seconds: number) => ({
      restartCount: 1,
      lastState: { terminated: { exitCode: 1, reason: `After${seconds}`, finishedAt: ago(seconds) } },
    });
    const pods = canaryPodWith('containerStatuses', restarted(400), restarted(200), restarted(300));
    const found = trying({ canary: quiet, pods });
    expect(found.roles?.canary?.restart).toMatchObject({ at: now - 200_000, reason: 'After200' });
    expect(found.roles?.canary?.promotion).toMatchObject({ promote: false, until: now + 100_001 });
    const condition = { type: 'PodRestarting', status: 'True', lastUpdateTime: ago(-3_600) };
    const replicaSets = [active, replicaSet(2, { created: ago(700), conditions: [condition] })];
    expect(trying({ canary: quiet, replicaSets, pods: canaryPod() }).roles?.promoted).toBeDefined();
  });

  it('is Unknown where a person failed it without a reason', () => {
    const conditions = [{ type: 'Canary-Failed', status: 'True' }];
    const { verdict } = trying({ replicaSets: [active, replicaSet(2, { conditions })] }).roles?.canary ?? {};
    expect(verdict).toMatchObject({ is: 'failed', reason: 'Unknown' });
  });

  it('keeps its cause when it is looked at again, for people and in the condition (BUG-16)', () => {
    const conditions = [
      { type: 'Canary-Failed', status: 'True', reason: 'Manually failed', message: 'by a person' },
    ];
    const replicaSets = [active, replicaSet(2, { conditions })];
    const { ofReplicaSet, holds } = trying({ replicaSets, pods: canaryPod() });
    expect(ofReplicaSet('agent-2')).toMatchObject({
      status: 'canary-failed',
      conditions: expect.arrayContaining([conditions[0]]),
    });
    expect(holds[0]?.problem).toBe(
      'canary agent-2 has failed: Manually failed, by a person. The template of agent-1 goes back into the spec: correct yours, and apply it again',
    );
  });

  it('says what to do where the spec keeps the template that has failed', () => {
    const conditions = [{ type: 'Canary-Failed', status: 'True', reason: 'Error', message: 'by its pods' }];
    const replicaSets = [active, replicaSet(2, { conditions })];
    const annotations = { 'atoll.dev/on-canary-failure': 'Hold' };
    const { holds } = trying({ replicaSets, annotations, pods: canaryPod() });
    expect(holds[0]?.problem).toBe(
      'canary agent-2 has failed: Error, by its pods. The spec keeps its template (atoll.dev/on-canary-failure=Hold), and all nodes are to run agent-1: correct spec.template, or put that of agent-1 back',
    );
  });

  it('reports how often its pods have restarted as long as it is paused for that', () => {
    const conditions = [{ type: 'Canary-Paused', status: 'True', reason: 'Error' }];
    const replicaSets = [active, replicaSet(2, { conditions })];
    const { holds } = trying({ canary: long, replicaSets, pods: canaryPod({ restarts: 3 }) });
    expect(holds[0]?.problem).toBe(
      'canary agent-2 is paused: Error, pod agent-2-a has restarted 3 times, more than 2. Let it go on with: kubectl eds canary unpause agent -n edge, or change the template',
    );
  });
});

describe('a canary that has failed', () => {
  const failed = [{ type: 'Canary-Failed', status: 'True', reason: 'Error', lastTransitionTime: ago(100) }];
  const replicaSets = [active, replicaSet(2, { conditions: failed })];

  it('is recorded before the template goes back', () => {
    const first = trying({ replicaSets, pods: canaryPod() });
    expect(first.steps.map(({ why }) => why.word)).not.toContain('TemplateReverted');
    expect(first.status).toMatchObject({
      state: 'Canary Failed',
      conditions: expect.arrayContaining([
        expect.objectContaining({
          type: 'Canary-Failed',
          status: 'True',
          message: 'canary failed with ers: agent-2',
        }),
      ]),
    });
    expect(first.status).not.toHaveProperty('canary');
  });

  const recorded = {
    conditions: [{ type: 'Canary-Failed', status: 'True', message: 'canary failed with ers: agent-2' }],
  };

  it.each([
    ['goes back', {}, ['TemplateReverted']],
    ['stays where the annotation asks for it', { 'atoll.dev/on-canary-failure': 'Hold' }, []],
  ])('the template %s', (_, annotations, words) => {
    const object = agent('agent:2', { strategy: { canary: {} }, annotations, status: recorded });
    const snapshot = snapshotOf({
      object,
      nodes,
      replicaSets,
      pods: [podOn('a', active), podOn('b', active), podOn('c', active)],
    });
    const steps = plan(snapshot, decide(snapshot, now), now).stages.flatMap((stage) => stage.steps);
    expect(steps.map(({ why }) => why.word)).toEqual(words);
    for (const step of steps)
      expect(step).toMatchObject({
        irreversible: true,
        patch: { body: [{ path: '/spec/template', value: template('agent:1') }] },
      });
  });

  it('leaves its replica set for two minutes, and then it goes', () => {
    const object = agent('agent:1', { strategy: { canary: {} } });
    const at = (seconds: number) => {
      const conditions = [
        { ...failed[0], type: 'Canary-Failed', status: 'True', lastTransitionTime: ago(seconds) },
      ];
      const snapshot = snapshotOf({ object, nodes, replicaSets: [active, replicaSet(2, { conditions })] });
      return decide(snapshot, now).fleet?.obsolete.map(({ metadata }) => metadata.name);
    };
    expect(at(119)).toEqual([]);
    expect(at(120)).toEqual(['agent-2']);
  });
});
