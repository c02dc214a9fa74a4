import { since } from '../causes/found-pod.ts';
import type { Instant, KubeObject } from '@atoll/kube';
import { healthOf, type ChildHealth } from './child-health.ts';
import type { ChildWorkload, OwnedChild } from './child.ts';
import { movedAt, type JudgedPod } from './pods/pod-facts.ts';

/** How long, in milliseconds, a child may await its pods: what a Deployment takes that does not state it. */
const progressDeadlineMs = 600_000;

/**
 * When a child counts as late because its pods do not become available; undefined: it awaits none, or its status shows it,
 * as a Deployment does by its condition. The time runs from what moved last: a write of its spec, or one of its pods,
 * which may have to be ready for a while before it counts as available. undefined too while not all pods have been read.
 */
export function lateAt(child: OwnedChild, pods: readonly JudgedPod[] | undefined): Instant | undefined {
  const { kind, object } = child;
  if (kind === 'Deployment' || pods === undefined || awaitsNoPods(healthOf(child))) return undefined;
  const moved = Math.max(lastWriteOf(object), ...pods.map(movedAt));
  return moved === 0 ? undefined : moved + 1000 * minReadySecondsOf(object) + progressDeadlineMs;
}

/** When a child that is being deleted counts as late, because it is still there; undefined: it is not being deleted. */
export function goesLateAt({ metadata: { deletionTimestamp } }: KubeObject): Instant | undefined {
  return deletionTimestamp === undefined ? undefined : since(deletionTimestamp) + progressDeadlineMs;
}

/** One that makes new pods before old ones go has all the pods that it is asked for, and may await more. */
function awaitsNoPods({ available, updated, replicas, availableReplicas }: ChildHealth): boolean {
  return available && (updated || availableReplicas >= replicas);
}

/** When something of a child other than its status was written last; 0: that is not known. */
export function lastWriteOf({ metadata }: ChildWorkload): Instant {
  const writes = (metadata.managedFields ?? []).filter(({ subresource }) => subresource !== 'status');
  return Math.max(0, ...writes.map(({ time }) => since(time)));
}

/** An Advanced StatefulSet has it in its strategy. */
function minReadySecondsOf({ spec }: ChildWorkload): number {
  const seconds = spec?.minReadySeconds ?? spec?.updateStrategy?.rollingUpdate?.minReadySeconds ?? 0;
  return Math.max(0, seconds);
}

/** Whether nothing else is wrong with a child than that its pods were awaited for too long. */
export function isOnlyLate({ stuck, overdue }: ChildHealth): boolean {
  return stuck === undefined || overdue;
}

/** What is wrong with a child, as opposed to not done yet: what its controller calls so, or that it is late. */
export function wrongWith(
  child: OwnedChild,
  health: ChildHealth,
  late: Instant | undefined,
  now: Instant,
): string | undefined {
  return health.stuck ?? (late !== undefined && late <= now ? lateMessage(child, health) : undefined);
}

function lateMessage({ object }: OwnedChild, health: ChildHealth): string {
  const { availableReplicas, replicas, observed, available } = health;
  const minutes = progressDeadlineMs / 60_000;
  if (!observed) return `its controller has not looked at it for ${minutes} minutes`;
  const awaited = available ? replicas : (object.spec?.replicas ?? 1);
  const pods = awaited === 1 ? 'its pod is not' : `${availableReplicas} of its ${awaited} pods are`;
  return `${pods} available, and nothing has moved for ${minutes} minutes`;
}
