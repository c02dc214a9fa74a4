import type { Clock, Instant } from './clock.ts';

/** An answer of the server: when it wrote it, in whole seconds, and how long the request was under way. */
export interface DatedAnswer {
  /** The `Date` header. */
  readonly date: string | undefined;
  readonly durationMs: number;
}

/** What is known of the server's time at one moment of the monotonic clock. */
interface Bounds {
  readonly at: number;
  readonly earliest: Instant;
  readonly latest: Instant;
}

/**
 * The clock of this machine, kept within what the API server's answers prove of its time. The times in objects are the server's: a machine whose
 * clock is an hour ahead would take a pod that was made just now for one that has been starting for an hour. Between two answers the
 * monotonic clock counts, so that a clock that jumps changes nothing. Before the first answer it is the clock of the machine.
 */
export class ServerClock implements Clock {
  readonly #own: Clock;
  #bounds: Bounds | undefined;

  constructor(own: Clock) {
    this.#own = own;
  }

  now(): Instant {
    const own = this.#own.now();
    if (this.#bounds === undefined) return own;
    const { earliest, latest } = this.#boundsNow(this.#bounds);
    return Math.round(Math.min(Math.max(own, earliest), latest));
  }

  /** By how many milliseconds the clock of the machine is ahead of what is possible; below 0: behind; 0: it is right, or nothing is known. */
  aheadMs(): number {
    return this.#own.now() - this.now();
  }

  monotonic(): number {
    return this.#own.monotonic();
  }

  processorMs(): number {
    return this.#own.processorMs();
  }

  setTimer(milliseconds: number, callback: () => void): () => void {
    return this.#own.setTimer(milliseconds, callback);
  }

  /** The server wrote it at some moment of the request. Where the server's clock was set meanwhile, the newest answer counts. */
  answered({ date, durationMs }: DatedAnswer): void {
    const written = Date.parse(date ?? '');
    if (Number.isNaN(written)) return;
    const newest = { at: this.monotonic(), earliest: written, latest: written + 1_000 + durationMs };
    this.#bounds = this.#bounds === undefined ? newest : within(this.#boundsNow(this.#bounds), newest);
  }

  #boundsNow({ at, earliest, latest }: Bounds): Bounds {
    const now = this.monotonic();
    return { at: now, earliest: earliest + now - at, latest: latest + now - at };
  }
}

function within(known: Bounds, newest: Bounds): Bounds {
  const earliest = Math.max(known.earliest, newest.earliest);
  const latest = Math.min(known.latest, newest.latest);
  return earliest <= latest ? { at: newest.at, earliest, latest } : newest;
}
