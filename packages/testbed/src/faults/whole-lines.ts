const newline = 0x0a;

/**
 * Turns chunks into whole lines: the API server ends every watch event with a newline, and a fault between two
 * events must know where one ends. Lines of one chunk stay together in one buffer.
 */
export class WholeLines {
  #unfinished: Buffer[] = [];

  /** Whole lines that the chunk completes, as one buffer; undefined where it completes none. */
  push(chunk: Buffer): Buffer | undefined {
    const end = chunk.lastIndexOf(newline);
    if (end === -1) {
      this.#unfinished.push(chunk);
      return undefined;
    }
    const complete = chunk.subarray(0, end + 1);
    const whole = this.#unfinished.length === 0 ? complete : Buffer.concat([...this.#unfinished, complete]);
    this.#unfinished = end + 1 === chunk.length ? [] : [chunk.subarray(end + 1)];
    return whole;
  }

  /** What came after the last newline. */
  rest(): Buffer {
    return Buffer.concat(this.#unfinished);
  }
}

/** Takes a buffer of whole lines apart; each line keeps its newline. */
export function splitLines(lines: Buffer): Buffer[] {
  const result: Buffer[] = [];
  let start = 0;
  for (let end = lines.indexOf(newline); end !== -1; end = lines.indexOf(newline, start)) {
    result.push(lines.subarray(start, end + 1));
    start = end + 1;
  }
  return result;
}
