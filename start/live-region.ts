import type { WriteStream } from 'node:tty';

/** A part of the terminal that is drawn over itself. Lines printed with `print` stay above it. */
export class LiveRegion {
  #drawn: readonly string[] = [];
  readonly #out: WriteStream;

  constructor(out: WriteStream) {
    this.#out = out;
  }

  draw(lines: readonly string[]): void {
    const room = this.#out.rows > 1 ? this.#out.rows - 1 : lines.length;
    const shown = lines.slice(0, room);
    this.#out.write(this.#erase() + shown.map((line) => `${line}\n`).join(''));
    this.#drawn = shown;
  }

  print(line: string): void {
    this.#out.write(`${this.#erase()}${line}\n${this.#drawn.map((each) => `${each}\n`).join('')}`);
  }

  /** Leaves what is drawn where it is; the next drawing starts below it. */
  release(): void {
    this.#drawn = [];
  }

  #erase(): string {
    return this.#drawn.length === 0 ? '' : `\u001b[${this.#drawn.length}A\u001b[0J`;
  }
}
