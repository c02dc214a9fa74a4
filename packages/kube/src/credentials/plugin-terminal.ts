import { writeSync } from 'node:fs';
import { isatty } from 'node:tty';

/** Where a credential plugin finds a person: one who logs in may have to read a code, or to type something. */
export interface PluginTerminal {
  /** Standard input is a terminal: a plugin may ask. */
  readonly input: boolean;
  /** Standard error is a terminal: what a plugin prints there is read. */
  readonly output: boolean;
  /** Takes what a plugin prints on standard error where that is no terminal. */
  readonly print: (text: Buffer) => void;
}

/** Nobody is there. */
export const noTerminal: PluginTerminal = { input: false, output: false, print: () => undefined };

/** The terminal of this process, as client-go takes it. */
export function ownTerminal(): PluginTerminal {
  return {
    input: isatty(0),
    output: isatty(2),
    print,
  };
}

function print(text: Buffer): void {
  try {
    writeSync(2, text);
  } catch {
    // Nobody reads it any more, which must not end the process. The message of a failure has it too.
  }
}
