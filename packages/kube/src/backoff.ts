export interface BackoffLimits {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** Waits that double with every failure of a key: `baseMs · 2ⁿ`, at most `maxMs`. */
export class Backoff {
  readonly #limits: BackoffLimits;
  readonly #failures = new Map<string, number>();

  constructor(limits: BackoffLimits) {
    this.#limits = limits;
  }

  /** Counts a failure and yields how long to wait, in milliseconds. */
  next(key: string): number {
    const failures = this.failures(key);
    this.#failures.set(key, failures + 1);
    return Math.min(this.#limits.baseMs * 2 ** failures, this.#limits.maxMs);
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }

  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }
}
