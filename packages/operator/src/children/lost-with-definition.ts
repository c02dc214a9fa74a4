import { customResourceDefinitions, definitionName, instantOf } from '@atoll/kube';
import type { CustomResourceDefinition, Instant, KubeObject, Reader, Resource, Stored } from '@atoll/kube';
import { seenExactly } from '../engine/steps/seen.ts';
import type { Seen } from '../engine/step.ts';
import { isTerminating } from './child.ts';

/** The CustomResourceDefinition of a kind; undefined: somebody deleted it. */
export type InstalledDefinition = Stored<CustomResourceDefinition> | undefined;

/** Of the objects that `of` holds. */
export function installedDefinition(
  of: Pick<Reader<KubeObject>, 'resource'>,
  definitions: Reader<CustomResourceDefinition>,
): InstalledDefinition {
  return definitions.get({ name: definitionName(of.resource) });
}

/**
 * Where an object of the kind is absent: why it may have gone with the definition of all of them, in words; undefined: somebody deleted the object
 * itself. The API server deletes all objects with their definition, and one that is installed again begins without any. `last`: when the object is known
 * to have been there last.
 */
export function whyMaybeLost(
  { kind }: Pick<Resource<KubeObject>, 'kind'>,
  definition: InstalledDefinition,
  last: Instant,
): string | undefined {
  const what = `it may have gone with the definition of ${kind}s, which`;
  if (definition === undefined) return `${what} was deleted`;
  if (isTerminating(definition)) return `${what} is being deleted`;
  const { creationTimestamp } = definition.metadata;
  const made = instantOf(creationTimestamp);
  if (made === undefined || last >= made) return undefined;
  return `${what} was deleted and was installed again at ${creationTimestamp}`;
}

/** What a step depends on that is taken because an object was deleted: read after the object, it shows that the object did not go with it. */
export function definitionSeen(definition: InstalledDefinition): readonly Seen[] {
  return definition === undefined ? [] : [seenExactly(customResourceDefinitions, definition)];
}
