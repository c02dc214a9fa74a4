import { describe, expect, it } from 'vitest';
import { causeOf } from './cause-of.ts';
import type { CauseWord } from './cause.ts';
import type { FoundPod } from './found-pod.ts';
import { ago, ended, now, pod, ready, running, waiting } from './pods.fixture.ts';

const pulled =
  'failed to pull and unpack image "r.io/app:v2": failed to resolve reference "r.io/app:v2": r.io/app:v2: not found';
const unscheduled = [
  {
    type: 'PodScheduled',
    status: 'False',
    reason: 'Unschedulable',
    message:
      '0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.',
  },
];

/** As the scheduler of Kubernetes 1.36 writes it. */
const unscheduledNow = [
  {
    type: 'PodScheduled',
    status: 'False',
    reason: 'Unschedulable',
    message:
      "0/9 nodes are available: 3 node(s) had untolerated taint(s), 6 node(s) didn't match Pod's node affinity/selector. no new claims to deallocate, preemption: 0/9 nodes are available: 9 Preemption is not helpful for scheduling.",
  },
];

type Row = readonly [what: string, pod: FoundPod, word: CauseWord, text: string];

const table: readonly Row[] = [
  [
    'an image whose last try to pull it failed',
    pod({ containers: [waiting('ErrImagePull', pulled)] }),
    'ImagePullBackOff',
    `container app cannot pull its image: ${pulled}`,
  ],
  [
    'an image for which the kubelet waits: the same text',
    pod({
      containers: [
        waiting('ImagePullBackOff', `Back-off pulling image "r.io/app:v2": ErrImagePull: ${pulled}`),
      ],
    }),
    'ImagePullBackOff',
    `container app cannot pull its image: ${pulled}`,
  ],
  [
    'an image for which a kubelet of 1.30 waits, which drops the reason',
    pod({ containers: [waiting('ImagePullBackOff', 'Back-off pulling image "r.io/app:v2"')] }),
    'ImagePullBackOff',
    'container app cannot pull its image r.io/app:v2',
  ],
  [
    'the name of an image that cannot be read',
    pod({
      spec: { nodeName: 'n1', containers: [{ name: 'app', image: 'R.io/app' }] },
      containers: [
        waiting('InvalidImageName', 'Failed to apply default image tag "R.io/app": invalid reference'),
      ],
    }),
    'ImagePullBackOff',
    'container app cannot pull its image: Failed to apply default image tag "R.io/app": invalid reference',
  ],
  [
    'an image of an init container',
    pod({
      spec: {
        nodeName: 'n1',
        initContainers: [{ name: 'init', image: 'r.io/init:v1' }],
        containers: [{ name: 'app', image: 'r.io/app:v2' }],
      },
      containers: [waiting('PodInitializing')],
      status: {
        phase: 'Pending',
        containerStatuses: [waiting('PodInitializing')],
        initContainerStatuses: [
          { ...waiting('ErrImagePull', 'unauthorized'), name: 'init', image: 'r.io/init:v1' },
        ],
      },
    }),
    'ImagePullBackOff',
    'container init cannot pull its image r.io/init:v1: unauthorized',
  ],
  [
    'a container that waits to be restarted',
    pod({
      status: { phase: 'Running' },
      containers: [
        waiting('CrashLoopBackOff', 'back-off 2m40s restarting failed container=app pod=web-0_default(uid)', {
          restartCount: 7,
          lastState: ended(1),
        }),
      ],
    }),
    'CrashLoopBackOff',
    'container app ends with exit code 1',
  ],
  [
    'a container that runs for a moment between two crashes: the same text',
    pod({ status: { phase: 'Running' }, containers: [running(3, { restartCount: 8, lastState: ended(1) })] }),
    'CrashLoopBackOff',
    'container app ends with exit code 1',
  ],
  [
    'a container that has just crashed: the same text',
    pod({
      status: { phase: 'Running' },
      containers: [{ ...running(3), state: ended(1), restartCount: 8 }],
    }),
    'CrashLoopBackOff',
    'container app ends with exit code 1',
  ],
  [
    'a container that is out of memory',
    pod({
      status: { phase: 'Running' },
      containers: [waiting('CrashLoopBackOff', '', { restartCount: 2, lastState: ended(137, 'OOMKilled') })],
    }),
    'CrashLoopBackOff',
    'container app ends with exit code 137 (OOMKilled)',
  ],
  [
    'a container with last words',
    pod({
      status: { phase: 'Running' },
      containers: [
        waiting('CrashLoopBackOff', '', {
          restartCount: 2,
          lastState: ended(2, 'Error', 'panic: no configuration\n\tat main.go:12\n'),
        }),
      ],
    }),
    'CrashLoopBackOff',
    'container app ends with exit code 2: panic: no configuration at main.go:12',
  ],
  [
    'a ConfigMap that is not there',
    pod({ containers: [waiting('CreateContainerConfigError', 'configmap "settings" not found')] }),
    'CreateContainerConfigError',
    'container app cannot be configured: configmap "settings" not found',
  ],
  [
    'a key that a Secret lacks',
    pod({
      containers: [
        waiting('CreateContainerConfigError', "couldn't find key password in Secret default/credentials"),
      ],
    }),
    'CreateContainerConfigError',
    "container app cannot be configured: couldn't find key password in Secret default/credentials",
  ],
  [
    'a command that is not there',
    pod({
      containers: [
        waiting(
          'RunContainerError',
          'failed to create containerd task: exec: "serve": executable file not found in $PATH',
        ),
      ],
    }),
    'CreateContainerError',
    'container app cannot be started: failed to create containerd task: exec: "serve": executable file not found in $PATH',
  ],
  [
    'no node with room',
    pod({ spec: { nodeName: '' }, conditions: unscheduled }),
    'PodsUnschedulable',
    'no node can take it: 0/3 nodes are available: 3 Insufficient cpu',
  ],
  [
    'no node with room, without what the scheduler tried beside that',
    pod({ spec: { nodeName: '' }, conditions: unscheduledNow }),
    'PodsUnschedulable',
    "no node can take it: 0/9 nodes are available: 3 node(s) had untolerated taint(s), 6 node(s) didn't match Pod's node affinity/selector",
  ],
  [
    'a scheduler that nobody runs',
    pod({ spec: { nodeName: '', schedulerName: 'edge' }, conditions: [] }),
    'PodsUnschedulable',
    'the scheduler edge has not tried to place it',
  ],
  [
    'a scheduling gate',
    pod({
      spec: { nodeName: '', schedulingGates: [{ name: 'quota.io/wait' }] },
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }],
    }),
    'SchedulingGated',
    'waits for its scheduling gates: quota.io/wait',
  ],
  [
    'a container that is not ready',
    pod({ status: { phase: 'Running' }, containers: [running(40)] }),
    'ContainersNotReady',
    'container app runs and is not ready',
  ],
  [
    'a container that crashed once, and has run long since',
    pod({
      age: 9999,
      status: { phase: 'Running' },
      containers: [running(700, { restartCount: 1, lastState: ended(1) })],
    }),
    'ContainersNotReady',
    'container app runs and is not ready',
  ],
  [
    'an init container that does not end',
    pod({
      status: {
        phase: 'Pending',
        containerStatuses: [waiting('PodInitializing')],
        initContainerStatuses: [{ ...running(40), name: 'migrate' }],
      },
    }),
    'PodInitializing',
    'init container migrate has not completed',
  ],
  [
    'a pod whose kubelet has not begun',
    pod({ containers: [waiting('ContainerCreating')] }),
    'ContainerCreating',
    'the kubelet of node n1 has not started it',
  ],
  [
    'a readiness gate',
    pod({
      spec: { nodeName: 'n1', readinessGates: [{ conditionType: 'lb.io/attached' }] },
      status: { phase: 'Running' },
      conditions: [
        { type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady', lastTransitionTime: ago(50) },
      ],
      containers: [{ ...running(50), ready: true }],
    }),
    'ReadinessGatesNotReady',
    'waits for its readiness gates: lb.io/attached',
  ],
  [
    'a node that is away',
    pod({
      status: { phase: 'Running' },
      conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: ago(50) }],
      containers: [{ ...running(500), ready: true }],
    }),
    'NodeNotReady',
    'the node has stopped reporting; the containers were ready before that',
  ],
  [
    'a pod that does not end',
    pod({ metadata: { deletionTimestamp: ago(40) } }),
    'PodTerminating',
    'should be gone, but the kubelet of node n1 has not confirmed that it ended',
  ],
  [
    'a pod that a finalizer keeps',
    pod({ metadata: { deletionTimestamp: ago(40), finalizers: ['backup.io/done'] } }),
    'PodTerminating',
    'should be gone, but the finalizers backup.io/done are still there',
  ],
  [
    'a pod that was evicted',
    pod({
      status: {
        phase: 'Failed',
        reason: 'Evicted',
        message: 'The node was low on resource: ephemeral-storage. ',
      },
    }),
    'PodFailed',
    'failed (Evicted): The node was low on resource: ephemeral-storage',
  ],
];

describe('the cause of a pod that is not ready', () => {
  it.each(table)('names %s', (_what, found, word, text) => {
    expect(causeOf(found, now)).toMatchObject({ word, text });
  });
});

describe('a pod without a cause', () => {
  it.each([
    ['is ready', ready],
    ['has completed', pod({ status: { phase: 'Succeeded' } })],
    ['is being started', pod({ age: 10, containers: [waiting('ContainerCreating')] })],
    ['has just been started', pod({ status: { phase: 'Running' }, containers: [running(10)] })],
    ['waits for the scheduler', pod({ age: 10, spec: { nodeName: '' }, conditions: [] })],
    ['is being ended', pod({ metadata: { deletionTimestamp: ago(20) } })],
    [
      'has an init container that has just begun',
      pod({
        age: 10,
        status: {
          phase: 'Pending',
          containerStatuses: [waiting('PodInitializing')],
          initContainerStatuses: [{ ...running(5), name: 'migrate' }],
        },
      }),
    ],
  ])('%s', (_what, found) => {
    expect(causeOf(found, now)).toBeUndefined();
  });
});
