import type { IncomingMessage } from 'node:http';

/** The body is larger than allowed. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
}

/** The body came so slowly that others needed its place. */
export class BodyGivenUpError extends Error {
  override readonly name = 'BodyGivenUpError';
}

interface Reading {
  readonly request: IncomingMessage;
  bytes: number;
}

/**
 * Reads bodies, all those under way within `most` bytes together. Where more comes, the one that has been coming for longest
 * is given up: the API server sends its own at once, so it is of somebody who sends half a body and waits.
 */
export class BodyReader {
  readonly #most: number;
  /** The oldest first. */
  readonly #readings = new Set<Reading>();
  #bytes = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * The whole body. Rejects with a {@link BodyTooLargeError} as soon as it is more than `limit` bytes, and with a
   * {@link BodyGivenUpError}, its connection closed, where it is given up.
   */
  async read(request: IncomingMessage, limit: number): Promise<Buffer> {
    const reading: Reading = { request, bytes: 0 };
    this.#readings.add(reading);
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) {
        reading.bytes += chunk.length;
        this.#bytes += chunk.length;
        if (reading.bytes > limit) throw new BodyTooLargeError(`the body is larger than ${limit} bytes`);
        chunks.push(chunk);
        this.#makeRoom();
      }
      return Buffer.concat(chunks, reading.bytes);
    } finally {
      this.#forget(reading);
    }
  }

  #makeRoom(): void {
    for (const oldest of this.#readings) {
      if (this.#bytes <= this.#most || this.#readings.size === 1) return;
      this.#forget(oldest);
      oldest.request.destroy(
        new BodyGivenUpError('the body did not come in time, and others need its place'),
      );
    }
  }

  #forget(reading: Reading): void {
    if (this.#readings.delete(reading)) this.#bytes -= reading.bytes;
  }
}
