import { annotations, type NodePool } from '@atoll/api';
import { isFields } from '@atoll/kube';
import { typeLabelsOf } from '../../node-pool/nodes/type-labels.ts';

const types = ['Edge', 'Cloud'];

/**
 * Fills in what the schema cannot: the labels by which selectors in the field find pools of a type, the host network that clients of the
 * old versions ask for by an annotation, and the immutable fields that these leave out of what they write back, because they do not know them.
 */
export function defaultNodePool(pool: NodePool, isNew: boolean, old?: NodePool): NodePool {
  // The schema is checked after this.
  if (!isFields(pool.spec ?? {})) return pool;
  const type = pool.spec?.type ?? 'Edge';
  if (!types.includes(type)) return pool;
  const labels = { ...pool.metadata.labels, ...typeLabelsOf(pool) };
  const asked = pool.metadata.annotations?.[annotations.hostNetwork]?.toLowerCase() === 'true';
  // Immutable, so only at the beginning.
  const had = isNew ? asked : old?.spec?.hostNetwork === true;
  const kept = {
    ...(had && pool.spec?.hostNetwork === undefined ? { hostNetwork: true } : {}),
    ...(old?.spec?.interConnectivity === true && pool.spec?.interConnectivity === undefined
      ? { interConnectivity: true }
      : {}),
  };
  return {
    ...pool,
    metadata: { ...pool.metadata, labels },
    ...(pool.spec === undefined && Object.keys(kept).length === 0 ? {} : { spec: { ...pool.spec, ...kept } }),
  };
}
