import { ApiError, formatKey, groupResourceOf, isApiError } from '@atoll/kube';
import type { Clock, KubeObject, ObjectKey, Resource, Stored } from '@atoll/kube';
import { rememberAnswer } from './answers.ts';
import { isForsaken } from '../follows.ts';
import { InFlight } from './in-flight.ts';
import { judge, judgeLive, seenLive } from './judge.ts';
import type { Learned, Verdict } from './judge.ts';
import type { Guard, Plan, Stage } from '../plan.ts';
import { allowedBy, isAsPlanned } from '../plan.ts';
import type { RefusedSteps } from './refusals.ts';
import { requestFor, targetOf } from './request.ts';
import type { WriteStep } from './request.ts';
import { Requests } from './requests.ts';
import type { RequestsOptions } from './requests.ts';
import { isAsSeen } from '../seen.ts';
import type { Outcome, PlannedEvent, SkipReason, Step, StepResult } from '../step.ts';

export interface ExecutorOptions extends RequestsOptions {
  readonly clock: Clock;
  /** False the moment leadership is in doubt; asked directly before each send (F4). */
  readonly mayWrite: () => boolean;
  readonly recordEvent: (event: PlannedEvent) => void;
  /** Requests under way at once, over all keys and controllers, besides slow ones. Default 16. */
  readonly requestsInFlight?: number;
}

/** On whose behalf something is executed. */
export interface Work {
  readonly controller: string;
  readonly key: string;
  /** Ends on shutdown and on loss of leadership: nothing is sent any more, open requests are given up. */
  readonly signal: AbortSignal;
  /** Steps that were refused and are not due yet: they fail with the answer that they got, unsent. */
  readonly heldBack?: RefusedSteps | undefined;
}

interface InDoubt {
  readonly step: WriteStep;
  readonly error: ApiError;
}

/** A live read; undefined: the object does not exist. */
type Live = { readonly live: Stored<KubeObject> | undefined } | { readonly error: ApiError };

/** So many failures in a row end a slow-start stage. */
const failuresThatEndAStage = 10;

/** The one place that writes. Knows requests, caches and leadership, and nothing of any kind. */
export class Executor {
  readonly #options: ExecutorOptions;
  readonly #requests: Requests;
  readonly #inFlight: InFlight;
  /** Writes whose response was lost and that could not be read back yet, by controller and key. */
  readonly #inDoubt = new Map<string, readonly InDoubt[]>();
  /** Steps of slow-start stages that failed when last tried, by controller and key: tried last in the next pass. */
  readonly #failedLast = new Map<string, ReadonlySet<string>>();

  constructor(options: ExecutorOptions) {
    this.#options = options;
    this.#requests = new Requests(options);
    const { clock, requestsInFlight: limit } = options;
    this.#inFlight = new InFlight({ clock, ...(limit === undefined ? {} : { limit }) });
  }

