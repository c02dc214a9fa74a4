/** Where a command writes: results on standard output, everything else on standard error. */
export interface Output {
  /** What is going on right now; on a terminal the next one takes its place. */
  progress(text: string): void;
  note(text: string): void;
  /** The one result: `human` for people, `machine` as one line of JSON with `--json`. */
  result(human: string, machine: unknown): void;
}

export interface Streams {
  readonly out: { write(text: string): unknown };
  readonly err: { write(text: string): unknown; readonly isTTY?: boolean };
}

/** Away from a terminal, the same step is printed again only after so many milliseconds. */
const repeatMs = 15_000;
const clearLine = '\r\u001B[2K';

export function createOutput({ out, err }: Streams, json: boolean): Output {
  const live = err.isTTY === true;
  let pending = false;
  let lastStep = '';
  let lastPrinted = 0;
  const finishLine = (): void => {
    if (pending) err.write(clearLine);
    pending = false;
  };
  return {
    progress(text) {
      if (live) {
        err.write(`${clearLine}${text}`);
        pending = true;
        return;
      }
      const step = text.split(',', 1)[0] ?? text;
      if (step === lastStep && Date.now() - lastPrinted < repeatMs) return;
      lastStep = step;
      lastPrinted = Date.now();
      err.write(`${text}\n`);
    },
    note(text) {
      finishLine();
      err.write(`${text}\n`);
    },
    result(human, machine) {
      finishLine();
      out.write(json ? `${JSON.stringify(machine)}\n` : `${human}\n`);
    },
  };
}
