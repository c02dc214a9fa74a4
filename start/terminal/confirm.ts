import { createInterface } from 'node:readline/promises';

export interface Dialogue {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly signal: AbortSignal;
}

/**
 * Asks a person, and yields whether the answer was yes; anything else, and the end of the input, mean no. Rejects when
 * the signal ends.
 */
export async function confirm(question: string, { input, output, signal }: Dialogue): Promise<boolean> {
  // Not as a terminal: that would take Ctrl-C for itself instead of letting it end the process.
  const dialogue = createInterface({ input, output, terminal: false });
  const noAnswer = new Promise<string>((resolve) => dialogue.once('close', () => resolve('')));
  try {
    const answer = await Promise.race([dialogue.question(question, { signal }), noAnswer]);
    signal.throwIfAborted();
    return /^\s*y(es)?\s*$/i.test(answer);
  } finally {
    dialogue.close();
  }
}
