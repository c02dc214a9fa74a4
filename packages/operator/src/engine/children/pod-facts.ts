import type { Instant } from '@atoll/kube';
import type { JudgedPod } from './judgement.ts';

/** A pod that is going. */
export function isTerminating(pod: JudgedPod): boolean {
  return pod.metadata.deletionTimestamp !== undefined;
}

/** A pod that ended by itself; workloads of Kubernetes replace it and count it no more. */
export function isFinished({ status }: JudgedPod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** Since when the pod is Ready; undefined where it is not. A condition without a time was always so. */
export function readySince(pod: JudgedPod): Instant | undefined {
  const ready = conditionOf(pod, 'Ready');
  return ready?.status === 'True' ? instantOf(ready.lastTransitionTime) : undefined;
}

/** Since when the pod is not Ready; undefined where it is. */
export function unreadySince(pod: JudgedPod): Instant | undefined {
  const ready = conditionOf(pod, 'Ready');
  if (ready?.status === 'True') return undefined;
  return Math.max(instantOf(pod.metadata.creationTimestamp), instantOf(ready?.lastTransitionTime));
}

/**
 * When a pod counts as stuck: the scheduler said that no node can take it, and the critical time since its creation is
 * over. undefined for pods that wait for something else (an image, a volume, the scheduler itself).
 */
export function stuckAt(pod: JudgedPod, criticalMs: number): Instant | undefined {
  if (isTerminating(pod) || pod.status?.phase !== 'Pending') return undefined;
  if (pod.spec?.nodeName !== undefined && pod.spec.nodeName !== '') return undefined;
  const scheduled = conditionOf(pod, 'PodScheduled');
  if (scheduled?.status !== 'False' || scheduled.reason !== 'Unschedulable') return undefined;
  return instantOf(pod.metadata.creationTimestamp) + criticalMs;
}

/** The earliest of some moments; undefined where there is none. */
export function earliest(moments: Iterable<Instant | undefined>): Instant | undefined {
  let first: Instant | undefined;
  for (const moment of moments) {
    if (moment !== undefined && (first === undefined || moment < first)) first = moment;
  }
  return first;
}

/** What is no time is long ago. */
export function instantOf(timestamp: unknown): Instant {
  const instant = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(instant) ? 0 : instant;
}

function conditionOf({ status }: JudgedPod, type: string) {
  return status?.conditions?.find((condition) => condition.type === type);
}
