import type { Clock } from '@atoll/kube';

/** Requests that are answered as usual and are under way at once. */
const places = 16;
/** So long a request keeps its place, in milliseconds; an answer comes in some hundredths of that. */
const patienceMs = 2_000;
/** Requests that go on without a place, because somebody's webhook keeps them. */
const mostSlow = 48;

/** The most requests that are ever under way at once. */
export const mostRequests = places + mostSlow;

interface Waiting {
  readonly kind: string;
  readonly enter: () => void;
}

export interface InFlightOptions {
  readonly clock: Clock;
  /** Requests under way at once. Default 16. */
  readonly limit?: number;
}

/**
 * Bounds how many requests are under way at once, over everything that shares it; first come, first served. A request that
 * takes long gives its place back, so that what is slow for one kind of object (its webhook does not answer) stops no other:
 * of one kind there are never more than `limit` under way, slow ones included, and of slow ones never more than three times
 * as many.
 */
export class InFlight {
  readonly limit: number;
  readonly #clock: Clock;
  readonly #mostSlow: number;
  #free: number;
  #slow = 0;
  /** Requests under way, by kind. */
  readonly #open = new Map<string, number>();
  readonly #waiting: Waiting[] = [];

  constructor({ clock, limit = places }: InFlightOptions) {
    if (!Number.isInteger(limit) || limit < 1) throw new RangeError(`a bound of ${limit} requests in flight`);
    this.limit = limit;
    this.#clock = clock;
    this.#mostSlow = (mostSlow / places) * limit;
    this.#free = limit;
  }

  /**
   * Calls back as soon as there is a place: at once, or when it is its turn. `kind`: what may be slow together. What is entered is
   * to be left, once, when the request is over.
   */
  enter(kind: string, entered: (leave: () => void) => void): void {
    // What lets it in takes its place for it, so that a newcomer cannot overtake it.
    if (!this.#admits(kind)) this.#waiting.push({ kind, enter: () => this.#begin(kind, entered) });
    else {
      this.#take(kind);
      this.#begin(kind, entered);
    }
  }

  #begin(kind: string, entered: (leave: () => void) => void): void {
    let isSlow = false;
    const yieldPlace = (): void => {
      if (this.#slow >= this.#mostSlow) {
        cancel = this.#clock.setTimer(patienceMs, yieldPlace);
        return;
      }
      isSlow = true;
      this.#slow += 1;
      this.#free += 1;
      this.#admitNext();
    };
    let cancel = this.#clock.setTimer(patienceMs, yieldPlace);
    entered(() => {
      cancel();
      if (isSlow) this.#slow -= 1;
      else this.#free += 1;
      this.#leave(kind);
      this.#admitNext();
    });
  }

  #admits(kind: string): boolean {
    return this.#free > 0 && (this.#open.get(kind) ?? 0) < this.limit;
  }

  #take(kind: string): void {
    this.#free -= 1;
    this.#open.set(kind, (this.#open.get(kind) ?? 0) + 1);
  }

  #leave(kind: string): void {
    const left = (this.#open.get(kind) ?? 1) - 1;
    if (left === 0) this.#open.delete(kind);
    else this.#open.set(kind, left);
  }

  #admitNext(): void {
    while (this.#free > 0) {
      const index = this.#waiting.findIndex(({ kind }) => this.#admits(kind));
      const [next] = index === -1 ? [] : this.#waiting.splice(index, 1);
      if (next === undefined) return;
      this.#take(next.kind);
      next.enter();
    }
  }
}
