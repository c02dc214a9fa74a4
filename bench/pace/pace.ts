import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

/** How fast the machine was at a moment. */
export interface PaceSample {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Processor time that the whole reference work would have taken. */
  readonly referenceMs: number;
}

/** Milliseconds of something that one process did, and how fast the machine was meanwhile. */
export interface Span {
  readonly ms: number;
  /** Processor time that the reference work took meanwhile, on average. */
  readonly referenceMs: number;
}

/**
 * What the reference work takes of a machine whose speed is called 1. The targets were set where 1,000 pods of a bare loop are
 * Ready after 21 to 31 s, and after 48 s with a new image; where the reference work takes 640 ms that is 23 and 41 s.
 */
export const nominalMs = 750;

/** What it would have taken at speed 1. */
export function atNominalSpeed({ ms, referenceMs }: Span): number {
  return (ms * nominalMs) / referenceMs;
}

/**
 * A machine that others use too changes its speed from one minute to the next, and with it all that is measured. So a
 * small piece of the reference work is done again and again in a thread of its own, also while something is measured,
 * and its processor time shows how fast the processors were meanwhile.
 */
export class PaceMeter implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #samples: PaceSample[];

  private constructor(worker: Worker, samples: PaceSample[]) {
    this.#worker = worker;
    this.#samples = samples;
  }

  /** Resolves with the first sample; rejects where the thread ends. */
  static async start(): Promise<PaceMeter> {
    const worker = new Worker(join(import.meta.dirname, 'pace-worker.ts'));
    const samples: PaceSample[] = [];
    await new Promise<void>((resolve, reject) => {
      worker.once('error', reject);
      worker.on('message', (sample: PaceSample) => {
        samples.push(sample);
        resolve();
      });
    });
    return new PaceMeter(worker, samples);
  }

  /** Begins to measure something; yields what makes a span of what was counted since then. */
  begin(): (ms: number) => Span {
    const startedAt = Date.now();
    return (ms) => ({ ms, referenceMs: meanBetween(this.#samples, startedAt, Date.now()) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }
}

/** The mean of the samples of that time; what was shorter than the pause between two has the last one before its end. */
export function meanBetween(samples: readonly PaceSample[], from: number, to: number): number {
  const within = samples.filter(({ at }) => at >= from && at <= to);
  const last = samples.findLast(({ at }) => at <= to);
  const counted = within.length > 0 || last === undefined ? within : [last];
  return counted.reduce((sum, { referenceMs }) => sum + referenceMs, 0) / counted.length;
}
