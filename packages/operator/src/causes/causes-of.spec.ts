import { describe, expect, it } from 'vitest';
import { causesOf, objectsToExplain, type FoundWorkload } from './causes-of.ts';
import type { FoundEvent } from './explained-by-events.ts';
import type { FoundPod } from './found-pod.ts';
import { ago, ended, now, pod, ready, running, waiting, warning } from './pods.fixture.ts';

function workload(pods: readonly FoundPod[], more: Partial<FoundWorkload> = {}): FoundWorkload {
  return { uid: 'uid-web', wanted: pods.length, conditions: [], pods, ...more };
}

function findingOf(found: FoundWorkload, events: readonly FoundEvent[] = []) {
  return causesOf(found, events, now);
}

const missing = (name: string, nodeName = 'n1') =>
  pod({
    name,
    spec: { nodeName },
    containers: [waiting('CreateContainerConfigError', 'configmap "settings" not found')],
  });
const crashing = (name: string, restartCount: number) =>
  pod({ name, containers: [waiting('CrashLoopBackOff', '', { restartCount, lastState: ended(1) })] });
const slow = (name: string) => pod({ name, containers: [running(40)] });
const creating = (name: string) => pod({ name, containers: [waiting('ContainerCreating')] });

describe('the causes of a workload', () => {
  it('name the most common one with its pods and nodes, and count the others', () => {
    const pods = [crashing('c', 3), missing('b', 'n2'), ready, missing('d', 'n1'), missing('a', 'n2')];
    expect(findingOf(workload(pods))).toEqual({
      word: 'CreateContainerConfigError',
      message:
        'pod a on node n2 and 2 more pods: container app cannot be configured: configmap "settings" not found; 1 other pod: CrashLoopBackOff',
      pods: ['a', 'b', 'd'],
      nodes: ['n1', 'n2'],
    });
  });

  it('are those of the pods that are waited for, where the plan knows them', () => {
    const away = ['a', 'b'].map((name) => missing(name, 'n9'));
    const found = workload([...away, crashing('c', 1)], { awaited: ['c'] });
    expect(findingOf(found)).toMatchObject({ word: 'CrashLoopBackOff', pods: ['c'] });
    expect(findingOf({ ...found, awaited: ['d'] })).toBeUndefined();
  });

  it('of causes that are as common, name the one that is broken first', () => {
    expect(findingOf(workload([slow('a'), crashing('b', 1)]))?.word).toBe('CrashLoopBackOff');
  });

  it('do not depend on the order in which pods are listed', () => {
    const pods = [crashing('c', 3), missing('b'), slow('a')];
    expect(findingOf(workload([...pods].reverse()))).toEqual(findingOf(workload(pods)));
  });

  it.each([
    [0, 'ends with exit code 1'],
    [1, 'ends with exit code 1, and was restarted'],
    [9, 'ends with exit code 1, and was restarted'],
    [10, 'ends with exit code 1, and was restarted 10 times or more'],
    [99, 'ends with exit code 1, and was restarted 10 times or more'],
    [1234, 'ends with exit code 1, and was restarted 1000 times or more'],
  ])('say of %d restarts only how many digits they have', (restarts, text) => {
    expect(findingOf(workload([crashing('a', restarts)]))?.message).toBe(
      `pod a on node n1: container app ${text}`,
    );
  });

  it('are none where every pod is ready, or nothing is known yet', () => {
    expect(findingOf(workload([ready]))).toBeUndefined();
    expect(findingOf(workload([], { wanted: 3 }))).toBeUndefined();
  });

  it('begin with the refusal of pods, which their controller puts into a condition', () => {
    const message =
      'pods "web-6d5f-" is forbidden: exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2';
    const conditions = [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message }];
    expect(findingOf(workload([slow('a')], { wanted: 3, conditions }))).toEqual({
      word: 'QuotaExceeded',
      message:
        'pods cannot be created: pods is forbidden: exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2; 1 other pod: ContainersNotReady',
      pods: [],
      nodes: [],
    });
  });
});

