import type { CanaryStrategy } from '@atoll/api';
import { describe, expect, it } from 'vitest';
import { decide } from '../decide.ts';
import {
  agent,
  ago,
  now,
  podOn,
  replicaSet,
  snapshotOf,
  template,
  type PodShape,
} from '../extended-daemon-set.fixture.ts';
import { plan } from '../plan.ts';
import { active, tried, nodes, trying, canaryPod } from './canary.fixture.ts';

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
    expect(holds[0]?.problem).toBe('canary agent-2 has failed: Manually failed, by a person');
  });

  it('reports how often its pods have restarted as long as it is paused for that', () => {
    const conditions = [{ type: 'Canary-Paused', status: 'True', reason: 'Error' }];
    const replicaSets = [active, replicaSet(2, { conditions })];
    const { holds } = trying({ canary: long, replicaSets, pods: canaryPod({ restarts: 3 }) });
    expect(holds[0]?.problem).toBe(
      'canary agent-2 is paused: Error, pod agent-2-a has restarted 3 times, more than 2',
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
