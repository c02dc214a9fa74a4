import { Backoff, isApiError, type ApiError } from '@atoll/kube';
import { stepId } from '../step-id.ts';
import type { StepResult } from '../../step.ts';

/** What the API server answered, by the id of the step that it refused. */
export type RefusedSteps = ReadonlyMap<string, ApiError>;

/**
 * A quota or a policy refuses until a person changes something, so the same write is not sent with every reconcile: once more
 * after a second, because some refusals pass (the usage of a new quota is not known yet), then after ten, then every thirty.
 */
const limits = { baseMs: 1_000, factor: 10, maxMs: 30_000 };

/** The longest time between two retries of what is refused. */
export const refusedRetryMs = limits.maxMs;

/**
 * Remembers for each key which steps the API server refused. Reconciles that are caused by other things, as the status of
 * children, do not send them again before they are due, and neither raise nor postpone the retry. A change that may end the
 * refusal has them sent at once. Times are milliseconds of a clock that never jumps.
 */
export class Refusals {
  readonly #backoff = new Backoff(limits);
  readonly #refused = new Map<string, RefusedSteps>();
  readonly #changed = new Set<string>();
  /** Keys whose present reconcile sends everything because of a change. */
  readonly #retrying = new Set<string>();

  /** The key's object, its place or its children changed. To be called before the reconcile that this causes. */
  changed(key: string): void {
    this.#changed.add(key);
  }

  /** At the beginning of a reconcile: the steps that are not to be sent, with the answers that they got. */
  heldBack(key: string, at: number): RefusedSteps | undefined {
    const isDue = this.#backoff.waitMs(key, at) === 0;
    // Until it has ended with an outcome: what is planned first may only be acknowledged.
    if (this.#changed.delete(key)) this.#retrying.add(key);
    return this.#retrying.has(key) || isDue ? undefined : this.#refused.get(key);
  }

  /** At its end. Returns in how many milliseconds what was refused is due again; undefined: nothing was. */
  ended(key: string, results: readonly StepResult[], at: number): number | undefined {
    const known = this.#refused.get(key);
    const retrying = this.#retrying.delete(key);
    const refused = new Map<string, ApiError>();
    let wasRetry = false;
    let wasHeldBack = false;
    let wasSkipped = false;
    for (const result of results) {
      const id = stepId(result.step);
      const isHeldBack = result.did === 'failed' && result.heldBack === true;
      if (result.did === 'failed' && isLasting(result.error)) {
        // What waits for another reason was not refused.
        if (isHeldBack && known?.get(id) !== result.error) continue;
        refused.set(id, result.error);
        wasRetry ||= !isHeldBack;
        wasHeldBack ||= isHeldBack;
      }
      // What was not sent is as refused as it was.
      const before = result.did === 'skipped' ? known?.get(id) : undefined;
      if (before === undefined) continue;
      refused.set(id, before);
      wasSkipped = true;
    }
    if (refused.size === 0) {
      this.#forget(key);
      return undefined;
    }
    // Nothing of the plan was sent, so the change is not answered yet.
    if (retrying && wasSkipped && !wasRetry) this.changed(key);
    this.#refused.set(key, refused);
    // A reconcile that held something back was no retry, even if the retry became due meanwhile.
    return wasRetry && !wasHeldBack ? this.#backoff.next(key, at) : this.#backoff.waitMs(key, at);
  }

  /** The key's object is gone. */
  gone(key: string): void {
    this.#forget(key);
    this.#changed.delete(key);
  }

  #forget(key: string): void {
    this.#refused.delete(key);
    this.#retrying.delete(key);
    this.#backoff.forget(key);
  }
}

/** Whether the answer stays the same until something changes. A conflict passes: of two creations at once a quota refuses one. */
export function isLasting(error: ApiError): boolean {
  return error.fate === 'refused' && error.code !== 429 && !isApiError(error, 'Conflict');
}
