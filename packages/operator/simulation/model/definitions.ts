import { customResourceDefinitions, definitionName } from '@atoll/kube';
import type { KubeObject, Resource } from '@atoll/kube';
import { seed, slotOf, type Store } from './store.ts';

/** A CustomResourceDefinition, as far as they differ here. */
export interface Definition extends KubeObject {
  /** false: its version is not served, and the objects are kept. */
  readonly spec: { readonly served: boolean };
}

export const definitions = customResourceDefinitions as unknown as Resource<Definition>;

/** With a label, as Helm labels what it installs. */
export function definitionOf(resource: Resource<KubeObject>): Definition {
  const finalizers = ['customresourcecleanup.apiextensions.k8s.io'];
  const labels = { 'app.kubernetes.io/managed-by': 'Helm' };
  return { metadata: { name: definitionName(resource), finalizers, labels }, spec: { served: true } };
}

/** With the definition of a kind that the operator has installed long ago. */
export function withDefinition(store: Store, resource: Resource<KubeObject>): Store {
  const name = definitionName(resource);
  return seed(store, definitions, definitionOf(resource), `uid-${name}`, '2026-01-01T00:00:00Z');
}

/** What a store or a cache holds of a resource that comes from a definition. `going`: it takes its objects along. */
export function standingOf(
  objects: ReadonlyMap<string, { readonly object: KubeObject }>,
  resource: Pick<Resource<KubeObject>, 'group' | 'plural'>,
): 'absent' | 'going' | 'stands' {
  const held = objects.get(slotOf(definitions, { name: definitionName(resource) }));
  const definition = held?.object as Definition | undefined;
  if (definition?.spec.served !== true) return 'absent';
  return definition.metadata.deletionTimestamp === undefined ? 'stands' : 'going';
}
