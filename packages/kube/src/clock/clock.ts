/** Milliseconds since the Unix epoch. */
export type Instant = number;

/** Time and timers as a dependency, so that decisions and tests never read the real clock. */
export interface Clock {
  now(): Instant;
  /** Milliseconds of a clock that never jumps; only differences mean anything. */
  monotonic(): number;
  /**
   * Calls back once after `milliseconds`; the returned function cancels. A timer keeps the process alive: somebody may
   * wait for it, and Node ends a process that waits for nothing else. Cancel a timer that nobody waits for any more.
   */
  setTimer(milliseconds: number, callback: () => void): () => void;
}

/** What Node's timers can wait. */
const longestTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(milliseconds, callback) {
    // Outside of these Node prints a warning, and calls back at once where the time is too long.
    const timer = setTimeout(callback, Math.min(Math.max(milliseconds, 0), longestTimerMs));
    return () => clearTimeout(timer);
  },
};

/** Resolves after `milliseconds`, or at once (without an error) when the signal ends. */
export function sleep(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const done = (): void => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.setTimer(milliseconds, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}
