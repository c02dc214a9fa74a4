import type { ProxiedRequest } from './proxied-request.ts';

/** What went through the proxy so far, and what is open now. */
export interface Traffic {
  /** Requests so far by `verb resource`, subresources as `verb resource/subresource`. */
  readonly requests: Readonly<Record<string, number>>;
  readonly total: number;
  /** The most requests that began within one second of the clock: what a request storm raises. */
  readonly busiestSecond: number;
  readonly openConnections: number;
  /** Connections accepted so far. */
  readonly connections: number;
  /** Watch streams open now, by resource. */
  readonly openWatches: Readonly<Record<string, number>>;
  /** Requests that have not been answered to the end, watches included. */
  readonly inFlight: number;
  /** Why requests got no answer from the API server itself, newest last; at most 20. */
  readonly unanswered: readonly string[];
}

/** Counts requests, connections and streams. */
export class TrafficCounter {
  #requests = new Map<string, number>();
  #watches = new Map<string, number>();
  #total = 0;
  #second = 0;
  #inSecond = 0;
  #busiestSecond = 0;
  #openConnections = 0;
  #connections = 0;
  #inFlight = 0;
  #unanswered: string[] = [];

  connected(): void {
    this.#connections += 1;
    this.#openConnections += 1;
  }

  disconnected(): void {
    this.#openConnections -= 1;
  }

  began(request: ProxiedRequest): void {
    const what =
      request.subresource === undefined ? request.resource : `${request.resource}/${request.subresource}`;
    add(this.#requests, `${request.verb} ${what === '' ? request.path : what}`, 1);
    if (request.verb === 'watch') add(this.#watches, request.resource, 1);
    this.#inFlight += 1;
    this.#total += 1;
    const second = Math.floor(Date.now() / 1000);
    this.#inSecond = second === this.#second ? this.#inSecond + 1 : 1;
    this.#second = second;
    this.#busiestSecond = Math.max(this.#busiestSecond, this.#inSecond);
  }

  ended(request: ProxiedRequest): void {
    this.#inFlight -= 1;
    if (request.verb === 'watch') add(this.#watches, request.resource, -1);
  }

  unanswered(request: ProxiedRequest, error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    this.#unanswered = [...this.#unanswered.slice(-19), `${request.method} ${request.path}: ${why}`];
  }

  /** Starts the counts of the past anew; what is open stays counted. */
  reset(): void {
    this.#requests = new Map();
    this.#total = 0;
    this.#inSecond = 0;
    this.#busiestSecond = 0;
    this.#unanswered = [];
    this.#connections = this.#openConnections;
  }

  read(): Traffic {
    return {
      requests: Object.fromEntries(this.#requests),
      total: this.#total,
      busiestSecond: this.#busiestSecond,
      openConnections: this.#openConnections,
      connections: this.#connections,
      openWatches: Object.fromEntries([...this.#watches].filter(([, open]) => open > 0)),
      inFlight: this.#inFlight,
      unanswered: this.#unanswered,
    };
  }
}

function add(counts: Map<string, number>, key: string, amount: number): void {
  counts.set(key, (counts.get(key) ?? 0) + amount);
}