  /**
   * Reads back what is in doubt for the key, and teaches the caches. False: something still cannot be read, and the
   * key must not be planned.
   */
  async settle(work: Work): Promise<boolean> {
    const id = idOf(work);
    const open = this.#inDoubt.get(id);
    if (open === undefined) return true;
    const left: InDoubt[] = [];
    for (const doubt of open) {
      if ((await this.#readBack(doubt, work.signal)) === undefined) left.push(doubt);
    }
    if (left.length > 0) this.#inDoubt.set(id, left);
    else this.#inDoubt.delete(id);
    return left.length === 0;
  }

  /**
   * Runs the plan's stages in order, once its parent was read live and is what the plan was made for: however old the cache
   * is, nothing is sent for a spec that is no more (decision 14). Never rejects: each step's fate is in the outcome.
   */
  async execute(plan: Plan, work: Work): Promise<Outcome> {
    const unconfirmed = await this.#confirmPlan(plan, work);
    if (unconfirmed !== undefined) return { results: unconfirmed };
    const results: StepResult[] = [];
    for (const stage of plan.stages) {
      const blocked = stage.runs === 'after-success' && results.some((result) => result.did !== 'done');
      results.push(
        ...(blocked
          ? skipAll(stage.steps, 'earlier-stage-failed')
          : await this.#runUnforsaken(stage, results, plan, work)),
      );
    }
    return { results };
  }

  /** Drops what is remembered of a key that is gone. */
  forget(work: Pick<Work, 'controller' | 'key'>): void {
    this.#failedLast.delete(idOf(work));
    this.#inDoubt.delete(idOf(work));
  }

  async #runUnforsaken(
    stage: Stage,
    earlier: readonly StepResult[],
    plan: Plan,
    work: Work,
  ): Promise<readonly StepResult[]> {
    const forsaken = new Set(stage.steps.filter((step) => isForsaken(step, earlier)));
    if (forsaken.size === 0) return this.#runStage(stage, plan, work);
    const steps = stage.steps.filter((step) => !forsaken.has(step));
    const done = (await this.#runStage({ ...stage, steps }, plan, work)).values();
    return stage.steps.flatMap((step) =>
      forsaken.has(step) ? skipAll([step], 'earlier-stage-failed') : (done.next().value ?? []),
    );
  }

  async #runStage(stage: Stage, plan: Plan, work: Work): Promise<readonly StepResult[]> {
    if (stage.slowStart !== true) {
      return Promise.all(stage.steps.map((step) => this.#run(step, plan, work)));
    }
    const results = new Map<Step, StepResult>();
    const queue = inOrder(stage.steps, this.#failedLast.get(idOf(work)), work.heldBack);
    const { limit } = this.#inFlight;
    let size = 1;
    let failuresInARow = 0;
    while (queue.length > 0 && failuresInARow < failuresThatEndAStage && size < limit) {
      const wave = queue.splice(0, size);
      const done = await Promise.all(wave.map((step) => this.#run(step, plan, work)));
      for (const result of done) results.set(result.step, result);
      const failures = done.filter((result) => result.did === 'failed').length;
      failuresInARow = failures === wave.length ? failuresInARow + failures : 0;
      size = failures === wave.length ? 1 : Math.min(size * 2, limit);
    }
    // At the bound nobody waits for the slowest of a wave: whoever has an answer sends the next.
    const lane = async (): Promise<void> => {
      while (failuresInARow < failuresThatEndAStage) {
        const step = queue.shift();
        if (step === undefined) return;
        const result = await this.#run(step, plan, work);
        results.set(step, result);
        failuresInARow = result.did === 'failed' ? failuresInARow + 1 : 0;
      }
    };
    await Promise.all(Array.from({ length: limit }, lane));
    this.#remember(idOf(work), [...results.values()]);
    return stage.steps.map(
      (step) => results.get(step) ?? { step, did: 'skipped', because: 'too-many-failures' },
    );
  }

  #remember(id: string, results: readonly StepResult[]): void {
    const failed = new Set(this.#failedLast.get(id));
    for (const result of results) {
      if (result.did === 'failed') failed.add(stepId(result.step));
      else failed.delete(stepId(result.step));
    }
    if (failed.size > 0) this.#failedLast.set(id, failed);
    else this.#failedLast.delete(id);
  }

  async #run(step: Step, plan: Plan, work: Work): Promise<StepResult> {
    if (step.do === 'event') {
      this.#options.recordEvent(step.event);
      return { step, did: 'done' };
    }
    const refusal = work.heldBack?.get(stepId(step));
    if (refusal !== undefined) return { step, did: 'failed', error: refusal, heldBack: true };
    return this.#inFlight.run(kindOf(step), async () => {
      const because = this.#obstacle(step, plan, work.signal);
      if (because !== undefined) return { step, did: 'skipped', because };
      const unconfirmed = await this.#confirm(step, plan, work.signal);
      if (unconfirmed !== undefined) return unconfirmed;
      const answer = await this.#requests.send(requestFor(step), work.signal);
      const verdict = judge(step, answer);
      if ('settled' in verdict) {
        if (answer.ok && answer.object !== undefined && 'object' in step) {
          rememberAnswer(step.object, answer.object);
        }
        this.#learn(verdict.learned);
        // The server refused what the cache shows: the next plan is not to be made of the same.
        if (verdict.readBack === true) {
          const uid = 'uid' in step ? step.uid : undefined;
          await this.#readAgain({ ...targetOf(step), uid }, work.signal);
        }
        return verdict.settled;
      }
      const doubt: InDoubt = { step, error: verdict.error };
      const result = await this.#readBack(doubt, work.signal);
      if (result !== undefined) return result;
      const open = this.#inDoubt.get(idOf(work)) ?? [];
      this.#inDoubt.set(idOf(work), [...open, doubt]);
      return { step, did: 'failed', error: verdict.error };
    });
  }

  /** Why the step must not be sent now; asked directly before the send, after any wait for a place. */
  #obstacle(step: WriteStep, plan: Plan, signal: AbortSignal): SkipReason | undefined {
    return this.#mayNotWrite(signal) ?? (this.#isOutdated(step, plan) ? 'plan-outdated' : undefined);
  }

  #mayNotWrite(signal: AbortSignal): SkipReason | undefined {
    if (signal.aborted) return 'stopping';
    return this.#options.mayWrite() ? undefined : 'not-leader';
  }

  /** Before the first request of a plan. undefined: its parent is what it was made for. */
  async #confirmPlan(
    { guard, stages }: Plan,
    { signal, heldBack }: Work,
  ): Promise<readonly StepResult[] | undefined> {
    const steps = stages.flatMap((stage) => stage.steps);
    const first = steps.find((step) => step.do !== 'event' && heldBack?.has(stepId(step)) !== true);
    if (guard === undefined || first === undefined) return undefined;
    return this.#inFlight.run(`reads of ${groupResourceOf(guard.resource)}`, async () => {
      const because = this.#mayNotWrite(signal);
      if (because !== undefined) return skipAll(steps, because);
      const parent = await this.#readAgain(guard, signal);
      if ('error' in parent) return failFirst(steps, first, parent.error);
      return isAsPlanned(guard, parent.live) ? undefined : skipAll(steps, 'plan-outdated');
    });
  }

  /**
   * Directly before a step that cannot be taken back the parent once more, and before one that rests on other objects those.
   * undefined: they are as they were seen.
   */
  async #confirm(step: WriteStep, plan: Plan, signal: AbortSignal): Promise<StepResult | undefined> {
    const { guard } = plan;
    const { restsOn = [] } = step;
    const readsParent = step.irreversible === true && guard !== undefined;
    if (!readsParent && restsOn.length === 0) return undefined;
    for (const seen of restsOn) {
      const object = await this.#readAgain(seen, signal);
      if ('error' in object) return { step, did: 'failed', error: object.error };
      if (!isAsSeen(seen, object.live)) return { step, did: 'skipped', because: 'plan-outdated' };
    }
    if (readsParent) {
      const parent = await this.#readAgain(guard, signal);
      if ('error' in parent) return { step, did: 'failed', error: parent.error };
      const isStill = allowedBy(guard, parent.live) === 'everything';
      if (!isStill) return { step, did: 'skipped', because: 'plan-outdated' };
    }
    // Leadership may have ended while the answers were awaited.
    const because = this.#obstacle(step, plan, signal);
    return because === undefined ? undefined : { step, did: 'skipped', because };
  }

  /** What the server has of an object that was seen, which the cache knows from then on, whatever its stream still tells. */
  async #readAgain(
    { resource, key, uid }: Pick<Guard, 'resource' | 'key' | 'uid'>,
    signal: AbortSignal,
  ): Promise<Live> {
    const live = await this.#read(resource, key, signal);
    if (!('error' in live)) this.#learn(seenLive(resource, key, uid, live.live));
    return live;
  }

  async #read(resource: Resource<KubeObject>, key: ObjectKey, signal: AbortSignal): Promise<Live> {
    const answer = await this.#requests.send({ verb: 'get', resource, key }, signal);
    if (answer.ok) return { live: answer.object };
    return isApiError(answer.error, 'NotFound') ? { live: undefined } : { error: answer.error };
  }

  #isOutdated(step: WriteStep, plan: Plan): boolean {
    const { guard } = plan;
    if (guard === undefined) return false;
    const cache = this.#options.cacheOf(guard.resource);
    return cache !== undefined && !mayStillRun(step, allowedBy(guard, cache.get(guard.key)));
  }

  async #readBack(doubt: InDoubt, signal: AbortSignal): Promise<StepResult | undefined> {
    const { resource, key } = targetOf(doubt.step);
    const live = await this.#read(resource, key, signal);
    if ('error' in live) return undefined;
    const { settled, learned } = judgeLive(doubt.step, doubt.error, live.live);
    this.#learn(learned);
    return settled;
  }

  #learn(learned: readonly Learned[]): void {
    for (const fact of learned) {
      const cache = this.#options.cacheOf(fact.resource);
      if (cache === undefined) continue;
      if ('present' in fact) cache.wrote(fact.present);
      else cache.wroteDeletion(fact.gone.key, fact.gone.uid);
    }
  }
}

