import type { Clock, Logger } from '@atoll/kube';
import type { AgentState, StateFile } from './state-file.ts';

export interface StateSaverOptions {
  readonly file: Pick<StateFile, 'write' | 'path'>;
  /** Undefined: there is nothing yet that is worth more than the file. */
  readonly state: () => AgentState | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called after each try. */
  readonly wrote: (result: 'ok' | 'failed') => void;
  /** Milliseconds between two writes. Default 10,000: flash memory wears out. */
  readonly intervalMs?: number;
  /** Milliseconds until a write that failed is tried again. Default 30,000. */
  readonly retryMs?: number;
}

/** Writes the state when it has changed: the first time at once, then at most once in an interval. */
export class StateSaver {
  readonly #options: Required<StateSaverOptions>;
  #cancel: (() => void) | undefined;
  #running: Promise<void> | undefined;
  #isDirty = false;
  #isClosed = false;
  /** Of the monotonic clock: nothing is written before. */
  #notBefore = 0;
  /** Why the last write failed; undefined where it did not. */
  #failure: unknown;

  constructor(options: StateSaverOptions) {
    this.#options = { intervalMs: 10_000, retryMs: 30_000, ...options };
  }

  /** The state has changed. */
  changed(): void {
    this.#isDirty = true;
    this.#schedule();
  }

  /** Writes at once what has changed. Resolves with undefined when it is on disk, else with why it is not. */
  async flush(): Promise<unknown> {
    await this.#running;
    if (this.#isDirty && this.#running === undefined) this.#start();
    await this.#running;
    return this.#failure;
  }

  /** The last {@link flush}: what the disk does not take is not tried again, and keeps no process. */
  async close(): Promise<unknown> {
    this.#isClosed = true;
    return this.flush();
  }

  #schedule(): void {
    if (this.#isClosed || this.#running !== undefined || this.#cancel !== undefined) return;
    const { clock } = this.#options;
    // Changes that come together are one write.
    const wait = Math.max(100, this.#notBefore - clock.monotonic());
    this.#cancel = clock.setTimer(wait, () => this.#start());
  }

  /** One write at a time: they share a temporary file. */
  #start(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#running = this.#write().finally(() => {
      this.#running = undefined;
      if (this.#isDirty) this.#schedule();
    });
  }

  async #write(): Promise<void> {
    const { state, file, clock, logger, wrote, intervalMs, retryMs } = this.#options;
    const now = state();
    this.#isDirty = false;
    if (now === undefined) return;
    try {
      await file.write(now);
      this.#notBefore = clock.monotonic() + intervalMs;
      this.#failure = undefined;
      wrote('ok');
    } catch (error) {
      this.#isDirty = true;
      this.#failure = error;
      this.#notBefore = clock.monotonic() + retryMs;
      logger.warn({ err: error, file: file.path }, 'state cannot be written; the last good file stays');
      wrote('failed');
    }
  }
}
