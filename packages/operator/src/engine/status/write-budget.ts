import type { Instant } from '@atoll/kube';

export interface BudgetLimits {
  /** Writes a second, of all objects together. */
  readonly perSecond: number;
  /** So many may go together after a quiet time. */
  readonly burst: number;
}

const usual: BudgetLimits = { perSecond: 5, burst: 50 };
/** However many have gone before, nothing waits longer for its turn. */
export const longestWaitMs = 60_000;

/**
 * A token bucket for the status writes of all objects that only count. What goes without asking takes a token as well, so that what
 * counts waits while many conditions turn.
 */
export class WriteBudget {
  readonly #msPerWrite: number;
  readonly #burst: number;
  #paidAt: Instant;

  /** `paidAt`: of another budget, which this one goes on with. */
  constructor({ perSecond, burst } = usual, paidAt: Instant = -Infinity) {
    this.#msPerWrite = 1_000 / perSecond;
    this.#burst = burst;
    this.#paidAt = paidAt;
  }

  /** When all writes so far are paid for: all that a budget remembers. */
  get paidAt(): Instant {
    return this.#paidAt;
  }

  /** Takes a token; returns when the write that it is for may go: now, or later. */
  take(now: Instant): Instant {
    const full = now - this.#burst * this.#msPerWrite;
    // Nobody owes as much as that but by a clock that was set back.
    const owed = this.#paidAt > now + longestWaitMs ? full : Math.max(this.#paidAt, full);
    this.#paidAt = Math.min(owed + this.#msPerWrite, now + longestWaitMs);
    return Math.max(now, this.#paidAt);
  }
}
