import { labels } from '@atoll/api';
import { controllerOf, formatKey } from '@atoll/kube';
import type { CacheEvent, KubeObject, Reader, Resource } from '@atoll/kube';
import { keysForChild } from '../../children/keys-for-child.ts';
import { childNamePrefix, revisionName } from '../../children/names.ts';

/** A child enqueues its owner; one that nobody owns and that has the label of a place enqueues those who may want it. */
export function keysForChildOrOrphan(
  resource: Resource<KubeObject>,
  owners: Reader<KubeObject>,
  placeLabel: string,
  event: CacheEvent<KubeObject>,
): readonly string[] {
  const isPlaces = event.object.metadata.labels?.[placeLabel] !== undefined;
  return keysOrOrphans(resource, owners, event, isPlaces ? childNamePrefix : undefined);
}

/** So does a revision. */
export function keysForRevision(
  resource: Resource<KubeObject>,
  owners: Reader<KubeObject>,
  event: CacheEvent<KubeObject>,
): readonly string[] {
  const hash = event.object.metadata.labels?.[labels.revisionHash];
  return keysOrOrphans(
    resource,
    owners,
    event,
    hash === undefined ? undefined : (name) => revisionName(name, hash),
  );
}

/** `prefixOf`: what the name of an orphan begins with, by the name of whom it may have been; undefined: it was nobody's. */
function keysOrOrphans(
  resource: Resource<KubeObject>,
  owners: Reader<KubeObject>,
  event: CacheEvent<KubeObject>,
  prefixOf: ((ownerName: string) => string) | undefined,
): readonly string[] {
  const keys = keysForChild(resource, owners, event);
  const { object, type } = event;
  if (keys.length > 0 || type === 'deleted' || prefixOf === undefined || controllerOf(object) !== undefined) {
    return keys;
  }
  const { namespace, name } = object.metadata;
  return owners
    .list()
    .filter(({ metadata }) => metadata.namespace === namespace && name.startsWith(prefixOf(metadata.name)))
    .map(({ metadata }) => formatKey(metadata));
}
