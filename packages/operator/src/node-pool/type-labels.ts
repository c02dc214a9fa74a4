import { labels, nodePools, type NodePool } from '@atoll/api';
import type { Stored } from '@atoll/kube';
import type { Step } from '../engine/step.ts';

/**
 * The labels by which workloads select pools of one type, under the key of each generation
 * (`reference/openyurt.md` section 2). undefined: they are there.
 */
export function typeLabelStep(pool: Stored<NodePool>): Step | undefined {
  const { name, uid, resourceVersion, labels: found = {}, deletionTimestamp } = pool.metadata;
  const type = (pool.spec?.type ?? 'Edge').toLowerCase();
  // Pools that were written past every default may have an empty type.
  const value = type === '' ? 'edge' : type;
  const wanted = { [labels.poolType]: value, [labels.oldPoolType]: value };
  const missing = Object.entries(wanted).filter(([key]) => found[key] !== value);
  if (missing.length === 0 || deletionTimestamp !== undefined) return undefined;
  return {
    do: 'patch',
    resource: nodePools,
    key: { name },
    uid,
    resourceVersion,
    patch: { type: 'merge', body: { metadata: { labels: Object.fromEntries(missing) } } },
    ifRefused: 'PoolRefused',
    why: { word: 'PoolLabelled', message: `pool ${name} is of type ${value}` },
  };
}
