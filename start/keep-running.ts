import { sleep, systemClock } from '@atoll/kube';

const firstPauseMs = 1_000;
const longestPauseMs = 30_000;
/** A run that lasted this long was a success: the next pause is the first again. */
const healthyMs = 60_000;
/** The program does not understand its command line, and never will. */
const wrongCommandLine = 2;

export interface KeepRunningOptions {
  readonly print: (line: string) => void;
  /** Milliseconds that never jump. */
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Resolves after so many milliseconds, or when the signal ends. */
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

const sleepFor = (milliseconds: number, signal: AbortSignal) => sleep(systemClock, milliseconds, signal);

/**
 * Runs the operator, and again with growing pauses whenever it ends by itself, until the signal ends. `run` yields its
 * exit code; so does this, for the last run.
 */
export async function keepRunning(
  run: () => Promise<number>,
  { print, now, signal, pause = sleepFor }: KeepRunningOptions,
): Promise<number> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const startedAt = now();
    const code = await run();
    if (signal.aborted) return code;
    const ended = `The operator ended by itself with exit code ${code}; see its log.`;
    if (code === wrongCommandLine) {
      print(ended);
      return code;
    }
    if (now() - startedAt >= healthyMs) pauseMs = firstPauseMs;
    print(`${ended} It is started again in ${pauseMs / 1000} s; Ctrl-C ends all.`);
    await pause(pauseMs, signal);
    // It was not running, so that it ended as asked.
    if (signal.aborted) return 0;
  }
}
