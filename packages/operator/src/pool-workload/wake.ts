import type { NodePool, PoolWorkload } from '@atoll/api';
import { canonicalJson, compileSelector, controllerOf, formatKey, selectorMatches } from '@atoll/kube';
import type { CacheEvent, Pod, Reader, Resource, Selector, StatefulSet, Stored } from '@atoll/kube';
import { isTerminating } from '../children/child.ts';
import { ownerKey } from '../children/wake-owner.ts';

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

/** A pod of a StatefulSet wakes whoever owns that, when it comes, goes, or its being ready turns. */
export function keysForPod(
  resource: Resource<PoolWorkload>,
  statefulSets: Reader<StatefulSet>,
  event: CacheEvent<Pod>,
): readonly string[] {
  const { object } = event;
  if (event.type === 'updated' && sameReadiness(event.old, object)) return [];
  const controller = controllerOf(object);
  if (controller?.kind !== 'StatefulSet') return [];
  const { namespace = '' } = object.metadata;
  const child = statefulSets.get({ namespace, name: controller.name });
  if (child?.metadata.uid !== controller.uid) return [];
  const key = ownerKey(resource, child);
  return key === undefined ? [] : [key];
}

function sameReadiness(old: Stored<Pod>, pod: Stored<Pod>): boolean {
  const readyOf = ({ status }: Pod) => status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  return readyOf(old) === readyOf(pod) && isTerminating(old) === isTerminating(pod);
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

/** What did not change is one object in both versions (kube's `deepFreeze`), so this seldom has to look inside. */
function same(a: unknown, b: unknown): boolean {
  return a === b || canonicalJson(a ?? null) === canonicalJson(b ?? null);
}
