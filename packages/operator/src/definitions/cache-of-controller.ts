import { groupResourceOf, type CacheSet, type KubeObject, type Resource } from '@atoll/kube';
import type { WriteThroughCache } from '@atoll/kube';
import { ownCacheNameOf } from './declared-caches.ts';
import type { KindDefinition } from './kind-definition.ts';

/** The cache of a resource that a controller reads, found by the name that its definition gives it; undefined: it reads none. */
export type CacheOfController = (
  resource: Resource<KubeObject>,
  controller: string,
) => WriteThroughCache<KubeObject> | undefined;

export function cacheOfController(selected: readonly KindDefinition[], cached: CacheSet): CacheOfController {
  const definitions = new Map(selected.map((definition) => [definition.name, definition]));
  const found = new Map<string, string | undefined>();
  return (resource, controller) => {
    const asked = `${controller} ${groupResourceOf(resource)}`;
    const definition = definitions.get(controller);
    if (!found.has(asked) && definition !== undefined) found.set(asked, ownCacheNameOf(definition, resource));
    const name = found.get(asked);
    return name === undefined ? undefined : cached.cacheNamed(name);
  };
}
