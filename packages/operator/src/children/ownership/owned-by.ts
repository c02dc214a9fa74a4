import type { KubeObject, Reader, Stored } from '@atoll/kube';

/**
 * The objects whose controller is this one, by a cache with the index `owner`. An owner reference has no namespace: one from another namespace is
 * void, and the garbage collector deletes the object that carries it.
 */
export function ownedBy<T extends KubeObject>(
  reader: Pick<Reader<T>, 'by'>,
  { metadata: { namespace, uid } }: Pick<Stored<KubeObject>, 'metadata'>,
): readonly Stored<T>[] {
  const found = reader.by('owner', uid);
  const isHere = ({ metadata }: Stored<T>): boolean => metadata.namespace === namespace;
  return found.every(isHere) ? found : found.filter(isHere);
}
