/** The first and the longest wait, in milliseconds. */
export interface BackoffLimits {
  readonly baseMs: number;
  readonly maxMs: number;
  /** By how much each wait is longer than the one before. Default 2. */
  readonly factor?: number;
}

interface Retry {
  readonly failures: number;
  /** When the retry is due, in milliseconds of a clock that never jumps. */
  readonly dueAt: number;
}

/**
 * Waits that grow with every failed retry of a key: `baseMs · factorⁿ`, at most `maxMs`. What fails before the retry is due
 * was caused by something else, an event mostly: it neither lengthens the wait nor postpones the retry.
 */
export class Backoff {
  readonly #limits: BackoffLimits;
  readonly #retries = new Map<string, Retry>();

  constructor(limits: BackoffLimits) {
    this.#limits = limits;
  }

  /** Counts a failure, and returns in how many milliseconds the retry is due. `at`: now. */
  next(key: string, at: number): number {
    const leftMs = this.waitMs(key, at);
    if (leftMs > 0) return leftMs;
    const { baseMs, maxMs, factor = 2 } = this.#limits;
    const failures = this.failures(key);
    const waitMs = Math.min(baseMs * factor ** failures, maxMs);
    this.#retries.set(key, { failures: failures + 1, dueAt: at + waitMs });
    return waitMs;
  }

  /** In how many milliseconds the retry is due; 0: now, or there is none. */
  waitMs(key: string, at: number): number {
    const dueAt = this.#retries.get(key)?.dueAt ?? at;
    return Math.max(0, dueAt - at);
  }

  forget(key: string): void {
    this.#retries.delete(key);
  }

  /** How often the key failed since {@link forget}, without what failed before its retry was due. */
  failures(key: string): number {
    return this.#retries.get(key)?.failures ?? 0;
  }
}
