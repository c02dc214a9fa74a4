import type { UnitedDeployment } from '@atoll/api';
import type { Stored } from '@atoll/kube';
import { byService, isTerminating } from '../../children/child.ts';
import { subsetNamedBy, type Child } from '../../united-deployment/child.ts';
import { childKinds, type ChildKind } from '../../united-deployment/child-kind.ts';
import { readerOf, type ChildReaders } from '../../united-deployment/reader-of.ts';

/** What the admission of a UnitedDeployment reads. */
export type UnitedDeploymentReaders = ChildReaders;

/** What the caches say about a UnitedDeployment: reads nothing else. */
export interface UnitedDeploymentFacts {
  /** Live children that name a subset, of all kinds; of one subset the one that serves it first. */
  readonly children: readonly (Child & { readonly subset: string })[];
}

export function unitedDeploymentFacts(
  { metadata }: Stored<UnitedDeployment>,
  readers: UnitedDeploymentReaders,
): UnitedDeploymentFacts {
  const { uid, namespace } = metadata;
  const children = childKinds.flatMap((kind) =>
    readerOf(readers, kind)
      .by('owner', uid)
      .flatMap((object) => {
        const subset = subsetNamedBy(object);
        const ours = object.metadata.namespace === namespace && !isTerminating(object);
        return ours && subset !== undefined ? [{ kind, object, subset }] : [];
      }),
  );
  return { children: children.sort(byService) };
}

/** Why children of this kind cannot be read; undefined: they can, or nobody knows yet. */
export function whyUnreadable(readers: UnitedDeploymentReaders, kind: ChildKind): string | undefined {
  return readerOf(readers, kind).unreadable?.why;
}

export function areSynced(readers: UnitedDeploymentReaders, kind: ChildKind): boolean {
  return readerOf(readers, kind).synced;
}
