import type { Instant } from '@atoll/kube';
import type { ChildHealth } from './child-health.ts';
import type { OwnedChild } from './child.ts';
import { instantOf, movedAt, type JudgedPod } from './pod-facts.ts';

/** How long, in milliseconds, a child may await its pods: what a Deployment takes that does not say it. */
export const progressDeadlineMs = 600_000;

/**
 * When a child counts as late because its pods do not become available; undefined: it awaits none, or it says so itself,
 * as a Deployment does by its condition. The time runs from what moved last: a write of its spec, or one of its pods.
 */
export function lateAt(
  { kind, object }: OwnedChild,
  { available }: ChildHealth,
  pods: readonly JudgedPod[],
): Instant | undefined {
  if (kind === 'Deployment' || available) return undefined;
  const writes = (object.metadata.managedFields ?? []).filter(({ subresource }) => subresource !== 'status');
  const moved = Math.max(0, ...writes.map(({ time }) => instantOf(time)), ...pods.map(movedAt));
  return moved === 0 ? undefined : moved + progressDeadlineMs;
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

function lateMessage({ object }: OwnedChild, { availableReplicas }: ChildHealth): string {
  const wanted = object.spec?.replicas ?? 1;
  const pods = wanted === 1 ? 'its pod is not' : `${availableReplicas} of its ${wanted} pods are`;
  return `${pods} available, and nothing has moved for ${progressDeadlineMs / 60_000} minutes`;
}
