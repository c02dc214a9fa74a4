import { parseSelectorText, selectorMatches } from '@atoll/kube';
import type { KubeObject, Stored } from '@atoll/kube';
import type { Listing } from '../../src/engine/plan.ts';
import { heldOf, storedOf } from './store.ts';
import type { Store } from './store.ts';

/** What a list shows, as the API server answers it. */
export function listed(
  store: Store,
  { resource, namespace, labelSelector }: Omit<Listing, 'known'>,
): readonly Stored<KubeObject>[] {
  const selector = parseSelectorText(labelSelector);
  return heldOf(store, resource)
    .map(storedOf)
    .filter(({ metadata }) => metadata.namespace === namespace && selectorMatches(selector, metadata.labels));
}
