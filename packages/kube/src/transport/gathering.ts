/** Events of a busy stream come together for so long. */
const gatherMs = 50;
/** A turn of the event loop that brings this much is of a stream that has more: it is read on until that is not so. */
const plenty = 48 * 1024;

/**
 * Lets the pieces of a busy stream come together. Waking up for each of some hundred events a second costs five times what
 * reading it does; a stream that was quiet is read at once.
 */
export class Gathering {
  readonly #hold: (held: boolean) => void;
  #receivedAt = -Infinity;
  /** Of the present turn of the event loop: what was held back, and what the kernel had. */
  #bytes = 0;
  #busy = false;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  /** `hold`: whether the stream is to be read any further. */
  constructor(hold: (held: boolean) => void) {
    this.#hold = hold;
  }

  /** To be called for each piece, with the time in milliseconds. */
  received(bytes: number, now: number): void {
    if (this.#bytes === 0) setImmediate(() => this.#decide());
    this.#bytes += bytes;
    this.#busy ||= now - this.#receivedAt <= gatherMs;
    this.#receivedAt = now;
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#ended = true;
  }

  #decide(): void {
    const little = this.#bytes < plenty;
    const busy = this.#busy;
    this.#bytes = 0;
    this.#busy = false;
    if (!busy || !little || this.#timer !== undefined || this.#ended) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#hold(false);
    }, gatherMs);
    this.#hold(true);
  }
}
