/** Requests under way at once for one resource in one namespace. */
const defaultLimit = 16;

/** The most requests that are ever under way at once. */
export const mostRequests = 4 * defaultLimit;

/** On whose behalf a request is sent. */
export interface Requester {
  readonly controller: string;
  readonly key: string;
}

/** Requests that may be slow together: a webhook is asked about the writes of one resource, and mostly of some namespaces. */
export interface RequestClass {
  readonly resource: string;
  readonly namespace: string | undefined;
}

export interface InFlightOptions {
  /** Requests under way at once for one resource in one namespace. Default 16. */
  readonly limit?: number;
}

/** Requests under way that share something, and how many of them there may be. */
interface Scope {
  readonly id: string;
  readonly limit: number;
}

/** The requests of one key for one resource that wait, first come, first served. */
interface Line {
  readonly scopes: readonly Scope[];
  readonly waiting: (() => void)[];
}

/**
 * Bounds how many requests are under way at once, and shares them between keys in turn: a single request of one key goes before the
 * second of any key that waits as well, however many steps that one has. Four bounds, each for what may be slow together, because
 * a webhook takes seconds for an answer: `limit` for a resource in a namespace, twice that for a resource, three times that for a
 * controller, four times that for the process. So a namespace, a resource or a controller whose requests are slow leaves
 * room for the others.
 */
export class InFlight {
  readonly limit: number;
  /** Requests under way, by scope. */
  readonly #open = new Map<string, number>();
  /** In the order of their turns. */
  readonly #lines = new Map<string, Line>();
  /** They have their place and go on one after the other: what leaves at once must not go on within the one before it. */
  readonly #entering: (() => void)[] = [];
  #isEntering = false;

  constructor({ limit = defaultLimit }: InFlightOptions = {}) {
    if (!Number.isInteger(limit) || limit < 1) throw new RangeError(`a bound of ${limit} requests in flight`);
    this.limit = limit;
  }

  /**
   * Calls back as soon as there is a place: at once, or when it is its turn. What has entered is to leave, once, when the request is
   * over.
   */
  enter({ controller, key }: Requester, of: RequestClass, entered: (leave: () => void) => void): void {
    const { resource, namespace = '' } = of;
    const scopes: readonly Scope[] = [
      { id: 'process', limit: 4 * this.limit },
      { id: `controller ${controller}`, limit: 3 * this.limit },
      { id: `resource ${resource}`, limit: 2 * this.limit },
      { id: `resource ${resource} in ${namespace}`, limit: this.limit },
    ];
    const enter = (): void =>
      entered(() => {
        this.#leave(scopes);
        this.#admitWaiting();
      });
    if (this.#admits(scopes)) {
      this.#take(scopes);
      enter();
    } else {
      const id = [controller, key, resource, namespace].join(' ');
      const line = this.#lines.get(id) ?? { scopes, waiting: [] };
      line.waiting.push(enter);
      this.#lines.set(id, line);
    }
  }

  #admits(scopes: readonly Scope[]): boolean {
    return scopes.every(({ id, limit }) => (this.#open.get(id) ?? 0) < limit);
  }

  #take(scopes: readonly Scope[]): void {
    for (const { id } of scopes) this.#open.set(id, (this.#open.get(id) ?? 0) + 1);
  }

  #leave(scopes: readonly Scope[]): void {
    for (const { id } of scopes) {
      const left = (this.#open.get(id) ?? 1) - 1;
      if (left === 0) this.#open.delete(id);
      else this.#open.set(id, left);
    }
  }

  /** Each line that may goes on by one request and then stands behind all others. */
  #admitWaiting(): void {
    for (const [id, line] of this.#lines) {
      if (!this.#admits(line.scopes)) continue;
      this.#take(line.scopes);
      this.#lines.delete(id);
      this.#entering.push(...line.waiting.splice(0, 1));
      // The loop comes to it again: what is put back is visited after all others.
      if (line.waiting.length > 0) this.#lines.set(id, line);
    }
    // All places are given before anything goes on, so that what it begins cannot overtake what waits.
    if (this.#isEntering) return;
    this.#isEntering = true;
    try {
      for (let enter = this.#entering.shift(); enter !== undefined; enter = this.#entering.shift()) enter();
    } finally {
      this.#isEntering = false;
    }
  }
}
