import { unitedDeployments, type UnitedDeployment } from '@atoll/api';
import { controllerOf, formatKey } from '@atoll/kube';
import type { KubeObject, Reader, Stored } from '@atoll/kube';
import { isTerminating, type ChildWorkload } from '../../children/child.ts';
import type { NameConflict } from '../../places/name-conflict.ts';
import { subsetNamedBy } from '../child.ts';
import type { ChildKind } from '../child-kind.ts';

/** The index of children and revisions by the name of the UnitedDeployment that controls them, whatever its uid. */
export const byOwnersName = {
  ownersName: (object: KubeObject): readonly string[] => {
    const owner = controllerOf(object);
    if (
      owner?.kind !== unitedDeployments.kind ||
      !owner.apiVersion.startsWith(`${unitedDeployments.group}/`)
    ) {
      return [];
    }
    const { namespace = '' } = object.metadata;
    return [formatKey({ namespace, name: owner.name })];
  },
};

/** How far the cache of children may be behind that of their owners; who made what is now old is asked no longer. */
const behindMs = 5_000;

/**
 * The child of a UnitedDeployment of the same name that is no more. Whether it is deleted, or let go and then ours, its
 * cache does not hold yet, which may be behind the one that named us: a child made now could be a duplicate for ever. What the
 * garbage collector takes its time for is not waited for.
 */
export function predecessorsChild(
  owner: Stored<UnitedDeployment>,
  kind: ChildKind,
  children: Reader<ChildWorkload>,
  subset: string,
): NameConflict | undefined {
  const { name: holder, uid, creationTimestamp } = owner.metadata;
  const found = children
    .by('ownersName', formatKey(owner.metadata))
    .find(
      (child) => controllerOf(child)?.uid !== uid && !isTerminating(child) && subsetNamedBy(child) === subset,
    );
  if (found === undefined) return undefined;
  const until = Date.parse(creationTimestamp) + behindMs;
  return { kind, name: found.metadata.name, ours: true, holder, until };
}
