import type { Fault } from './fault.ts';
import type { ProxiedRequest } from './proxied-request.ts';
import { fits, takes } from './request-match.ts';
import type { RequestMatch } from './request-match.ts';
import { waitFor } from './wait-for.ts';

/** A fault that is at work until it is removed or has taken all its requests. */
export class Injection {
  readonly fault: Fault;
  readonly #match: RequestMatch;
  readonly #remove: () => void;
  readonly #taken: ProxiedRequest[] = [];
  #fitting = 0;

  constructor(match: RequestMatch, fault: Fault, remove: () => void) {
    this.fault = fault;
    this.#match = match;
    this.#remove = remove;
  }

  /** The requests it took, in order. */
  get taken(): readonly ProxiedRequest[] {
    return this.#taken;
  }

  /** Counts the request and yields whether the fault takes it. */
  offer(request: ProxiedRequest): boolean {
    if (!fits(this.#match, request)) return false;
    this.#fitting += 1;
    if (!takes(this.#match, this.#fitting)) return false;
    this.#taken.push(request);
    return true;
  }

  /** Resolves when it has taken so many requests; rejects after the deadline (milliseconds). */
  async whenTaken(count = 1, deadlineMs = 90_000): Promise<void> {
    await waitFor(() => this.#taken.length >= count, `the fault to take ${count} requests`, deadlineMs);
  }

  remove(): void {
    this.#remove();
  }
}
