import { annotations, type NodePool } from '@atoll/api';
import { isFields } from '@atoll/kube';
import { typeLabelsOf } from '../../node-pool/type-labels.ts';

const types = ['Edge', 'Cloud'];

/**
 * Fills in what the schema cannot: the labels by which selectors in the field find pools of a type, and the host
 * network that clients of the old versions ask for by an annotation, and leave out of what they write back, because they do not know the field.
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
  const hostNetwork = had && pool.spec?.hostNetwork === undefined ? { hostNetwork: true } : {};
  return {
    ...pool,
    metadata: { ...pool.metadata, labels },
    ...(pool.spec === undefined && !had ? {} : { spec: { ...pool.spec, ...hostNetwork } }),
  };
}
