import { onAbort } from '../clock/on-abort.ts';
import { lowPriority, type AddOptions, type WorkQueue } from './work-queue.ts';

/** Whose changes make reconciles. */
export interface KeySource {
  /** Calls back with the keys of each change, and how they are added, until the returned function is called. */
  readonly subscribe: (enqueue: (keys: Iterable<string>, how?: AddOptions) => void) => () => void;
}

/**
 * Puts into the queue what the sources call back with, until the signal ends. What a source has at the beginning stands
 * behind what happens meanwhile.
 */
export function enqueueFrom(
  sources: readonly KeySource[],
  queue: Pick<WorkQueue, 'add'>,
  signal: AbortSignal,
): void {
  for (const source of sources) {
    if (signal.aborted) return;
    let isInitial = true;
    const stop = source.subscribe((keys, how) => {
      for (const key of keys) queue.add(key, isInitial ? { ...how, priority: lowPriority } : how);
    });
    isInitial = false;
    onAbort(signal, stop);
  }
}
