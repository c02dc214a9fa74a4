import { groupResourceOf } from '@atoll/kube';
import type { CacheDeclaration, CacheDeclarations, KubeObject, Resource } from '@atoll/kube';
import type { KindDefinition } from './kind-definition.ts';

/** The caches that these controllers read, each once. Throws where two of them mean different caches by one name. */
export function declaredCaches(definitions: readonly Pick<KindDefinition, 'name' | 'reads'>[]) {
  const declared: Record<string, CacheDeclaration<KubeObject>> = {};
  for (const { name: controller, reads } of definitions) {
    for (const [name, declaration] of Object.entries(reads)) {
      const known = declared[name];
      if (known !== undefined && known !== declaration) {
        throw new Error(
          `${controller} declares another cache under the name "${name}", which is already declared: give it a name of its own`,
        );
      }
      declared[name] = declaration;
    }
  }
  return declared as CacheDeclarations;
}

/** The cache in which the controller sees its own objects and writes of a resource; undefined: it reads none. */
export function ownCacheNameOf(
  definition: Pick<KindDefinition, 'reads' | 'writes'>,
  resource: Resource<KubeObject>,
): string | undefined {
  const wanted = groupResourceOf(resource);
  const write = definition.writes.find(
    (each) => each.seenIn !== undefined && groupResourceOf(each.resource) === wanted,
  );
  return write?.seenIn ?? cacheNamesOf(definition, resource)[0];
}

/** The names of the controller's caches of a resource. Descriptors are compared by their fields, not by identity. */
export function cacheNamesOf(
  { reads }: Pick<KindDefinition, 'reads'>,
  resource: Resource<KubeObject>,
): readonly string[] {
  const wanted = groupResourceOf(resource);
  return Object.entries(reads).flatMap(([name, declared]) =>
    groupResourceOf(declared.resource) === wanted ? [name] : [],
  );
}
