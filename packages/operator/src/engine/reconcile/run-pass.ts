import { parseKey, preferredApiVersionOf } from '@atoll/kube';
import type {
  Clock,
  EventSubject,
  Instant,
  KubeObject,
  ObjectKey,
  Resource,
  Stored,
  WriteThroughCache,
} from '@atoll/kube';
import type { Announcer } from '../announce.ts';
import { degradedAfterMs } from '../status/conditions.ts';
import type { Controller, StatusWrite } from '../controller.ts';
import type { Executor, Work } from '../executor/execute.ts';
import { patchAsSeen } from '../executor/patch-as-seen.ts';
import { guardOf, guardOfAbsent } from '../plan.ts';
import type { Plan } from '../plan.ts';
import { statusDiff } from '../status/status-diff.ts';
import { isLasting, type Refusals } from '../executor/refusals.ts';
import type { PacedWrites, StatusPace } from '../status/status-pace.ts';
import type { Outcome, Reason, Step, StepResult } from '../step.ts';

export interface PassDeps {
  readonly clock: Clock;
  readonly executor: Executor;
  readonly announcer: Announcer;
  readonly cacheOf: (resource: Resource<KubeObject>) => WriteThroughCache<KubeObject> | undefined;
  /** Absent: a status is written whenever it differs. */
  readonly pace?: StatusPace;
  /** Absent: what was refused is sent again in every pass. */
  readonly refusals?: Refusals;
  /** Is told the milliseconds of computing, as opposed to waiting for answers. */
  readonly computed?: (ms: number) => void;
  readonly signal: AbortSignal;
}

/**
 * How a pass ended. `retry`: something failed or the world moved; again with back-off, and not before `afterMs` where
 * the server said so. `refused`: the server refused something, and nothing else is to be repeated; again after `afterMs`.
 * `settled`: nothing more to do without an event, or before `afterMs`.
 */
export type PassResult =
  | { readonly end: 'settled'; readonly afterMs?: number }
  | {
      readonly end: 'retry';
      readonly afterMs?: number;
      /** However long the back-off is: a status waits to be written, or what was refused is due again. */
      readonly atLatestMs?: number;
      readonly because: string;
    }
  | { readonly end: 'refused'; readonly afterMs?: number; readonly because: string };

/** Observe, decide, plan, execute, observe and decide again, report, write the status where it differs. */
export async function runPass<Snapshot, Decision>(
  controller: Controller<Snapshot, Decision>,
  key: string,
  deps: PassDeps,
): Promise<PassResult> {
  const objectKey = parseKey(key);
  const whose = { controller: controller.name, key, signal: deps.signal };
  if (!(await deps.executor.settle(whose))) {
    return { end: 'retry', because: 'a write is in doubt and its object cannot be read' };
  }
  const work: Work = { ...whose, heldBack: deps.refusals?.heldBack(key, deps.clock.monotonic()) };

  const computing = stopwatch(deps);
  const snapshot = controller.observe(objectKey);
  const parent = deps.cacheOf(controller.resource)?.get(objectKey);
  if (snapshot === undefined) return forget(controller, key, deps);
  const plannedAt = deps.clock.now();
  const decision = controller.decide(snapshot, plannedAt);
  const plan = guarded(controller.plan(snapshot, decision, plannedAt), controller, objectKey, parent);
  computing.pause();
  const outcome = await deps.executor.execute(plan, work);

  const about = {
    controller: controller.name,
    key,
    subject: subjectOf(controller.resource, objectKey, parent),
  };
  deps.announcer.outcome(about, outcome);
  deps.announcer.holds(about, plan.holds);
  deps.announcer.tell(controller.tell?.(snapshot, decision, outcome) ?? []);

  computing.resume();
  // Where nothing was to be done the world is still the one that was looked at.
  const after = plan.stages.length === 0 ? snapshot : controller.observe(objectKey);
  if (after === undefined) return forget(controller, key, deps);
  const parentAfter = deps.cacheOf(controller.resource)?.get(objectKey);
  if (!sameSpec(parent, parentAfter)) {
    // The plan was for another spec: a status made of both would claim more than was done.
    return { end: 'retry', because: 'the spec changed while the plan was executed' };
  }
  const now = deps.clock.now();
  const decisionAfter = after === snapshot ? decision : controller.decide(after, now);
  const wanted = controller.report(after, decisionAfter, plan, outcome, now);
  const paced = deps.pace?.sort(wanted, now) ?? { now: wanted, nextAt: undefined };
  const statusWrites = statusPlan(paced.now);
  computing.pause();
  const statusOutcome = await deps.executor.execute(statusWrites, work);
  rememberWritten(paced.now, statusOutcome, deps);
  deps.announcer.outcome({ ...about, key: `${key} status` }, statusOutcome);
  const results = [...outcome.results, ...statusOutcome.results];
  const refusedForMs = deps.refusals?.ended(key, results, deps.clock.monotonic());
  return within(refusedForMs, noLaterThan(endOf({ results }, plan, now), paced, now));
}

