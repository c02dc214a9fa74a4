import { fits } from './request-match.ts';
import type { RequestMatch } from './request-match.ts';
import type { ProxiedRequest } from './proxied-request.ts';
import { waitFor } from './wait-for.ts';
import type { Turn, WatchStream } from './watch-stream.ts';

/** How a watch stream ends; counted in events that pass first, bookmarks included. */
export interface StreamEnding {
  /** `cut`: the connection is dropped. `stall`: it stays open and nothing comes any more. */
  readonly how: 'cut' | 'cut-in-mid-event' | 'stall';
  /** So many events pass before. Default 0: the very next one is not passed whole. */
  readonly afterEvents?: number;
  /** So many streams end like this. Default 1. */
  readonly times?: number;
}

/** Ends streams, open ones and new ones alike, after a number of events. */
export class StreamCut {
  readonly kind = 'ending';
  readonly #match: RequestMatch;
  readonly #ending: StreamEnding;
  readonly #passed = new WeakMap<WatchStream, number>();
  readonly #remove: () => void;
  #hits = 0;

  constructor(match: RequestMatch, ending: StreamEnding, remove: () => void) {
    this.#match = match;
    this.#ending = ending;
    this.#remove = remove;
  }

  /** How many streams it ended. */
  get hits(): number {
    return this.#hits;
  }

  concerns(request: ProxiedRequest): boolean {
    return this.#hits < (this.#ending.times ?? 1) && fits(this.#match, request);
  }

  turnOf(stream: WatchStream): Turn {
    if (this.#hits >= (this.#ending.times ?? 1)) return 'pass';
    const passed = this.#passed.get(stream) ?? 0;
    if (passed < (this.#ending.afterEvents ?? 0)) {
      this.#passed.set(stream, passed + 1);
      return 'pass';
    }
    this.#hits += 1;
    return this.#ending.how;
  }

  /** Resolves when it has ended so many streams; rejects after the deadline (milliseconds). */
  async whenHit(count = 1, deadlineMs = 90_000): Promise<void> {
    await waitFor(() => this.#hits >= count, `${count} streams to be ended`, deadlineMs);
  }

  remove(): void {
    this.#remove();
  }
}
