import { endProcess, type EndingProcess } from './end-process.ts';

/** What of `process` is needed. */
export interface FailingProcess extends EndingProcess {
  on(event: 'uncaughtException', listener: (error: unknown) => void): unknown;
  readonly stderr: { write(text: string): unknown };
}

/** Errors of the language: they are defects of the program, and only their stack shows where. */
const defects = [TypeError, ReferenceError, RangeError, SyntaxError];

/**
 * What nobody catches ends the process with code 1 and one line on stderr, as where no cluster is found: a person who starts the
 * program needs the message. A defect still prints its stack. To be called first, before anything can fail.
 */
export function exitOnError(source: FailingProcess, program: string): void {
  source.on('uncaughtException', (error) => {
    const isDefect = defects.some((type) => error instanceof type);
    const message = error instanceof Error ? error.message : String(error);
    const text = isDefect && error instanceof Error ? (error.stack ?? message) : message;
    source.stderr.write(`${program}: ${text}\n`);
    endProcess(source, 1);
  });
}
