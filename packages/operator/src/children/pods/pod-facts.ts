import { conditionOf, type Instant, type Pod, type Stored } from '@atoll/kube';
import { since } from '../../causes/found-pod.ts';
import { isTerminating } from '../child.ts';

/** What of a pod is judged; a cache may keep no more than this. */
export interface JudgedPod {
  readonly metadata: Pick<
    Stored<Pod>['metadata'],
    'name' | 'uid' | 'labels' | 'creationTimestamp' | 'deletionTimestamp' | 'deletionGracePeriodSeconds'
  >;
  readonly spec?: { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly PodCondition[];
  };
}

interface PodCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly lastTransitionTime?: string | null;
}

/** A pod that ended by itself; workloads of Kubernetes replace it and count it no more. */
export function isFinished({ status }: JudgedPod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** Whether its workload counts the pod: it is not being deleted, and did not end by itself. */
export function isActive(pod: JudgedPod): boolean {
  return !isTerminating(pod) && !isFinished(pod);
}

/** Since when the pod is Ready; undefined where it is not. A condition without a time was always so. */
export function readySince(pod: JudgedPod): Instant | undefined {
  const ready = conditionOf(pod, 'Ready');
  return ready?.status === 'True' ? since(ready.lastTransitionTime) : undefined;
}

/** Since when the pod is not Ready; undefined where it is. */
export function unreadySince(pod: JudgedPod): Instant | undefined {
  const ready = conditionOf(pod, 'Ready');
  if (ready?.status === 'True') return undefined;
  return Math.max(since(pod.metadata.creationTimestamp), since(ready?.lastTransitionTime));
}

/** When the pod last came, turned ready or not, or began to be deleted. */
export function movedAt(pod: JudgedPod): Instant {
  const { creationTimestamp, deletionTimestamp } = pod.metadata;
  const { lastTransitionTime } = conditionOf(pod, 'Ready') ?? {};
  return Math.max(...[creationTimestamp, deletionTimestamp, lastTransitionTime].map(since));
}

/**
 * Until when a pod that ends keeps its place for another one: it has its grace period for that, of which no more counts than the critical time, and the other
 * one has the critical time to come there. undefined for pods that are not being deleted, or have no node.
 */
export function keepsPlaceUntil(pod: JudgedPod, criticalMs: number): Instant | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata;
  if (deletionTimestamp === undefined || (pod.spec?.nodeName ?? '') === '') return undefined;
  const graceMs = deletionGracePeriodSeconds * 1000;
  return since(deletionTimestamp) - graceMs + Math.min(graceMs, criticalMs) + criticalMs;
}

/**
 * When a pod counts as stuck: the scheduler reported that no node can take it, and the critical time since its creation is
 * over. undefined for pods that wait for something else (an image, a volume, the scheduler itself).
 */
export function stuckAt(pod: JudgedPod, criticalMs: number): Instant | undefined {
  if (isTerminating(pod) || pod.status?.phase !== 'Pending') return undefined;
  if (pod.spec?.nodeName !== undefined && pod.spec.nodeName !== '') return undefined;
  const scheduled = conditionOf(pod, 'PodScheduled');
  if (scheduled?.status !== 'False' || scheduled.reason !== 'Unschedulable') return undefined;
  return since(pod.metadata.creationTimestamp) + criticalMs;
}
