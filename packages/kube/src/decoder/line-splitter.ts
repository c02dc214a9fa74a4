import { Buffer } from 'node:buffer';
import { isWhitespace } from './compactor.ts';
import { DecodeError } from './decode-error.ts';

/** etcd refuses objects of more than about 1.5 MiB; what grows beyond this is not a watch event. */
const maxDocumentBytes = 64 * 1024 * 1024;

/** Takes one document: the bytes of `buffer` from `start` up to `end`. Valid during the call only. */
export type TakeDocument = (buffer: Buffer, start: number, end: number) => void;

/** Bytes of a document that goes on in the next chunk. */
export class PartialDocument {
  #bytes: Buffer = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(chunk: Buffer, start: number, end: number): void {
    const needed = this.#length + end - start;
    if (needed > maxDocumentBytes) throw new DecodeError(`a document of more than ${maxDocumentBytes} bytes`);
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(
        Math.max(needed, Math.min(this.#bytes.length * 2, maxDocumentBytes), 16 * 1024),
      );
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    this.#length += chunk.copy(this.#bytes, this.#length, start, end);
  }

  /** The last bytes, at most `length` of them, one character each. */
  tail(length: number): string {
    return this.#bytes.toString('latin1', Math.max(0, this.#length - length), this.#length);
  }

  /** Hands the document over and is empty again. */
  take(take: TakeDocument): void {
    const bytes = this.#bytes;
    const length = this.#length;
    this.#length = 0;
    if (bytes.length > 1024 * 1024) this.#bytes = Buffer.alloc(0);
    take(bytes, 0, length);
  }
}

const newline = 0x0a;

/**
 * Cuts a stream of bytes into lines, wherever the chunks are cut. JSON never holds a newline byte of its
 * own. What follows the last newline is an event that was cut off; the server sends it again.
 */
export class LineSplitter {
  readonly #partial = new PartialDocument();

  /** Bytes of a line that has no end yet. */
  get pending(): number {
    return this.#partial.length;
  }

  push(chunk: Uint8Array, take: TakeDocument): void {
    const bytes = asBuffer(chunk);
    const takeLine: TakeDocument = (line, from, to) => {
      if (!isBlank(line, from, to)) take(line, from, to);
    };
    let start = 0;
    for (;;) {
      const end = bytes.indexOf(newline, start);
      if (end === -1) break;
      if (this.#partial.length > 0) {
        this.#partial.append(bytes, start, end);
        this.#partial.take(takeLine);
      } else {
        takeLine(bytes, start, end);
      }
      start = end + 1;
    }
    if (start < bytes.length) this.#partial.append(bytes, start, bytes.length);
  }
}

/** The same bytes with Buffer's methods; nothing is copied. */
export function asBuffer(chunk: Uint8Array): Buffer {
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

function isBlank(bytes: Buffer, start: number, end: number): boolean {
  let at = start;
  while (at < end && isWhitespace(bytes[at])) at++;
  return at === end;
}
