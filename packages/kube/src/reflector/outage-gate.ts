import { ApiError, isApiError } from '../client/api-error.ts';
import type { Clock } from '../clock/clock.ts';

const firstPauseMs = 500;
const longestPauseMs = 5_000;
/** While one request finds out whether the server is back, the others wait at least so long. */
const probeMs = 1_000;

/**
 * Keeps a server that cannot be reached from being asked by everybody: after a request that could not be sent, all
 * others fail at once, without a connection, and get the time to come back. Then one of them tries; the pause grows
 * while it fails. So an outage costs a handful of connections, however many objects wait for it to end.
 */
export class OutageGate {
  readonly #clock: Clock;
  readonly #random: () => number;
  #failures = 0;
  #closedUntil = -Infinity;

  constructor(clock: Clock, random: () => number = Math.random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Sends the request, or rejects with an `ApiError` of fate `unsent` with the milliseconds after which to try again. */
  async pass<T>(attempted: string, send: () => Promise<T>): Promise<T> {
    const now = this.#clock.monotonic();
    if (now < this.#closedUntil) throw this.#refusal(attempted, this.#closedUntil - now);
    const outage = this.#failures;
    if (outage > 0) this.#closedUntil = now + probeMs;
    try {
      const answer = await send();
      this.#open();
      return answer;
    } catch (error) {
      if (isApiError(error, 'NetworkError') && error.fate === 'unsent') this.#close(outage);
      else if (isApiError(error) && error.code !== 0) this.#open();
      throw error;
    }
  }

  #open(): void {
    this.#failures = 0;
    this.#closedUntil = -Infinity;
  }

  /** Requests that were sent at the same stage of an outage count as one failure. */
  #close(outage: number): void {
    if (outage !== this.#failures) return;
    const now = this.#clock.monotonic();
    this.#failures += 1;
    const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** (this.#failures - 1));
    this.#closedUntil = now + pause * (0.75 + this.#random() / 4);
  }

  /** Not all come back at the same moment. */
  #refusal(attempted: string, remainingMs: number): ApiError {
    return new ApiError({
      fate: 'unsent',
      code: 0,
      reason: 'NetworkError',
      attempted,
      message: 'the API server could not be reached a moment ago',
      retryAfterMs: remainingMs + probeMs * this.#random(),
    });
  }
}
