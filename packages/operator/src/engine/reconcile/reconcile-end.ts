import type { Instant } from '@atoll/kube';
import { isLasting } from '../executor/answers/refusals.ts';
import type { Plan } from '../plan.ts';
import { isUnexpected } from '../refused-trials.ts';
import { degradedAfterMs } from '../status/conditions.ts';
import type { Outcome, StepResult } from '../step.ts';

/**
 * How a reconcile ended. `retry`: something failed or the world moved; again with back-off, and not before `afterMs` where
 * the server asked for it. `refused`: the server refused something, and nothing else is to be repeated; again after `afterMs`.
 * `done`: nothing more to do without an event, or before `afterMs`.
 */
export type ReconcileEnd =
  | { readonly end: 'done'; readonly afterMs?: number }
  | {
      readonly end: 'retry';
      readonly afterMs?: number;
      /** However long the back-off is: a status waits to be written, or what was refused is due again. */
      readonly atLatestMs?: number;
      readonly because: string;
    }
  | { readonly end: 'refused'; readonly afterMs?: number; readonly because: string };

/** How a reconcile with this outcome ends. */
export function endOf(outcome: Outcome, plan: Plan, now: Instant): ReconcileEnd {
  let retryBecause: string | undefined;
  let refusedBecause: string | undefined;
  let serverWants = 0;
  for (const result of outcome.results) {
    if (result.did === 'failed') {
      if (isLasting(result.error)) refusedBecause ??= result.error.message;
      else retryBecause ??= result.error.message;
      serverWants = Math.max(serverWants, result.error.retryAfterMs ?? 0);
    }
    if (result.did === 'skipped' && result.because === 'plan-outdated')
      retryBecause ??= 'the world moved meanwhile';
    // Either it is over, and so is this process, or the next renewal succeeds.
    if (result.did === 'skipped' && result.because === 'not-leader')
      retryBecause ??= 'the lease was not renewed lately';
    if (result.did === 'done' && result.adopted === true) retryBecause ??= 'an object was there already';
  }
  if (retryBecause !== undefined) {
    return { end: 'retry', because: retryBecause, ...(serverWants === 0 ? {} : { afterMs: serverWants }) };
  }
  const isNextPlanDifferent = outcome.results.some(isUnexpected);
  const at = isNextPlanDifferent ? now : requeueAt(plan, now);
  // A plan that wants to go on, and of which nothing was done, would be the same at once: the retry of what was refused is it.
  const isStuck = refusedBecause !== undefined && !isNextPlanDifferent && !outcome.results.some(hasWritten);
  const when = at === undefined || (isStuck && at <= now) ? {} : { afterMs: Math.max(0, at - now) };
  return refusedBecause === undefined
    ? { end: 'done', ...when }
    : { end: 'refused', because: refusedBecause, ...when };
}

function hasWritten({ step, did }: StepResult): boolean {
  return did === 'done' && step.do !== 'event' && step.do !== 'try';
}

/** A status that waits to be written is written when it is due, whatever else the reconcile waits for. */
export function noLaterThan(nextAt: Instant | undefined, now: Instant, result: ReconcileEnd): ReconcileEnd {
  return within(nextAt === undefined ? undefined : Math.max(0, nextAt - now), result);
}

/** The key is reconciled again after these milliseconds at the latest. */
export function within(dueMs: number | undefined, result: ReconcileEnd): ReconcileEnd {
  if (dueMs === undefined) return result;
  if (result.end === 'retry') return { ...result, atLatestMs: Math.min(result.atLatestMs ?? dueMs, dueMs) };
  return { ...result, afterMs: Math.min(result.afterMs ?? dueMs, dueMs) };
}

/** The one place where all reasons to requeue without an event come together. */
export function requeueAt(plan: Plan, now: Instant): Instant | undefined {
  const moments: Instant[] = [];
  if (plan.requeueAt !== undefined) moments.push(plan.requeueAt);
  for (const hold of plan.holds) {
    if (hold.until !== undefined) moments.push(hold.until);
    if (hold.bad && hold.since !== undefined) moments.push(hold.since + degradedAfterMs);
  }
  const ahead = moments.filter((moment) => moment > now);
  // A moment of the plan that has passed during execution is due now.
  if (plan.requeueAt !== undefined && plan.requeueAt <= now) return now;
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}
