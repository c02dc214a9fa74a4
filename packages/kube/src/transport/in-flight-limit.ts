/** Lets at most `limit` holders in at a time; the others wait in the order in which they came. */
export class InFlightLimit {
  readonly #limit: number;
  readonly #waiting = new Set<() => void>();
  #held = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get held(): number {
    return this.#held;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Resolves with true where a place was given; with false where the signal ended first. */
  enter(signal?: AbortSignal): Promise<boolean> {
    if (signal?.aborted === true) return Promise.resolve(false);
    if (this.#held < this.#limit) {
      this.#held += 1;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const end = (entered: boolean): void => {
        this.#waiting.delete(admit);
        signal?.removeEventListener('abort', leave);
        resolve(entered);
      };
      const admit = (): void => end(true);
      const leave = (): void => end(false);
      this.#waiting.add(admit);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  /** Gives the place to the next in line. */
  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#held -= 1;
    else next();
  }
}
