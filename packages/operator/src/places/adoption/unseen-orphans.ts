import { formatSelector } from '@atoll/kube';
import type { KubeObject, Resource, Stored } from '@atoll/kube';
import type { Listing } from '../../engine/plan.ts';
import { selectorThatAdopts, type SelectingOwner } from './orphans.ts';

/**
 * Where an object that has no child is to get one, some that were its own may be back already: a backup was restored some milliseconds before
 * the object itself, and no cache holds them yet. They have other names, so nothing would refuse what is made beside them.
 * `made`: the kinds of children that are to be made, each once or more often.
 */
export function unseenOrphans(
  owner: Stored<SelectingOwner>,
  placeLabel: string,
  made: readonly Resource<KubeObject>[],
): readonly Listing[] {
  const selector = selectorThatAdopts(owner);
  if (selector === undefined) return [];
  const { namespace = '' } = owner.metadata;
  const labelSelector = `${formatSelector(selector)},${placeLabel}`;
  return [...new Set(made)].map((resource) => ({ resource, namespace, labelSelector }));
}
