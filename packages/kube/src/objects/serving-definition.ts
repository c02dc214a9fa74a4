import { projection } from '../decoder/projection.ts';
import type { KubeObject, Stored } from './object.ts';
import type { Resource } from './resource.ts';
import type { CustomResourceDefinition } from '../types/index.ts';

/** The name of the CustomResourceDefinition that a resource would come from. */
export function definitionName({ group, plural }: Pick<Resource<KubeObject>, 'group' | 'plural'>): string {
  return `${plural}.${group}`;
}

/** What {@link isServedBy} reads; the schemas, by far the most of a definition, never become objects. */
export const definitionFields = projection<CustomResourceDefinition>()(
  'spec.versions.name',
  'spec.versions.served',
  'status.conditions.type',
  'status.conditions.status',
);

/**
 * Whether a definition makes the API server serve a resource in its version: it is established, and not on its way out.
 * One that is being deleted takes its objects along, one by one; what is still read of them is incomplete.
 */
export function isServedBy(
  definition: Stored<CustomResourceDefinition>,
  { version }: Pick<Resource<KubeObject>, 'version'>,
): boolean {
  if (definition.metadata.deletionTimestamp !== undefined) return false;
  const { conditions = [] } = definition.status ?? {};
  return (
    definition.spec.versions.some((each) => each.name === version && each.served) &&
    conditions.some(({ type, status }) => type === 'Established' && status === 'True')
  );
}
