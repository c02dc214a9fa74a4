import { executionRules } from '../src/engine/executor/rules.ts';
import { keysToEnqueue } from '../src/engine/reconcile/keys-to-enqueue.ts';
import { shippedRules } from '../src/engine/reconcile/rules.ts';
import type { Rules } from '../src/engine/reconcile/rules.ts';
import type { QueueBug, World } from './world.ts';

const { isLeft, isOutdated, judge, judgeLive, requestFor, roomIn } = executionRules;

/** Bugs of the sequence of a reconcile, planted in it: each replaces shipped rules by broken ones (section 3, c2–c7, F1, F8). */
const plantedRules = {
  'delete-by-name': {
    requestFor: (step) => {
      const request = requestFor(step);
      if (request.verb !== 'delete') return request;
      const { uid: _, resourceVersion: _version, ...options } = request.options;
      return { ...request, options };
    },
  },
  'apply-without-uid': {
    requestFor: (step) => {
      const request = requestFor(step);
      if (request.verb !== 'apply') return request;
      const { uid: _, ...metadata } = request.object.metadata;
      return { ...request, object: { ...request.object, metadata } };
    },
  },
  'no-write-through': { cached: () => [] },
  'stop-at-first-error': {
    startsSlowly: () => true,
    inOrder: (queue) => queue,
    roomIn: (stage, bound) => (stage.failuresInARow > 0 ? 0 : roomIn(stage, bound)),
    isStageBlocked: (_stage, allDone) => !allDone,
  },
  /** Nothing that failed is tried again without an event. */
  'no-requeue': { endOf: () => ({ end: 'done' }) },
  /** Nothing is waited for that the pace holds back. */
  'held-status-forgotten': { noLaterThan: (_nextAt, _now, result) => result },
  'status-of-older-spec': { isSameSpec: () => true },
  /** What is acknowledged is left at that. */
  'acknowledged-and-left': { afterAcknowledgement: { end: 'done' } },
  'in-doubt-ignored': { resolvedFirst: () => [] },
  /** A write whose answer was lost counts as one that did not take place. */
  'in-doubt-not-read-back': {
    judge: (step, answer) => {
      const verdict = judge(step, answer);
      if ('result' in verdict || verdict.error.fate !== 'in-doubt') return verdict;
      return { result: { step, did: 'failed', error: verdict.error }, updates: [] };
    },
  },
  /** What was read back after a lost answer is not looked at. */
  'lost-counts-as-done': {
    judgeLive: (step, error, live) => {
      const verdict = judgeLive(step, error, live);
      return error.fate === 'in-doubt' ? { ...verdict, result: { step, did: 'done' } } : verdict;
    },
  },
  /** An owner that goes stops what is made for it and what is deleted, and not what is applied (C7). */
  'applies-go-on': {
    isOutdated: (step, plan, facts) => step.do !== 'apply' && isOutdated(step, plan, facts),
    isLeft: () => false,
  },
  /** The same with what is deleted. */
  'deletions-go-on': {
    isOutdated: (step, plan, facts) => step.do !== 'delete' && isOutdated(step, plan, facts),
    isLeft: () => false,
  },
  /** That an owner goes shows only in its generation (C7). */
  'deletion-not-compared': { isOutdated: (_step, plan, facts) => isLeft(plan, facts, []) },
  'guard-ignored': { isOutdated: () => false, isLeft: () => false },
  /** A plan that is no more up to date goes on with what it makes and applies. */
  'plan-outlives-its-spec': {
    isOutdated: (step, plan, facts) => step.do === 'delete' && isOutdated(step, plan, facts),
    isLeft: () => false,
  },
  'leadership-not-asked': { mayNotWrite: () => undefined },
  /** A plan is carried out from the cache, without a live read of what it was made for (decision 14). */
  'plans-unconfirmed': { checksBeforePlan: () => [] },
  /** Nobody looks for what no cache may hold yet (decision 14). */
  'nothing-listed-live': { listsBeforePlan: () => [] },
  /** What cannot be taken back is done from the cache. */
  'irreversible-from-cache': { checksBeforeStep: () => [] },
  /** Both of these. */
  'nothing-read-live': { checksBeforePlan: () => [], checksBeforeStep: () => [] },
  'taken-name-is-success': {
    judgeLive: (step, error, live) => {
      const verdict = judgeLive(step, error, live);
      return error.fate === 'in-doubt' ? verdict : { ...verdict, result: { step, did: 'done' } };
    },
  },
} satisfies Readonly<Record<string, Partial<Rules>>>;

export type EngineBug = keyof typeof plantedRules | keyof typeof plantedQueue | QueueBug;

/** A change of an object whose spec stays as it is enqueues nothing, no matter who made it. */
const withoutStatus: typeof keysToEnqueue = (own, source, event) => {
  const enqueued = keysToEnqueue(own, source, event);
  if (event.type !== 'updated') return enqueued;
  const isOfSpec = event.old.metadata.generation !== event.object.metadata.generation;
  return isOfSpec ? enqueued : { ...enqueued, keys: [] };
};

/** An event counts as the difference of its two versions, whatever came between them. */
const skippingNothing: typeof keysToEnqueue = (own, source, event) => {
  if (event.type !== 'updated') return keysToEnqueue(own, source, event);
  const { skips: _, ...rest } = event;
  return keysToEnqueue(own, source, rest);
};

/** Bugs of what an event enqueues. */
const plantedQueue = {
  'status-needs-no-reconcile': withoutStatus,
  'skipped-versions-ignored': skippingNothing,
} satisfies Readonly<Record<string, typeof keysToEnqueue>>;

/** The part of a world that has the bug. */
export function planted(bug: EngineBug): Pick<World, 'rules' | 'enqueued' | 'queueBug'> {
  if (bug === 'status-needs-no-reconcile' || bug === 'skipped-versions-ignored')
    return { enqueued: plantedQueue[bug] };
  if (bug === 'presence-not-announced' || bug === 'timers-outlive-reconciles') return { queueBug: bug };
  return { rules: { ...shippedRules, ...plantedRules[bug] } };
}
