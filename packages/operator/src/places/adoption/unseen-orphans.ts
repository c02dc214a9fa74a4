import { formatSelector } from '@atoll/kube';
import type { Instant, KubeObject, Resource, Stored } from '@atoll/kube';
import type { Listing } from '../../engine/plan.ts';
import { selectorThatAdopts, type SelectingOwner } from './orphans.ts';

/**
 * Whether what was once its own may be back: no child was made since the object was. Those that it has came back too, and may have come one
 * by one.
 */
export function mayHaveFormer(
  owner: Stored<KubeObject>,
  places: readonly { readonly child: { readonly object: Stored<KubeObject> } | undefined }[],
): boolean {
  const madeAt = ({ metadata }: Stored<KubeObject>): Instant => Date.parse(metadata.creationTimestamp);
  return places.every(({ child }) => child === undefined || madeAt(child.object) <= madeAt(owner));
}

/**
 * Before an object gets its first children, those that were its own may be back: a backup was restored some milliseconds before
 * the object itself, and no cache holds them yet. They have other names, so nothing would refuse what is made beside them.
 * `made`: the kinds of children that are to be made, each once or more often. `known`: the uids of those that nobody owns, as they were seen.
 */
export function unseenOrphans(
  owner: Stored<SelectingOwner>,
  placeLabel: string,
  made: readonly Resource<KubeObject>[],
  known: readonly string[],
): readonly Listing[] {
  const selector = selectorThatAdopts(owner);
  if (selector === undefined) return [];
  const { namespace = '' } = owner.metadata;
  const labelSelector = `${formatSelector(selector)},${placeLabel}`;
  return [...new Set(made)].map((resource) => ({ resource, namespace, labelSelector, known }));
}
