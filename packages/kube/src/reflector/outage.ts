import type { Clock } from '../clock/clock.ts';
import { onAbort } from '../clock/on-abort.ts';

/**
 * Those who wait for a server that does not answer, each for itself and ever longer: the first who gets through again
 * ends the waiting of the others.
 */
export class Outage {
  readonly #waiting = new Set<() => void>();

  /** Resolves after the time, when the signal ends, or when somebody got through: then with true. */
  wait(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve(false);
      const end = (isOver: boolean): void => {
        this.#waiting.delete(wake);
        cancel();
        unlisten();
        resolve(isOver);
      };
      const wake = (): void => end(true);
      const cancel = clock.setTimer(milliseconds, () => end(false));
      const unlisten = onAbort(signal, () => end(false));
      this.#waiting.add(wake);
    });
  }

  /** Somebody got through. */
  over(): void {
    for (const wake of this.#waiting) wake();
  }
}
