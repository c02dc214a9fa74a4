import type { NodePool, PoolWorkload } from '@atoll/api';
import { canonicalJson, compileSelector, controllerOf, formatKey, selectorMatches } from '@atoll/kube';
import type { CacheEvent, KubeObject, OwnerReference, Reader, Resource, Selector, Stored } from '@atoll/kube';
import { isTerminating } from './child.ts';
import { childNamePrefix } from './names.ts';

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

/**
 * A child wakes its owner, and an old owner too. An object that no workload of this kind owns wakes those whose child
 * may need its name, when it goes or changes hands.
 */
export function keysForChild(
  resource: Resource<PoolWorkload>,
  workloads: Workloads,
  event: CacheEvent<KubeObject>,
): readonly string[] {
  const versions = event.type === 'updated' ? [event.old, event.object] : [event.object];
  const keys = new Set<string>();
  for (const version of versions) {
    const key = ownerKey(resource, version);
    if (key !== undefined) keys.add(key);
  }
  const changesHands =
    event.type === 'deleted' ||
    (event.type === 'updated' && controllerOf(event.old)?.uid !== controllerOf(event.object)?.uid);
  if (changesHands && keys.size === 0) {
    for (const key of mayWantName(workloads, event.object)) keys.add(key);
  }
  return [...keys];
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

function ownerKey(resource: Resource<PoolWorkload>, object: KubeObject): string | undefined {
  const owner = controllerOf(object);
  if (owner === undefined || !isOf(resource, owner)) return undefined;
  const { namespace } = object.metadata;
  return formatKey(namespace === undefined ? { name: owner.name } : { namespace, name: owner.name });
}

/** Any version of the group: references outlive versions. */
function isOf(resource: Resource<PoolWorkload>, owner: OwnerReference): boolean {
  return owner.kind === resource.kind && owner.apiVersion.split('/')[0] === resource.group;
}

function mayWantName(workloads: Workloads, object: KubeObject): readonly string[] {
  return workloads
    .list()
    .filter(
      ({ metadata }) =>
        metadata.namespace === object.metadata.namespace &&
        object.metadata.name.startsWith(childNamePrefix(metadata.name)),
    )
    .map(({ metadata }) => formatKey(metadata));
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
