import { fieldManagers, nodePools, oldFieldManagers } from '@atoll/api';
import { customResourceDefinitions, definitionName, instantOf } from '@atoll/kube';
import type { CustomResourceDefinition, Instant, KubeObject, Reader, Stored } from '@atoll/kube';
import { isTerminating } from '../children/child.ts';
import { seenExactly } from '../engine/steps/seen.ts';
import type { Seen } from '../engine/step.ts';

/** The CustomResourceDefinition of NodePools; undefined: somebody deleted it. */
export type DefinitionOfPools = Stored<CustomResourceDefinition> | undefined;

export function definitionOfPools(reader: Reader<CustomResourceDefinition>): DefinitionOfPools {
  return reader.get({ name: definitionName(nodePools) });
}

/**
 * Where the pool of this object is absent: why it may have gone with the definition of all pools, in words; undefined: somebody deleted
 * the pool itself. The API server deletes all pools with their definition, and one that is installed again begins without any. An
 * object that was written for its pool after the definition was made shows that the pool was there since then.
 */
export function whyMaybeLost(object: KubeObject, definition: DefinitionOfPools): string | undefined {
  const what = 'it may have gone with the definition of NodePools, which';
  if (definition === undefined) return `${what} was deleted`;
  if (isTerminating(definition)) return `${what} is being deleted`;
  const { creationTimestamp } = definition.metadata;
  const made = instantOf(creationTimestamp);
  if (made === undefined || lastWrite(object) >= made) return undefined;
  return `${what} was deleted and was installed again at ${creationTimestamp}`;
}

/** By Atoll; where it has not written it, by an old operator, which has other duties too; where none has, when it was made. */
function lastWrite({ metadata: { creationTimestamp, managedFields = [] } }: KubeObject): Instant {
  const of = (isOne: (manager: string) => boolean) =>
    managedFields.filter(({ manager = '' }) => isOne(manager)).map(({ time }) => time);
  const ours = of((manager) => manager === fieldManagers.atoll);
  const times = ours.length > 0 ? ours : of((manager) => oldFieldManagers.includes(manager));
  return Math.max(...[creationTimestamp, ...times].map((time) => instantOf(time) ?? 0));
}

/** What a step depends on that is taken because a pool was deleted: read after the pool, it shows that the pool did not go with it. */
export function definitionSeen(definition: DefinitionOfPools): readonly Seen[] {
  return definition === undefined ? [] : [seenExactly(customResourceDefinitions, definition)];
}
