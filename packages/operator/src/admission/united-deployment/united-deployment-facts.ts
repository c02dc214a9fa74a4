import type { UnitedDeployment } from '@atoll/api';
import type { Stored } from '@atoll/kube';
import { byService } from '../../children/child.ts';
import { ownedChildren, servesPlace } from '../../places/children/owned-children.ts';
import { readerOf, type ChildReaders } from '../../places/reader-of.ts';
import { subsetNamedBy, type Child } from '../../united-deployment/subsets/child.ts';
import { childKinds, type ChildKind } from '../../united-deployment/subsets/child-kind.ts';

/** What the admission of a UnitedDeployment reads. */
export type UnitedDeploymentReaders = ChildReaders<ChildKind>;

/** What the caches hold about a UnitedDeployment: reads nothing else. */
export interface UnitedDeploymentFacts {
  /** Live children that name a subset, of all kinds; of one subset the one that serves it first. */
  readonly children: readonly (Child & { readonly place: string })[];
}

export function unitedDeploymentFacts(
  object: Stored<UnitedDeployment>,
  readers: UnitedDeploymentReaders,
): UnitedDeploymentFacts {
  const owned = ownedChildren({ object }, childKinds, (kind) => readerOf(readers, kind), subsetNamedBy);
  return { children: owned.filter(servesPlace).sort(byService) };
}

/** Why children of this kind cannot be read; undefined: they can, or it is not known yet. */
export function whyUnreadable(readers: UnitedDeploymentReaders, kind: ChildKind): string | undefined {
  return readerOf(readers, kind).unreadable?.why;
}

export function areSynced(readers: UnitedDeploymentReaders, kind: ChildKind): boolean {
  return readerOf(readers, kind).synced;
}
