import type { Clock } from '../clock/clock.ts';

/**
 * How much time a request has left. It asks the clocks and no timer: in a process that was stopped for a while, what
 * came in from sockets runs before the timers that are due. The wall clock is asked too, as the monotonic one stands
 * still while a machine is suspended.
 */
export class TimeLimit {
  readonly totalMs: number;
  readonly #clock: Clock;
  readonly #until: { readonly monotonic: number; readonly wall: number };

  constructor(clock: Clock, totalMs: number) {
    this.totalMs = totalMs;
    this.#clock = clock;
    this.#until = { monotonic: clock.monotonic() + totalMs, wall: clock.now() + totalMs };
  }

  /** Milliseconds; 0 or less when the time is over. */
  remainingMs(): number {
    const { monotonic, wall } = this.#until;
    return Math.min(monotonic - this.#clock.monotonic(), wall - this.#clock.now());
  }
}
