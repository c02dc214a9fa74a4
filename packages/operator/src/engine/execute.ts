import { ApiError, formatKey, groupResourceOf, isApiError } from '@atoll/kube';
import type { ApplyOptions, Client, KubeObject, Resource, Stored, WriteThroughCache } from '@atoll/kube';
import { rememberAnswer } from './answers.ts';
import { isForsaken } from './follows.ts';
import { InFlight } from './in-flight.ts';
import { judge, judgeLive } from './judge.ts';
import type { Learned, Verdict } from './judge.ts';
import type { Plan, Stage } from './plan.ts';
import { allowedBy } from './plan.ts';
import type { RefusedSteps } from './refusals.ts';
import { requestFor, targetOf } from './request.ts';
import type { Answer, Request, WriteStep } from './request.ts';
import type { Outcome, PlannedEvent, SkipReason, Step, StepResult } from './step.ts';

/** What the executor needs of a client. */
export interface ExecutorClient extends Pick<Client, 'get' | 'create' | 'patch' | 'apply' | 'delete'> {
  /** Server-side apply that only creates: `AlreadyExists` (or `Conflict`) where the name is taken. */
  createByApply<T extends KubeObject>(
    resource: Resource<T>,
    object: object & KubeObject,
    options: ApplyOptions,
  ): Promise<Stored<T>>;
}

export interface ExecutorOptions {
  readonly client: ExecutorClient;
  /** The cache that a resource's decisions are read from; undefined where nobody reads it. */
  readonly cacheOf: (resource: Resource<KubeObject>) => WriteThroughCache<KubeObject> | undefined;
  /** False the moment leadership is in doubt; asked directly before each send (F4). */
  readonly mayWrite: () => boolean;
  readonly fieldManager: string;
  readonly recordEvent: (event: PlannedEvent) => void;
  /** Requests under way at once, over all keys and controllers. Default 16. */
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

/** So many failures in a row end a slow-start stage. */
const failuresThatEndAStage = 10;

/** The one place that writes. Knows requests, caches and leadership, and nothing of any kind. */
export class Executor {
  readonly #options: ExecutorOptions;
  readonly #inFlight: InFlight;
  /** Writes whose response was lost and that could not be read back yet, by controller and key. */
  readonly #inDoubt = new Map<string, readonly InDoubt[]>();
  /** Steps of slow-start stages that failed when last tried, by controller and key: tried last in the next pass. */
  readonly #failedLast = new Map<string, ReadonlySet<string>>();

  constructor(options: ExecutorOptions) {
    this.#options = options;
    this.#inFlight = new InFlight(options.requestsInFlight ?? 16);
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

  /** Runs the plan's stages in order. Never rejects: each step's fate is in the outcome. */
  async execute(plan: Plan, work: Work): Promise<Outcome> {
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
    return this.#inFlight.run(async () => {
      const because = this.#obstacle(step, plan, work.signal);
      if (because !== undefined) return { step, did: 'skipped', because };
      const unconfirmed =
        step.irreversible === true ? await this.#confirm(step, plan, work.signal) : undefined;
      if (unconfirmed !== undefined) return unconfirmed;
      const answer = await this.#send(requestFor(step), work.signal);
      const verdict = judge(step, answer);
      if ('settled' in verdict) {
        if (answer.ok && answer.object !== undefined && 'object' in step) {
          rememberAnswer(step.object, answer.object);
        }
        this.#learn(verdict.learned);
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
    if (signal.aborted) return 'stopping';
    if (!this.#options.mayWrite()) return 'not-leader';
    return this.#isOutdated(step, plan) ? 'plan-outdated' : undefined;
  }

  /** Reads the plan's parent live. undefined: it is as the guard says. */
  async #confirm(step: WriteStep, plan: Plan, signal: AbortSignal): Promise<StepResult | undefined> {
    const { guard } = plan;
    if (guard === undefined) return undefined;
    const { resource, key } = guard;
    const answer = await this.#send({ verb: 'get', resource, key }, signal);
    if (!answer.ok && !isApiError(answer.error, 'NotFound'))
      return { step, did: 'failed', error: answer.error };
    const live = answer.ok ? answer.object : undefined;
    if (live !== undefined) this.#learn([{ resource, present: live }]);
    // Leadership may have ended while the answer was awaited.
    const because =
      allowedBy(guard, live) === 'everything' ? this.#obstacle(step, plan, signal) : 'plan-outdated';
    return because === undefined ? undefined : { step, did: 'skipped', because };
  }

  #isOutdated(step: WriteStep, plan: Plan): boolean {
    const { guard } = plan;
    if (guard === undefined) return false;
    const cache = this.#options.cacheOf(guard.resource);
    return cache !== undefined && !mayStillRun(step, allowedBy(guard, cache.get(guard.key)));
  }

  async #readBack(doubt: InDoubt, signal: AbortSignal): Promise<StepResult | undefined> {
    const { resource, key } = targetOf(doubt.step);
    const answer = await this.#send({ verb: 'get', resource, key }, signal);
    if (!answer.ok && !isApiError(answer.error, 'NotFound')) return undefined;
    const { settled, learned } = judgeLive(doubt.step, doubt.error, answer.ok ? answer.object : undefined);
    this.#learn(learned);
    return settled;
  }

  async #send(request: Request, signal: AbortSignal): Promise<Answer> {
    try {
      return { ok: true, object: await this.#call(request, signal) };
    } catch (error) {
      return { ok: false, error: error instanceof ApiError ? error : unexpected(request, error) };
    }
  }

  async #call(request: Request, signal: AbortSignal): Promise<Stored<KubeObject> | undefined> {
    const { client, fieldManager } = this.#options;
    const { resource } = request;
    const options = { signal, fieldManager, ...this.#reading(resource) };
    switch (request.verb) {
      case 'get':
        return client.get(resource, request.key, { signal });
      case 'create':
        return client.create(resource, request.object, options);
      case 'create-by-apply':
        return client.createByApply(resource, request.object, { ...options, force: true });
      case 'apply':
        return client.apply(resource, request.object, { ...options, force: true });
      case 'patch': {
        const { subresource } = request;
        const where = subresource === undefined ? {} : { subresource };
        return client.patch(resource, request.key, request.patch, { ...options, ...where });
      }
      case 'delete':
        return client.delete(resource, request.key, { signal, ...request.options });
    }
  }

  /** What nobody keeps of an answer is not read. */
  #reading(resource: Resource<KubeObject>): { readonly read?: (answer: Buffer) => Stored<KubeObject> } {
    const cache = this.#options.cacheOf(resource);
    return cache?.decode === undefined ? {} : { read: cache.decode.bind(cache) };
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

function idOf(work: Pick<Work, 'controller' | 'key'>): string {
  return `${work.controller} ${work.key}`;
}

function skipAll(steps: readonly Step[], because: SkipReason): readonly StepResult[] {
  return steps.map((step) => ({ step, did: 'skipped', because }));
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

/** A client that rejects with anything but an ApiError is a defect; what it did on the server is unknown. */
function unexpected(request: Request, error: unknown): ApiError {
  const message = error instanceof Error ? error.message : String(error);
  const attempted = `${request.verb} ${groupResourceOf(request.resource)}`;
  return new ApiError({
    fate: 'in-doubt',
    code: 0,
    reason: 'InternalError',
    attempted,
    message,
    cause: error,
  });
}

export type { Verdict };
