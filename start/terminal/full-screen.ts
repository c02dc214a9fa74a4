import type { WriteStream } from 'node:tty';
import { fitFrame, type Body } from './fit-text.ts';

const enter = '\u001b[?1049h\u001b[?25l\u001b[2J';
const leave = '\u001b[?25h\u001b[?1049l';
/** Terminals that know synchronized output show what is between at once; others pass it over. */
const beginUpdate = '\u001b[?2026h';
const endUpdate = '\u001b[?2026l';

/** What of a terminal is needed. */
export type Terminal = Pick<WriteStream, 'write' | 'rows' | 'columns' | 'on' | 'off'>;

/**
 * A view that has the whole terminal, on its alternate screen: whatever is drawn or resized there, nothing of it
 * reaches the scrollback. Only rows that changed are written.
 */
export class FullScreen {
  readonly #terminal: Terminal;
  readonly #resized = (): void => this.#redraw();
  #body: Body = () => [];
  #feet: readonly (readonly string[])[] = [];
  #shown: readonly string[] = [];
  #open = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  get open(): boolean {
    return this.#open;
  }

  /** Below the body, the first of the feet that fits; the last one stays visible in a terminal that is too small. */
  draw(body: Body, feet: readonly (readonly string[])[]): void {
    if (!this.#open) {
      this.#open = true;
      this.#terminal.write(enter);
      this.#terminal.on('resize', this.#resized);
    }
    this.#body = body;
    this.#feet = feet;
    const { rows, columns } = this.#terminal;
    // A terminal that does not know its size says 0.
    const next = fitFrame(body, feet, rows || 24, columns || 80);
    const changed = next.flatMap((line, index) =>
      line === this.#shown[index] ? [] : [`${rowAt(index)}\u001b[2K${line}`],
    );
    if (next.length < this.#shown.length) changed.push(`${rowAt(next.length)}\u001b[J`);
    if (changed.length > 0) this.#terminal.write(beginUpdate + changed.join('') + endUpdate);
    this.#shown = next;
  }

  /** Shows the screen that was there before. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#shown = [];
    this.#terminal.off('resize', this.#resized);
    this.#terminal.write(leave);
  }

  #redraw(): void {
    this.#shown = [];
    this.#terminal.write('\u001b[2J');
    this.draw(this.#body, this.#feet);
  }
}

function rowAt(index: number): string {
  return `\u001b[${index + 1};1H`;
}
