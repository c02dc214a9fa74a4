import type { ProxiedRequest } from './proxied-request.ts';
import { fits, takes } from './request-match.ts';
import type { RequestMatch } from './request-match.ts';
import { waitFor } from './wait-for.ts';

/** The API server's answer to a request that was forwarded late. */
export interface LateAnswer {
  readonly request: ProxiedRequest;
  readonly code: number;
  readonly body: string;
}

interface Kept {
  readonly request: ProxiedRequest;
  readonly forward: () => Promise<LateAnswer>;
  readonly drop: () => void;
}

/**
 * Requests on their way that have not arrived yet: they are kept when their sender is long gone, and may be
 * forwarded at any later moment.
 */
export class KeptRequests {
  readonly #match: RequestMatch;
  readonly #remove: () => void;
  #fitting = 0;
  #kept: Kept[] = [];

  constructor(match: RequestMatch, remove: () => void) {
    this.#match = match;
    this.#remove = remove;
  }

  /** What is kept now, in order of arrival. */
  get requests(): readonly ProxiedRequest[] {
    return this.#kept.map((kept) => kept.request);
  }

  offer(request: ProxiedRequest): boolean {
    if (!fits(this.#match, request)) return false;
    this.#fitting += 1;
    return takes(this.#match, this.#fitting);
  }

  keep(kept: Kept): void {
    this.#kept.push(kept);
  }

  /** Resolves when so many requests are kept; rejects after the deadline (milliseconds). */
  async whenKept(count = 1, deadlineMs = 90_000): Promise<void> {
    await waitFor(() => this.#kept.length >= count, `${count} kept requests`, deadlineMs);
  }

  /** Forwards what is kept, one after the other; a sender that is still there gets its answer. */
  async forward(): Promise<readonly LateAnswer[]> {
    const kept = this.#kept;
    this.#kept = [];
    const answers: LateAnswer[] = [];
    for (const { forward } of kept) answers.push(await forward());
    return answers;
  }

  /** Keeps no further requests; what is kept stays until `forward` or `drop`. */
  remove(): void {
    this.#remove();
  }

  /** Forgets what is kept: it never arrives, and senders that are still there see their connection reset. */
  drop(): void {
    const kept = this.#kept;
    this.#kept = [];
    for (const { drop } of kept) drop();
  }
}
