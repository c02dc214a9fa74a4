import type { GaugeSample } from '@atoll/kube';

/**
 * What is read of an object for its metrics; undefined: it cannot be read. An object that was stored before its schema may have anything in its
 * status, and hides the figures of no other.
 */
export function whereReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Those that Prometheus can read: without the samples of fields that have another type than in the schema. */
export function readableSamples(samples: readonly GaugeSample[]): readonly GaugeSample[] {
  return samples.filter(
    ({ labels, value }) =>
      Number.isFinite(value) && Object.values(labels).every((label) => typeof label === 'string'),
  );
}
