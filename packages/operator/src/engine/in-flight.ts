/** Bounds how many requests are under way at once, over everything that shares it. First come, first served. */
export class InFlight {
  readonly limit: number;
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(limit: number) {
    if (!Number.isInteger(limit) || limit < 1) throw new RangeError(`a bound of ${limit} requests in flight`);
    this.limit = limit;
    this.#free = limit;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The place passes on directly, so that a newcomer cannot overtake who waits.
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
