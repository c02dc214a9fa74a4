import type { Instant } from '@atoll/kube';
import { toTimestamp } from '../../engine/status/conditions.ts';
import type { FoundSubsetCondition, SubsetCondition } from './judgement.ts';

/** Whether the subset had no room, by the stored condition. */
export function saysUnschedulable(found: FoundSubsetCondition | undefined): boolean {
  return found?.status === 'False';
}

/** The condition as it was found, where it is the same already; else a new one, since now. */
export function stated(
  statement: Pick<SubsetCondition, 'status' | 'reason' | 'message'>,
  found: FoundSubsetCondition | undefined,
  now: Instant,
): SubsetCondition {
  const same = found?.status === statement.status && found.reason === statement.reason;
  if (same && typeof found.lastTransitionTime === 'string') return kept(found, statement);
  return { type: 'Schedulable', ...statement, lastTransitionTime: toTimestamp(now) };
}

/** What was found, with every field filled. */
export function kept(
  found: FoundSubsetCondition,
  { status, reason, message }: Pick<SubsetCondition, 'status' | 'reason' | 'message'>,
): SubsetCondition {
  const { lastTransitionTime } = found;
  return {
    type: 'Schedulable',
    status,
    reason: isReason(found.reason) ? found.reason : reason,
    message: typeof found.message === 'string' ? found.message : message,
    lastTransitionTime: typeof lastTransitionTime === 'string' ? lastTransitionTime : toTimestamp(0),
  };
}

/**
 * In reservation a subset that joins a workload which runs already is not trusted until its pods are: they start
 * reserved. A workload that is new as a whole has nobody who could stand in for them.
 */
export function conditionOfNewSubset(now: Instant): SubsetCondition {
  return {
    type: 'Schedulable',
    status: 'False',
    reason: 'created',
    message: 'a new subset: its pods count once they are ready',
    lastTransitionTime: toTimestamp(now),
  };
}

/** In reservation, of a subset of which it is not known whether it has room for more. */
export function conditionUntilReady(found: FoundSubsetCondition | undefined, now: Instant): SubsetCondition {
  return stated(
    { status: 'False', reason: 'reschedule', message: 'new pods count once they are ready' },
    found,
    now,
  );
}

function isReason(reason: unknown): reason is SubsetCondition['reason'] {
  return reason === 'reschedule' || reason === 'recover' || reason === 'created';
}
