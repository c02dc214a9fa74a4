import { waitFor } from './wait-for.ts';
import { fits } from './request-match.ts';
import type { RequestMatch } from './request-match.ts';
import type { ProxiedRequest } from './proxied-request.ts';
import type { HeldEvent, StreamRule, WatchStream } from './watch-stream.ts';

export interface WatchHoldHost {
  readonly streams: Iterable<WatchStream>;
  removeStreamRule(rule: StreamRule): void;
  /** The next watch that fits and continues from a resourceVersion is answered with 410. */
  expireNext(match: RequestMatch): void;
}

/**
 * Holds whole watch streams, those that are open and those that will be: the API server's events pile up in the
 * proxy, bookmarks and the initial events of a new stream included. Ends with `release`, `cut` or `expire`.
 */
export class WatchHold {
  readonly kind = 'hold';
  readonly #match: RequestMatch;
  readonly #host: WatchHoldHost;
  readonly #since = Date.now();
  #until: number | undefined;

  constructor(match: RequestMatch, host: WatchHoldHost) {
    this.#match = match;
    this.#host = host;
  }

  concerns(request: ProxiedRequest): boolean {
    return fits(this.#match, request);
  }

  /** How long it holds, or held, in milliseconds. */
  get heldForMs(): number {
    return (this.#until ?? Date.now()) - this.#since;
  }

  /** What is held back now: by stream, each in its order. */
  heldEvents(): readonly HeldEvent[] {
    return this.#streams().flatMap((stream) => stream.heldEvents());
  }

  /** Resolves when what is held back satisfies the condition; rejects after the deadline (milliseconds). */
  async whenHolding(
    condition: (held: readonly HeldEvent[]) => boolean,
    deadlineMs = 90_000,
  ): Promise<readonly HeldEvent[]> {
    await waitFor(() => condition(this.heldEvents()), 'the held events to satisfy the condition', deadlineMs);
    return this.heldEvents();
  }

  /** Passes on the event that waits longest and goes on holding. False where nothing waits. */
  releaseOne(): boolean {
    const waiting = this.#streams().filter((stream) => stream.waiting > 0);
    waiting.sort((a, b) => (a.waitingSince ?? 0) - (b.waitingSince ?? 0));
    const oldest = waiting[0];
    oldest?.passOne();
    return oldest !== undefined;
  }

  /** Passes on everything at once and ends the hold. */
  release(): void {
    this.#end();
  }

  /** Drops the connections with what they hold and ends the hold: the client asks again from where it was. */
  cut(): void {
    for (const stream of this.#streams()) stream.cut();
    this.#end();
  }

  /**
   * Ends the streams with 410 Expired in place of what they hold, so that the client must list again, and ends
   * the hold. Where no stream is open, the next one that continues from a resourceVersion gets the 410.
   */
  expire(): void {
    const streams = this.#streams();
    for (const stream of streams) stream.expire();
    this.#end();
    if (streams.length === 0) this.#host.expireNext(this.#match);
  }

  #streams(): WatchStream[] {
    return [...this.#host.streams].filter((stream) => !stream.over && this.concerns(stream.request));
  }

  /** The streams that are still open move on by themselves when nothing holds them. */
  #end(): void {
    this.#until ??= Date.now();
    this.#host.removeStreamRule(this);
  }
}