/**
 * Whether a step may still be sent under what the guard allows. Nothing is made or changed for an owner that is going.
 */
export function mayStillRun(step: WriteStep, allowed: ReturnType<typeof allowedBy>): boolean {
  if (allowed === 'everything') return true;
  if (step.do === 'delete' || step.destructive === true) return false;
  return (step.do !== 'create' && step.do !== 'apply') || allowed !== 'no-creation-either';
}

/** Names what a step does to which object; the same in each pass. */
export function stepId(step: Step): string {
  if (step.do === 'event') return `event ${step.event.reason} ${step.event.regarding.name}`;
  const { resource, key } = targetOf(step);
  return `${step.do} ${groupResourceOf(resource)} ${formatKey(key)}`;
}

/** What is slow together: a webhook is asked about the objects of one resource, and mostly of some namespaces. */
function kindOf(step: WriteStep): string {
  const { resource, key } = targetOf(step);
  const subresource = 'subresource' in step ? step.subresource : undefined;
  return [groupResourceOf(resource), subresource, key.namespace]
    .filter((part) => part !== undefined)
    .join(' ');
}

function idOf(work: Pick<Work, 'controller' | 'key'>): string {
  return `${work.controller} ${work.key}`;
}

function skipAll(steps: readonly Step[], because: SkipReason): readonly StepResult[] {
  return steps.map((step) => ({ step, did: 'skipped', because }));
}

/** One step tells why nothing is sent, for all. What the API server said was said of the read, and not of the step. */
function failFirst(steps: readonly Step[], first: Step, read: ApiError): readonly StepResult[] {
  const { code, reason, message, retryAfterMs } = read;
  const attempted = 'nothing was sent';
  const error = new ApiError({ fate: 'unsent', code, reason, message, attempted, retryAfterMs, cause: read });
  return steps.map((step) =>
    step === first
      ? { step, did: 'failed', error }
      : { step, did: 'skipped', because: 'earlier-stage-failed' },
  );
}

/**
 * The steps of a slow-start stage: what failed the last time comes last. What is held back comes first, so that it ends the stage
 * again where it ended it when it was sent, and no other steps are sent to be refused in its place.
 */
function inOrder(
  steps: readonly Step[],
  failed: ReadonlySet<string> = new Set(),
  heldBack: RefusedSteps = new Map(),
): Step[] {
  const rank = (step: Step): number => {
    const id = stepId(step);
    if (heldBack.has(id)) return 0;
    return failed.has(id) ? 2 : 1;
  };
  return [0, 1, 2].flatMap((wanted) => steps.filter((step) => rank(step) === wanted));
}

export type { Verdict };
