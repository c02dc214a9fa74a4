import type { GaugeFamily, GaugeSample, KubeObject, Reader, Stored } from '@atoll/kube';
import { readableSamples, whereReadable } from '../../definitions/readable.ts';

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
    samples: readableSamples(objects.flatMap((object) => whereReadable(() => sample(object)) ?? [])),
  }));
}

/** 0 and 1 are how a gauge answers yes and no. */
export function asNumber(holds: boolean): number {
  return holds ? 1 : 0;
}

/** Seconds since the Unix epoch. */
export function createdAt({ metadata }: Stored<KubeObject>): number {
  return Date.parse(metadata.creationTimestamp) / 1000;
}
