/** What a queue asks of the connection that fills it. */
export interface ChunkSource {
  readonly pause: () => void;
  readonly resume: () => void;
  /** The reader has left before the end. */
  readonly left: () => void;
}

/** So many bytes wait for a reader before the connection is not read any further. */
const mostWaiting = 64 * 1024;

/**
 * The body of a response, handed from the connection to one reader: what waits is bounded, and a chunk for which somebody
 * waits costs one promise. A stream of `node:stream` costs several times that for each chunk, and a watch has a chunk for each event.
 */
export class ChunkQueue implements AsyncIterableIterator<Buffer, undefined> {
  readonly #source: ChunkSource;
  readonly #chunks: Buffer[] = [];
  #waiting = 0;
  #paused = false;
  #reader: PromiseWithResolvers<IteratorResult<Buffer, undefined>> | undefined;
  #over: { readonly error: Error | undefined } | undefined;

  constructor(source: ChunkSource) {
    this.#source = source;
  }

  push(chunk: Buffer): void {
    if (this.#over !== undefined) return;
    if (this.#reader !== undefined) return this.#answer({ done: false, value: chunk });
    this.#chunks.push(chunk);
    this.#waiting += chunk.length;
    if (this.#waiting < mostWaiting || this.#paused) return;
    this.#paused = true;
    this.#source.pause();
  }

  /** What came is still read. */
  end(): void {
    if (this.#over !== undefined) return;
    this.#over = { error: undefined };
    this.#answer(ended);
  }

  /** What came and was not read is lost. */
  fail(error: Error): void {
    if (this.#over !== undefined) return;
    this.#over = { error };
    this.#drop();
    const reader = this.#reader;
    this.#reader = undefined;
    reader?.reject(error);
  }

  /** To be called by one reader, which waits for each answer. */
  next(): Promise<IteratorResult<Buffer, undefined>> {
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) {
      this.#waiting -= chunk.length;
      if (this.#paused && this.#chunks.length === 0) {
        this.#paused = false;
        this.#source.resume();
      }
      return Promise.resolve({ done: false, value: chunk });
    }
    if (this.#over?.error !== undefined) return Promise.reject(this.#over.error);
    if (this.#over !== undefined) return Promise.resolve(ended);
    this.#reader = Promise.withResolvers();
    return this.#reader.promise;
  }

  return(): Promise<IteratorResult<Buffer, undefined>> {
    const left = this.#over === undefined;
    this.#over = { error: undefined };
    this.#drop();
    this.#answer(ended);
    if (left) this.#source.left();
    return Promise.resolve(ended);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #answer(result: IteratorResult<Buffer, undefined>): void {
    const reader = this.#reader;
    this.#reader = undefined;
    reader?.resolve(result);
  }

  #drop(): void {
    this.#chunks.length = 0;
    this.#waiting = 0;
  }
}

const ended: IteratorReturnResult<undefined> = { done: true, value: undefined };
