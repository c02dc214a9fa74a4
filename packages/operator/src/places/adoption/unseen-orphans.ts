import { formatSelector } from '@atoll/kube';
import type { KubeObject, Resource, Stored } from '@atoll/kube';
import type { Listing } from '../../engine/plan.ts';
import { selectorThatAdopts, type SelectingOwner } from './orphans.ts';

/**
 * Before an object gets its first children, those that were its own may be back: a backup was restored some milliseconds before
 * the object itself, and no cache holds them yet. They have other names, so nothing would refuse what is made beside them. Children that are not
 * younger than the object came back themselves, and others may come after them.
 * `made`: the kinds of children that are to be made, each once or more often. `known`: the uids of those that nobody owns, as they were seen.
 */
export function unseenOrphans(
  owner: Stored<SelectingOwner>,
  placeLabel: string,
  places: readonly { readonly child: { readonly object: Stored<KubeObject> } | undefined }[],
  made: readonly Resource<KubeObject>[],
  known: readonly string[],
): readonly Listing[] {
  const { namespace = '', creationTimestamp } = owner.metadata;
  const cameBack = ({ metadata }: Stored<KubeObject>): boolean =>
    metadata.creationTimestamp <= creationTimestamp;
  if (made.length === 0 || !places.every(({ child }) => child === undefined || cameBack(child.object)))
    return [];
  const selector = selectorThatAdopts(owner);
  if (selector === undefined) return [];
  const labelSelector = `${formatSelector(selector)},${placeLabel}`;
  return [...new Set(made)].map((resource) => ({ resource, namespace, labelSelector, known }));
}
