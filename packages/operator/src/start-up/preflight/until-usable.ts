import { sleep, type Clock, type Logger } from '@atoll/kube';
import { PreflightError } from './preflight.ts';

const firstPauseMs = 500;
const longestPauseMs = 15_000;

export interface UntilUsableOptions {
  /** For the log. */
  readonly server: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** From 0 to 1, for jitter. */
  readonly random?: () => number;
}

/**
 * Repeats the preflight, with growing pauses, as long as what it rejects with may pass by itself. Each reason is logged
 * once, not with every try. Rejects with what does not pass by itself, and when the signal ends.
 */
export async function untilUsable<T>(check: () => Promise<T>, options: UntilUsableOptions): Promise<T> {
  const { server, clock, logger, signal, random = Math.random } = options;
  let reported = '';
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await check();
    } catch (error) {
      if (signal.aborted || !(error instanceof PreflightError) || !error.mayPass) throw error;
      if (error.message !== reported)
        logger.warn({ server, why: error.message }, 'cannot start yet, trying again');
      reported = error.message;
    }
    // Replicas that failed together do not return together.
    await sleep(clock, pauseMs * (1 - random() / 2), signal);
    signal.throwIfAborted();
  }
}