describe('events', () => {
  const refusal =
    'create Pod web-1 in StatefulSet web failed error: admission webhook "images.io" denied the request: r.io is not trusted';

  it('are asked for of the workload whose pods are missing, and of one pod that does not explain itself', () => {
    expect(objectsToExplain(workload([slow('b'), slow('a')], { wanted: 3 }), now)).toEqual([
      'uid-web',
      'uid-a',
    ]);
    expect(objectsToExplain(workload([missing('a')]), now)).toEqual([]);
  });

  it('name refusals that a StatefulSet does not put into its status', () => {
    const found = workload([ready], { wanted: 2 });
    expect(findingOf(found, [warning('uid-web', 'FailedCreate', refusal)])).toMatchObject({
      word: 'FailedCreate',
      message:
        'pods cannot be created: admission webhook "images.io" denied the request: r.io is not trusted',
    });
  });

  it('name none that ended: no pod is missing, or one was created since', () => {
    const events = [warning('uid-web', 'FailedCreate', refusal, 90)];
    expect(findingOf(workload([ready]), events)).toBeUndefined();
    expect(findingOf(workload([ready], { wanted: 2 }), events)).toBeUndefined();
  });

  it.each([
    [
      slow('a'),
      [warning('uid-a', 'Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 503')],
      'ProbeFailed',
      'pod a on node n1: container app runs and is not ready: Readiness probe failed: HTTP probe failed with statuscode: 503',
    ],
    [slow('a'), [], 'ContainersNotReady', 'pod a on node n1: container app runs and is not ready'],
    [
      creating('a'),
      [
        warning(
          'uid-a',
          'FailedMount',
          'MountVolume.SetUp failed for volume "keys" : secret "keys" not found',
          60,
        ),
        warning(
          'uid-a',
          'FailedMount',
          'MountVolume.SetUp failed for volume "conf" : configmap "conf" not found',
          90,
        ),
        warning(
          'uid-a',
          'FailedMount',
          'Unable to attach or mount volumes: unmounted volumes=[conf], timed out',
        ),
      ],
      'FailedMount',
      'pod a on node n1: cannot be started: MountVolume.SetUp failed for volume "conf" : configmap "conf" not found',
    ],
    [
      creating('a'),
      [
        warning(
          'uid-a',
          'FailedCreatePodSandBox',
          `plugin failed for sandbox "${'0f'.repeat(32)}": no address left`,
        ),
      ],
      'FailedCreatePodSandBox',
      'pod a on node n1: cannot be started: plugin failed for sandbox "…": no address left',
    ],
    [
      pod({ name: 'a', containers: [waiting('ImagePullBackOff', 'Back-off pulling image "r.io/app:v2"')] }),
      [warning('uid-a', 'Failed', 'Failed to pull image "r.io/app:v2": unauthorized')],
      'ImagePullBackOff',
      'pod a on node n1: container app cannot pull its image r.io/app:v2: unauthorized',
    ],
    [
      pod({
        name: 'a',
        spec: { nodeName: 'n1', containers: [{ name: 'app', livenessProbe: {} }] },
        containers: [waiting('CrashLoopBackOff', '', { restartCount: 2, lastState: ended(143) })],
      }),
      [warning('uid-a', 'Unhealthy', 'Liveness probe failed: connection refused')],
      'CrashLoopBackOff',
      'pod a on node n1: container app ends with exit code 143: Liveness probe failed: connection refused, and was restarted',
    ],
  ])('explain what the status of a pod leaves open (%#)', (found, events, word, message) => {
    expect(objectsToExplain(workload([found]), now)).toEqual(['uid-a']);
    expect(findingOf(workload([found]), events)).toMatchObject({ word, message });
  });

  it('are read as one that is still repeated: what was mended meanwhile is not named', () => {
    const events = [
      warning(
        'uid-a',
        'FailedMount',
        'MountVolume.SetUp failed for volume "a" : configmap "a" not found',
        600,
      ),
      warning(
        'uid-a',
        'FailedMount',
        'MountVolume.SetUp failed for volume "b" : configmap "b" not found',
        20,
      ),
    ];
    expect(findingOf(workload([creating('a')]), events)?.message).toContain('configmap "b"');
  });

  it.each(['Error creating: denied', '(combined from similar events): Error creating: denied'])(
    'of a DaemonSet are read without words that are no cause: %s',
    (note) => {
      const found = findingOf(workload([], { wanted: 1 }), [warning('uid-web', 'FailedCreate', note)]);
      expect(found?.message).toBe('pods cannot be created: denied');
    },
  );

  it('are read at their last repetition, no matter who wrote them', () => {
    const newer = {
      ...warning('uid-web', 'FailedCreate', 'Error creating: denied by b'),
      eventTime: ago(999),
    };
    const { deprecatedLastTimestamp: _old, ...series } = newer;
    const events = [
      { ...series, series: { lastObservedTime: ago(5) } },
      warning('uid-web', 'FailedCreate', 'Error creating: denied by a', 500),
    ];
    expect(findingOf(workload([], { wanted: 1 }), events)?.message).toBe(
      'pods cannot be created: denied by b',
    );
  });
});
