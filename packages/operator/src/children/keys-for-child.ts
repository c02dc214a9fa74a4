import { controllerOf, formatKey } from '@atoll/kube';
import type { CacheEvent, KubeObject, OwnerReference, Reader, Resource } from '@atoll/kube';
import { childNamePrefix } from './names.ts';

/**
 * A child enqueues its owner, and an old owner too. An object that no owner of this kind owns enqueues those whose child
 * may need its name, when it goes or changes hands.
 */
export function keysForChild(
  resource: Resource<KubeObject>,
  owners: Reader<KubeObject>,
  event: CacheEvent<KubeObject>,
): readonly string[] {
  const now = ownerKey(resource, event.object);
  if (event.type !== 'updated') {
    if (now !== undefined) return [now];
    return event.type === 'deleted' ? mayWantName(owners, event.object) : [];
  }
  // Of nearly all changes, owners are none.
  if (event.old.metadata.ownerReferences === event.object.metadata.ownerReferences)
    return now === undefined ? [] : [now];
  const before = ownerKey(resource, event.old);
  const keys = [before, now === before ? undefined : now].filter((key) => key !== undefined);
  if (keys.length > 0 || controllerOf(event.old)?.uid === controllerOf(event.object)?.uid) return keys;
  return mayWantName(owners, event.object);
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
