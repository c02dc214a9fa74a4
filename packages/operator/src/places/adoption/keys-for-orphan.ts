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
    metadata.labels?.[placeLabel] === undefined
      ? undefined
      : (owner) => isNamedForChildOf(metadata.name, owner),
  );
}

/** An older operator keeps the dots of an owner's name, and {@link childNamePrefix} has none. */
function isNamedForChildOf(name: string, owner: string): boolean {
  return name.replaceAll('.', '-').startsWith(childNamePrefix(owner));
}

/** So does a revision. One that is deleted shows no longer for whom children without an owner were made. */
export function keysForRevision(
  resource: Resource<KubeObject>,
  owners: Reader<KubeObject>,
  event: CacheEvent<KubeObject>,
): readonly string[] {
  return keysOrOrphans(resource, owners, event, ({ metadata }) => {
    const hash = metadata.labels?.[labels.revisionHash];
    return hash === undefined ? undefined : (owner) => metadata.name.startsWith(revisionName(owner, hash));
  });
}

/**
 * `formerOf`: whether an orphan may have been that of an owner, by the name of the owner; undefined: it was nobody's. One that got an owner, or lost
 * its label, may have been named in the conditions before.
 */
function keysOrOrphans(
  resource: Resource<KubeObject>,
  owners: Reader<KubeObject>,
  event: CacheEvent<KubeObject>,
  formerOf: (object: KubeObject) => ((ownerName: string) => boolean) | undefined,
): readonly string[] {
  const keys = keysForChild(resource, owners, event);
  if (keys.length > 0) return keys;
  const seen = event.type === 'updated' ? [event.object, event.old] : [event.object];
  const mayMatter = (each: KubeObject) => event.type === 'deleted' || controllerOf(each) === undefined;
  const former = seen.filter(mayMatter).map(formerOf);
  const mayBeOf = former.find((each) => each !== undefined);
  if (mayBeOf === undefined) return [];
  const { namespace } = event.object.metadata;
  return owners
    .list()
    .filter(({ metadata }) => metadata.namespace === namespace && mayBeOf(metadata.name))
    .map(({ metadata }) => formatKey(metadata));
}
