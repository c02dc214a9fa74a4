import { labels, nodePools, type NodePool } from '@atoll/api';
import type { Stored } from '@atoll/kube';
import { patchAsSeen } from '../../engine/steps/patch-as-seen.ts';
import type { Step } from '../../engine/step.ts';

/** The labels of a pool's type, which it gets and keeps. Pools that were written past every default may have an empty type. */
export function typeLabelsOf({ spec }: Pick<NodePool, 'spec'>): Readonly<Record<string, string>> {
  const type = (spec?.type ?? 'Edge').toLowerCase();
  const value = type === '' ? 'edge' : type;
  return { [labels.poolType]: value, [labels.oldPoolType]: value };
}

/**
 * The labels by which workloads select pools of one type, under the key of each generation
 * (`reference/openyurt.md` section 2). undefined: they are there.
 */
export function typeLabelStep(pool: Stored<NodePool>): Step | undefined {
  const { name, labels: found = {}, deletionTimestamp } = pool.metadata;
  const wanted = typeLabelsOf(pool);
  const missing = Object.entries(wanted).filter(([key, value]) => found[key] !== value);
  if (missing.length === 0 || deletionTimestamp !== undefined) return undefined;
  const body = { metadata: { labels: Object.fromEntries(missing) } };
  return {
    ...patchAsSeen(nodePools, pool, { type: 'merge', body }),
    ifRefused: 'PoolRefused',
    why: { word: 'PoolLabelled', message: `pool ${name} is of type ${wanted[labels.poolType]}` },
  };
}