function rememberWritten(writes: readonly StatusWrite[], { results }: Outcome, deps: PassDeps): void {
  for (const { step, did } of results) {
    if (did !== 'done' || step.do !== 'patch') continue;
    const write = writes.find(({ object }) => object.metadata.uid === step.uid);
    if (write !== undefined) deps.pace?.wrote(write, deps.clock.now());
  }
}

/** A status that waits is looked at again when it is due, whatever else the pass waits for. */
function noLaterThan(result: PassResult, { nextAt }: PacedWrites, now: Instant): PassResult {
  return within(nextAt === undefined ? undefined : Math.max(0, nextAt - now), result);
}

/** The key is looked at again after these milliseconds at the latest. */
function within(dueMs: number | undefined, result: PassResult): PassResult {
  if (dueMs === undefined) return result;
  if (result.end === 'retry') return { ...result, atLatestMs: Math.min(result.atLatestMs ?? dueMs, dueMs) };
  return { ...result, afterMs: Math.min(result.afterMs ?? dueMs, dueMs) };
}

function stopwatch({ clock, computed }: PassDeps): {
  readonly pause: () => void;
  readonly resume: () => void;
} {
  let since = clock.monotonic();
  return {
    pause: () => computed?.(clock.monotonic() - since),
    resume: () => (since = clock.monotonic()),
  };
}

/** Every plan has a guard: where a controller names no control annotations, the parent's uid and generation, or its absence. */
export function guarded<Snapshot>(
  plan: Plan,
  { resource }: Pick<Controller<Snapshot>, 'resource'>,
  key: ObjectKey,
  parent: Stored<KubeObject> | undefined,
): Plan {
  if (plan.guard !== undefined) return plan;
  return {
    ...plan,
    guard: parent === undefined ? guardOfAbsent(resource, key) : guardOf(resource, parent),
  };
}

/** The status writes that change something, as a plan: each with uid and resourceVersion as preconditions. */
export function statusPlan(writes: readonly StatusWrite[]): Plan {
  const steps = writes.flatMap((write): readonly Step[] => {
    const diff = statusDiff((write.object as { readonly status?: object }).status, write.status);
    if (diff === undefined) return [];
    const patch = { type: 'merge', body: { status: diff } } as const;
    const why: Reason = { word: 'StatusOutdated', message: 'the status follows what was observed' };
    return [{ ...patchAsSeen(write.resource, write.object, patch), subresource: 'status', why }];
  });
  return { stages: [{ name: 'status', steps, runs: 'always' }], holds: [], targets: [] };
}

/** The one place where all reasons to look again without an event come together. */
export function lookAgainAt(plan: Plan, now: Instant): Instant | undefined {
  const moments: Instant[] = [];
  if (plan.lookAgainAt !== undefined) moments.push(plan.lookAgainAt);
  for (const hold of plan.holds) {
    if (hold.until !== undefined) moments.push(hold.until);
    if (hold.bad && hold.since !== undefined) moments.push(hold.since + degradedAfterMs);
  }
  const ahead = moments.filter((moment) => moment > now);
  // A moment of the plan that has passed during execution is due now.
  if (plan.lookAgainAt !== undefined && plan.lookAgainAt <= now) return now;
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}

/** How a pass with this outcome ends. */
export function endOf(outcome: Outcome, plan: Plan, now: Instant): PassResult {
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
  const at = lookAgainAt(plan, now);
  // A plan that wants to go on, and of which nothing was done, would be the same at once: the retry of what was refused is it.
  const isStuck = refusedBecause !== undefined && !outcome.results.some(hasWritten);
  const when = at === undefined || (isStuck && at <= now) ? {} : { afterMs: Math.max(0, at - now) };
  return refusedBecause === undefined
    ? { end: 'settled', ...when }
    : { end: 'refused', because: refusedBecause, ...when };
}

function hasWritten({ step, did }: StepResult): boolean {
  return did === 'done' && step.do !== 'event';
}

function forget<Snapshot>(controller: Controller<Snapshot>, key: string, deps: PassDeps): PassResult {
  const work = { controller: controller.name, key };
  deps.executor.forget(work);
  deps.refusals?.forget(key);
  deps.announcer.forget(work);
  deps.announcer.forget({ ...work, key: `${key} status` });
  return { end: 'settled' };
}

/** The same object with the same spec; a parent that nobody caches is not compared. */
export function sameSpec(
  before: Stored<KubeObject> | undefined,
  after: Stored<KubeObject> | undefined,
): boolean {
  return (
    before?.metadata.uid === after?.metadata.uid && before?.metadata.generation === after?.metadata.generation
  );
}

/** The object of a key, as events name it. */
export function subjectOf(
  resource: Resource<KubeObject>,
  key: ObjectKey,
  parent: Stored<KubeObject> | undefined,
): EventSubject {
  const { namespace, name } = key;
  return {
    apiVersion: preferredApiVersionOf(resource),
    kind: resource.kind,
    name,
    uid: parent?.metadata.uid ?? '',
    ...(namespace === undefined ? {} : { namespace }),
  };
}
