import { unitedDeployments, yurtAppDaemons } from '@atoll/api';
import { controllerOf, formatKey } from '@atoll/kube';
import type { KubeObject, OwnerReference, Reader, Resource, Stored } from '@atoll/kube';
import { isTerminating, type ChildWorkload } from '../../children/child.ts';
import type { ChildOwner } from '../../children/ownership/owner.ts';
import type { NameConflict } from '../children/name-conflict.ts';

/** The groups of kinds whose objects keep a child in each of their places. */
const groups: ReadonlySet<string> = new Set([unitedDeployments.group, yurtAppDaemons.group]);

/** The index of children and revisions by kind and name of the object that controls them, whatever its uid. */
export const byOwnersName = {
  ownersName: (object: KubeObject): readonly string[] => {
    const owner = controllerOf(object);
    if (owner === undefined || !groups.has(groupOf(owner))) return [];
    const { namespace = '' } = object.metadata;
    return [ownersNameKey(owner.kind, { namespace, name: owner.name })];
  },
};

/** What somebody of this kind, name and namespace controls, or controlled. */
export function ofNamesakes<T extends KubeObject>(
  { resource, object }: ChildOwner,
  reader: Reader<T>,
): readonly Stored<T>[] {
  return reader.by('ownersName', ownersNameKey(resource.kind, object.metadata));
}

function ownersNameKey(
  kind: Resource<KubeObject>['kind'],
  key: { readonly namespace?: string; readonly name: string },
): string {
  return `${kind} ${formatKey(key)}`;
}

function groupOf({ apiVersion }: OwnerReference): string {
  return apiVersion.split('/')[0] ?? '';
}

/** How far the cache of children may be behind that of their owners; who made what is now old is asked no longer. */
const behindMs = 5_000;

/**
 * The child of an object of the same kind and name that is no more. Whether it is deleted, or let go and then ours, its
 * cache does not hold yet, which may be behind the one that named us. Where it is deleted, its pods and those of a child made now would run
 * at once; one that is let go the list before the first children shows as well (`unseen-orphans.ts`). What the garbage collector takes its time
 * for is not waited for.
 */
export function predecessorsChild<Kind extends string>(
  owner: ChildOwner,
  kind: Kind,
  children: Reader<ChildWorkload>,
  place: string,
  placeOf: (child: ChildWorkload) => string | undefined,
): NameConflict<Kind> | undefined {
  const { name: holder, uid, creationTimestamp } = owner.object.metadata;
  const found = ofNamesakes(owner, children).find(
    (child) => controllerOf(child)?.uid !== uid && !isTerminating(child) && placeOf(child) === place,
  );
  if (found === undefined) return undefined;
  const until = Date.parse(creationTimestamp) + behindMs;
  const child = { kind, object: found, place };
  return { kind, name: found.metadata.name, goes: true, holder, child, until };
}
