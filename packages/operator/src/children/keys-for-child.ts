import { controllerOf, formatKey } from '@atoll/kube';
import type { CacheEvent, KubeObject, OwnerReference, Reader, Resource } from '@atoll/kube';
import { childNamePrefix } from './names.ts';

/**
 * A child enqueues its owner, and an old owner too. An object that goes or changes hands frees its name: it enqueues also those
 * whose child may need that name, although an owner of the same kind had it.
 */
export function keysForChild(
  resource: Resource<KubeObject>,
  owners: Reader<KubeObject>,
  event: CacheEvent<KubeObject>,
): readonly string[] {
  const { object } = event;
  const now = ownerKey(resource, object);
  const own = now === undefined ? [] : [now];
  if (event.type === 'added') return own;
  if (event.type === 'deleted') return distinct([...own, ...mayWantName(owners, object)]);
  // Of nearly all changes, owners are none.
  if (event.old.metadata.ownerReferences === object.metadata.ownerReferences) return own;
  const before = ownerKey(resource, event.old);
  const keys = before === undefined ? own : [before, ...own];
  const changesHands = controllerOf(event.old)?.uid !== controllerOf(object)?.uid;
  return distinct(changesHands ? [...keys, ...mayWantName(owners, object)] : keys);
}

function distinct(keys: readonly string[]): readonly string[] {
  return [...new Set(keys)];
}

export function ownerKey(resource: Resource<KubeObject>, object: KubeObject): string | undefined {
  const owner = controllerOf(object);
  if (owner === undefined || !isOf(resource, owner)) return undefined;
  const { namespace } = object.metadata;
  return formatKey(namespace === undefined ? { name: owner.name } : { namespace, name: owner.name });
}

/** Any version of the group: references outlive versions. */
function isOf(resource: Resource<KubeObject>, owner: OwnerReference): boolean {
  const [group] = owner.apiVersion.includes('/') ? owner.apiVersion.split('/') : [''];
  return owner.kind === resource.kind && group === resource.group;
}

function mayWantName(owners: Reader<KubeObject>, object: KubeObject): readonly string[] {
  return owners
    .list()
    .filter(
      ({ metadata }) =>
        metadata.namespace === object.metadata.namespace &&
        object.metadata.name.startsWith(childNamePrefix(metadata.name)),
    )
    .map(({ metadata }) => formatKey(metadata));
}
