/** Milliseconds since the Unix epoch. */
export type Instant = number;

/** Time and timers as a dependency, so that decisions and tests never read the real clock. */
export interface Clock {
  now(): Instant;
  /** Milliseconds of a clock that never jumps; only differences mean anything. */
  monotonic(): number;
  /** Milliseconds of the processor that this process has taken, with the threads that help it; only differences mean anything. */
  processorMs(): number;
  /**
   * Calls back once after `milliseconds`, never before {@link monotonic} has it so; the returned function cancels. A timer keeps the process alive: somebody may
   * wait for it, and Node ends a process that waits for nothing else. Cancel a timer that nobody waits for any more.
   */
  setTimer(milliseconds: number, callback: () => void): () => void;
}

/** Node's timers overflow above this: they fire at once, with a warning. */
export const longestTimerMs = 2 ** 31 - 1;

/** The clock and the timers of this process. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  processorMs() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
  setTimer(milliseconds, callback) {
    const dueAt = performance.now() + milliseconds;
    let timer: NodeJS.Timeout;
    const wait = (leftMs: number): void => {
      timer = setTimeout(onTimer, Math.min(leftMs, longestTimerMs));
    };
    const onTimer = (): void => {
      const leftMs = dueAt - performance.now();
      // Node leaves fractions of a millisecond out: a retry that came before it was due would count as no retry.
      if (leftMs > 0) wait(leftMs);
      else callback();
    };
    // Below 0 Node prints a warning.
    wait(Math.max(milliseconds, 0));
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
