import { controllerOf, formatKey } from '@atoll/kube';
import type { CacheEvent, KubeObject, OwnerReference, Reader, Resource } from '@atoll/kube';
import { childNamePrefix } from './names.ts';

/**
 * A child wakes its owner, and an old owner too. An object that no owner of this kind owns wakes those whose child
 * may need its name, when it goes or changes hands.
 */
export function keysForChild(
  resource: Resource<KubeObject>,
  owners: Reader<KubeObject>,
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
    for (const key of mayWantName(owners, event.object)) keys.add(key);
  }
  return [...keys];
}

export function ownerKey(resource: Resource<KubeObject>, object: KubeObject): string | undefined {
  const owner = controllerOf(object);
  if (owner === undefined || !isOf(resource, owner)) return undefined;
  const { namespace } = object.metadata;
  return formatKey(namespace === undefined ? { name: owner.name } : { namespace, name: owner.name });
}

/** Any version of the group: references outlive versions. */
function isOf(resource: Resource<KubeObject>, owner: OwnerReference): boolean {
  return owner.kind === resource.kind && owner.apiVersion.split('/')[0] === resource.group;
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
