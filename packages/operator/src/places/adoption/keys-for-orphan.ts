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
  return keysOrOrphans(resource, owners, event, ({ metadata }) =>
    metadata.labels?.[placeLabel] === undefined ? undefined : childNamePrefix,
  );
}

/** So does a revision. */
export function keysForRevision(
  resource: Resource<KubeObject>,
  owners: Reader<KubeObject>,
  event: CacheEvent<KubeObject>,
): readonly string[] {
  return keysOrOrphans(resource, owners, event, ({ metadata }) => {
    const hash = metadata.labels?.[labels.revisionHash];
    return hash === undefined ? undefined : (name) => revisionName(name, hash);
  });
}

/**
 * `prefixOf`: what the name of an orphan begins with, by the name of whom it may have been; undefined: it was nobody's. One that got an owner, or lost
 * its label, may have been named in the conditions before.
 */
function keysOrOrphans(
  resource: Resource<KubeObject>,
  owners: Reader<KubeObject>,
  event: CacheEvent<KubeObject>,
  prefixOf: (object: KubeObject) => ((ownerName: string) => string) | undefined,
): readonly string[] {
  const keys = keysForChild(resource, owners, event);
  if (keys.length > 0) return keys;
  const seen = event.type === 'updated' ? [event.object, event.old] : [event.object];
  const prefix = seen.filter((each) => controllerOf(each) === undefined).map(prefixOf);
  const former = prefix.find((each) => each !== undefined);
  if (former === undefined) return [];
  const { namespace, name } = event.object.metadata;
  return owners
    .list()
    .filter(({ metadata }) => metadata.namespace === namespace && name.startsWith(former(metadata.name)))
    .map(({ metadata }) => formatKey(metadata));
}
