/** Events of a busy stream come together for so long. */
const gatherMs = 50;
/** More than this in that time is a content that is sent whole: gathering would only delay it. */
const mostGathered = 96 * 1024;

/**
 * Lets the pieces of a busy stream come together. Waking up for each of some hundred events a second costs five times what
 * reading it does; a stream that was quiet is heard at once.
 */
export class Gathering {
  readonly #hold: (held: boolean) => void;
  #heardAt = -Infinity;
  #since = -Infinity;
  #bytes = 0;
  /** In the time before. */
  #before = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `hold`: whether the stream is to be read any further. */
  constructor(hold: (held: boolean) => void) {
    this.#hold = hold;
  }

  /** To be called for each piece, with the time in milliseconds. */
  heard(bytes: number, now: number): void {
    const quiet = now - this.#heardAt > gatherMs;
    this.#heardAt = now;
    if (now - this.#since > gatherMs) {
      this.#before = now - this.#since > 2 * gatherMs ? 0 : this.#bytes;
      this.#since = now;
      this.#bytes = 0;
    }
    this.#bytes += bytes;
    if (quiet || this.#timer !== undefined || this.#isWhole()) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#hold(false);
    }, gatherMs);
    // What came with this piece is still read.
    queueMicrotask(() => {
      if (this.#timer === undefined) return;
      if (this.#isWhole()) this.end();
      else this.#hold(true);
    });
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #isWhole(): boolean {
    return Math.max(this.#bytes, this.#before) > mostGathered;
  }
}
