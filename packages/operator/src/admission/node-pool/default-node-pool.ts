import { annotations, labels, type NodePool } from '@atoll/api';

const types = ['Edge', 'Cloud'];

/**
 * Fills in what the schema cannot: the labels by which selectors in the field find pools of a type, and the host
 * network that clients of the old versions ask for by an annotation.
 */
export function defaultNodePool(pool: NodePool, isNew: boolean): NodePool {
  const type = pool.spec?.type ?? 'Edge';
  if (!types.includes(type)) return pool;
  const value = type.toLowerCase();
  const typed = { ...pool.metadata.labels, [labels.poolType]: value, [labels.oldPoolType]: value };
  const asked = pool.metadata.annotations?.[annotations.hostNetwork]?.toLowerCase() === 'true';
  // Immutable, so only at the beginning.
  const hostNetwork = isNew && asked && pool.spec?.hostNetwork === undefined ? { hostNetwork: true } : {};
  return {
    ...pool,
    metadata: { ...pool.metadata, labels: typed },
    ...(pool.spec === undefined && !asked ? {} : { spec: { ...pool.spec, ...hostNetwork } }),
  };
}
