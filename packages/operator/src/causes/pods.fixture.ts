import type { Instant } from '@atoll/kube';
import type { FoundEvent } from './explained-by-events.ts';
import type { FoundContainer, FoundPod, FoundPodCondition } from './found-pod.ts';

/** The moment at which pods are looked at. */
export const now: Instant = Date.parse('2026-01-01T12:00:00Z');

/** So many seconds before that moment. */
export function ago(seconds: number): string {
  return new Date(now - seconds * 1000).toISOString().replace('.000Z', 'Z');
}

type Parts = Omit<FoundPod, 'metadata' | 'status'> & {
  readonly name?: string;
  readonly age?: number;
  readonly metadata?: Partial<FoundPod['metadata']>;
  readonly status?: FoundPod['status'];
  readonly conditions?: readonly FoundPodCondition[];
  readonly containers?: readonly FoundContainer[];
};

/** A pod of one container `app` on node `n1`, one minute old, as kubelets of Kubernetes 1.36 report it, with what is given in addition. */
export function pod({
  name = 'web-0',
  age = 60,
  metadata,
  spec,
  status,
  conditions,
  containers,
}: Parts): FoundPod {
  return {
    metadata: { name, uid: `uid-${name}`, creationTimestamp: ago(age), ...metadata },
    spec: { nodeName: 'n1', containers: [{ name: 'app', image: 'r.io/app:v2' }], ...spec },
    status: {
      phase: 'Pending',
      conditions: conditions ?? [
        { type: 'PodReadyToStartContainers', status: 'True', lastTransitionTime: ago(age - 2) },
        { type: 'Initialized', status: 'True', lastTransitionTime: ago(age - 1) },
        notReady('Ready', age - 1),
        notReady('ContainersReady', age - 1),
        { type: 'PodScheduled', status: 'True', lastTransitionTime: ago(age - 1) },
      ],
      ...(containers === undefined ? {} : { containerStatuses: containers }),
      ...status,
    },
  };
}

function notReady(type: string, seconds: number): FoundPodCondition {
  const message = 'containers with unready status: [app]';
  return { type, status: 'False', reason: 'ContainersNotReady', message, lastTransitionTime: ago(seconds) };
}

export function waiting(
  reason: string,
  message?: string,
  more: Partial<FoundContainer> = {},
): FoundContainer {
  const state = { waiting: { reason, ...(message === undefined ? {} : { message }) } };
  return { name: 'app', image: 'r.io/app:v2', ready: false, restartCount: 0, state, ...more };
}

export function running(seconds: number, more: Partial<FoundContainer> = {}): FoundContainer {
  const state = { running: { startedAt: ago(seconds) } };
  return { name: 'app', image: 'r.io/app:v2', ready: false, restartCount: 0, state, ...more };
}

export function ended(
  exitCode: number,
  reason = 'Error',
  message?: string,
): NonNullable<FoundContainer['state']> {
  return { terminated: { exitCode, reason, ...(message === undefined ? {} : { message }) } };
}

export const ready = pod({
  name: 'ready',
  status: { phase: 'Running' },
  conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: ago(30) }],
  containers: [{ ...running(50), ready: true }],
});

export function warning(uid: string, reason: string, note: string, seconds = 10): FoundEvent {
  return { type: 'Warning', reason, note, regarding: { uid }, deprecatedLastTimestamp: ago(seconds) };
}
