import type { Clock, Instant } from '../clock/clock.ts';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

/** A clock for tests: time stands still until it is advanced, and timers fire in their order. */
export class FakeClock implements Clock {
  readonly #epoch: Instant;
  readonly #timers = new Set<Timer>();
  #elapsed = 0;
  #skew = 0;
  #order = 0;

  constructor(epoch: Instant = Date.UTC(2026, 0, 1)) {
    this.#epoch = epoch;
  }

  now(): Instant {
    return this.#epoch + this.#elapsed + this.#skew;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  /** What is computed takes no time, as by the other clocks. */
  processorMs(): number {
    return 0;
  }

  setTimer(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.#elapsed + Math.max(0, milliseconds), order: this.#order++, callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** How many timers wait. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Steps the wall clock, as an administrator or NTP would; the monotonic clock and timers do not notice. */
  stepWallClock(milliseconds: number): void {
    this.#skew += milliseconds;
  }

  /**
   * Lets time pass: fires due timers one by one at their own instants, and lets promises resolve before the next.
   */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#elapsed + milliseconds;
    await flushTasks();
    for (;;) {
      const next = this.#next();
      if (next === undefined || next.at > end) break;
      this.#elapsed = Math.max(this.#elapsed, next.at);
      this.#timers.delete(next);
      next.callback();
      await flushTasks();
    }
    this.#elapsed = end;
    await flushTasks();
  }

  /** Time passes and nobody runs, as in a process that is stopped: timers that became due fire only on {@link advance}. */
  freeze(milliseconds: number): void {
    this.#elapsed += milliseconds;
  }

  #next(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (first === undefined || timer.at < first.at || (timer.at === first.at && timer.order < first.order))
        first = timer;
    }
    return first;
  }
}

/** Lets every promise resolve that can without a timer. */
export function flushTasks(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
