import type { NodePool } from '@atoll/api';
import { compileSelector, formatKey, selectorMatches } from '@atoll/kube';
import type { CacheEvent, KubeObject, LabelSelector, Reader, Selector, Stored } from '@atoll/kube';
import { sameJson } from '../../engine/same-meaning.ts';
import { isTerminating } from '../../children/child.ts';
import { countOfNodes, labelsOfPool } from './select-pools.ts';

/**
 * The keys of the objects that a change of a pool concerns: those that select it, and those that did, because its old labels
 * count as much as its new ones.
 */
export function keysForSelectedPool<Owner extends KubeObject>(
  owners: Reader<Owner>,
  selectorOf: (owner: Stored<Owner>) => LabelSelector | undefined,
  event: CacheEvent<NodePool>,
): readonly string[] {
  if (event.type === 'updated' && !matters(event.old, event.object)) return [];
  const versions = event.type === 'updated' ? [event.old, event.object] : [event.object];
  return owners
    .list()
    .filter((owner) => {
      const selector = compiled(selectorOf(owner));
      return selector !== undefined && versions.some((pool) => selectorMatches(selector, labelsOfPool(pool)));
    })
    .map((owner) => formatKey(owner.metadata));
}

/** Labels, taints, the beginning of the end, and the first node or the last: nothing else of a pool decides anything. */
function matters(old: Stored<NodePool>, pool: Stored<NodePool>): boolean {
  return (
    isTerminating(old) !== isTerminating(pool) ||
    hasNodes(old) !== hasNodes(pool) ||
    !sameJson(old.metadata.labels, pool.metadata.labels) ||
    !sameJson(old.spec?.taints, pool.spec?.taints)
  );
}

/** undefined: nobody counts. */
function hasNodes(pool: NodePool): boolean | undefined {
  const count = countOfNodes(pool);
  return count === undefined ? undefined : count > 0;
}

/** undefined: invalid, so no pool can make a difference to it. */
function compiled(selector: LabelSelector | undefined): Selector | undefined {
  try {
    return compileSelector(selector);
  } catch {
    return undefined;
  }
}
