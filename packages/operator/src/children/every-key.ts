import { formatKey, type KubeObject, type Reader } from '@atoll/kube';

/** Of all objects of a kind, where an event may be about each of them. */
export function everyKey<T extends KubeObject>(owners: Pick<Reader<T>, 'list'>): readonly string[] {
  return owners.list().map(({ metadata }) => formatKey(metadata));
}
