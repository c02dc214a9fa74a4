import { constants } from 'node:os';

/** What of `process` is needed. */
export interface SignalSource {
  on(event: NodeJS.Signals, listener: () => void): unknown;
  exit(code: number): void;
}

/**
 * One Ctrl-C may arrive more than once within an instant: from the terminal, and passed on by npm. What comes later
 * than this, in milliseconds, is a person who does not want to wait.
 */
const sameMs = 400;

/** Ends with the first SIGINT, SIGTERM or SIGHUP. A second one ends the process at once. */
export function interruptionOf(source: SignalSource, now: () => number): AbortSignal {
  const ending = new AbortController();
  let firstAt = 0;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    source.on(name, () => {
      if (ending.signal.aborted) {
        if (now() - firstAt > sameMs) source.exit(128 + constants.signals[name]);
        return;
      }
      firstAt = now();
      ending.abort(new Error('interrupted'));
    });
  }
  return ending.signal;
}
