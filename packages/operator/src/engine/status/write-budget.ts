import type { Instant } from '@atoll/kube';

/** Writes a second, of all objects together. */
const perSecond = 5;
/** So many may go together after a quiet time. */
const burst = 50;
/** However many have gone before, nothing waits longer for its turn. */
export const longestWaitMs = 60_000;

const msPerWrite = 1_000 / perSecond;

/**
 * A token bucket for the status writes of all objects that only count. What goes without asking takes a token as well, so that what
 * counts waits while many conditions turn.
 */
export class WriteBudget {
  /** When all writes so far are paid for. */
  #paidAt: Instant = -Infinity;

  /** Takes a token; returns when the write that it is for may go: now, or later. */
  take(now: Instant): Instant {
    const full = now - burst * msPerWrite;
    // Nobody owes as much as that but by a clock that was set back.
    const owed = this.#paidAt > now + longestWaitMs ? full : Math.max(this.#paidAt, full);
    this.#paidAt = Math.min(owed + msPerWrite, now + longestWaitMs);
    return Math.max(now, this.#paidAt);
  }
}
