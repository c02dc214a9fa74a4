import type { GaugeFamily, GaugeSample, KubeObject, Reader, Stored } from '@atoll/kube';

/** A gauge of which each object of a kind has one sample. */
export interface DeclaredGauge<T> {
  readonly name: string;
  readonly help: string;
  readonly sample: (object: Stored<T & KubeObject>) => GaugeSample;
}

/** The gauges of the objects that are there now; without samples while it is not known which are. */
export function familiesOf<T extends KubeObject>(
  gauges: readonly DeclaredGauge<T>[],
  reader: Pick<Reader<T>, 'list' | 'synced'>,
): readonly GaugeFamily[] {
  const objects = reader.synced ? reader.list() : [];
  return gauges.map(({ name, help, sample }) => ({
    name,
    help,
    samples: objects.flatMap((object) => readableSample(() => sample(object)) ?? []),
  }));
}

/**
 * A sample that Prometheus can read. An object that was stored before its schema may have anything in its status: it has no sample then, and
 * hides those of no other.
 */
export function readableSample(read: () => GaugeSample | undefined): GaugeSample | undefined {
  try {
    const sample = read();
    if (sample === undefined) return undefined;
    const isText = Object.values(sample.labels).every((value) => typeof value === 'string');
    return isText && Number.isFinite(sample.value) ? sample : undefined;
  } catch {
    return undefined;
  }
}

/** 0 and 1 are how a gauge answers yes and no. */
export function asNumber(holds: boolean): number {
  return holds ? 1 : 0;
}

/** Seconds since the Unix epoch. */
export function createdAt({ metadata }: Stored<KubeObject>): number {
  return Date.parse(metadata.creationTimestamp) / 1000;
}
