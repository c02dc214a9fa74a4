import type { NodePool, PoolWorkload } from '@atoll/api';
import { canonicalJson, compileSelector, formatKey, selectorMatches } from '@atoll/kube';
import type { CacheEvent, Reader, Selector, Stored } from '@atoll/kube';
import { isTerminating } from '../engine/children/child.ts';

type Workloads = Reader<PoolWorkload>;

/** A pool wakes the workloads that select it and those that did: its old labels count as much as its new ones. */
export function keysForPool(workloads: Workloads, event: CacheEvent<NodePool>): readonly string[] {
  if (event.type === 'updated' && !matters(event.old, event.object)) return [];
  const versions = event.type === 'updated' ? [event.old, event.object] : [event.object];
  return workloads
    .list()
    .filter((workload) => {
      const selector = selectorOf(workload);
      return (
        selector !== undefined && versions.some((pool) => selectorMatches(selector, pool.metadata.labels))
      );
    })
    .map((workload) => formatKey(workload.metadata));
}

/** Labels, taints, the beginning of the end, and the first node or the last: nothing else of a pool decides anything. */
function matters(old: Stored<NodePool>, pool: Stored<NodePool>): boolean {
  return (
    isTerminating(old) !== isTerminating(pool) ||
    hasNodes(old) !== hasNodes(pool) ||
    !same(old.metadata.labels, pool.metadata.labels) ||
    !same(old.spec?.taints, pool.spec?.taints)
  );
}

/** undefined: nobody counts. */
function hasNodes({ status }: NodePool): boolean | undefined {
  if (status?.readyNodeNum === undefined && status?.unreadyNodeNum === undefined) return undefined;
  return (status.readyNodeNum ?? 0) + (status.unreadyNodeNum ?? 0) > 0;
}

/** undefined: invalid, so no pool can make a difference to it. */
function selectorOf(workload: Stored<PoolWorkload>): Selector | undefined {
  try {
    return compileSelector(workload.spec.nodepoolSelector);
  } catch {
    return undefined;
  }
}

function same(a: unknown, b: unknown): boolean {
  return canonicalJson(a ?? null) === canonicalJson(b ?? null);
}
