import { controllerOf } from '@atoll/kube';
import type { KubeObject, Resource, Stored, WriteThroughCache } from '@atoll/kube';
import { emptyCaches, ModelCache } from '../model/caches.ts';
import type { ModelClient } from '../model/model-client.ts';
import { children, pools, spreads } from './one-child-per-pool.ts';
import type { Child, Pool, Spread } from './one-child-per-pool.ts';

/** The spread `web` in the namespace `edge`, as it was stored, and caches that hold it and its pools. */
export interface OneSpread {
  readonly web: Stored<Spread>;
  readonly readers: {
    readonly spreads: ModelCache<Spread>;
    readonly pools: ModelCache<Pool>;
    readonly children: ModelCache<Child>;
  };
  readonly cacheOf: (resource: Resource<KubeObject>) => WriteThroughCache<KubeObject> | undefined;
}

/** Puts it, and pools that are on, into the store of the client. */
export function oneSpread(client: ModelClient, poolNames: readonly string[]): OneSpread {
  const metadata = { name: 'web', namespace: 'edge' };
  const web = client.put<Spread>(spreads, { metadata, spec: { version: 1 } });
  const shown = { content: emptyCaches, unsynced: new Set<string>() };
  const readers = {
    spreads: new ModelCache(spreads, shown),
    pools: new ModelCache(pools, shown),
    children: new ModelCache(children, shown, { owner: (child) => [controllerOf(child)?.uid ?? ''] }),
  };
  const caches = Object.values(readers) as unknown as readonly WriteThroughCache<KubeObject>[];
  for (const name of poolNames) {
    readers.pools.wrote(client.put<Pool>(pools, { metadata: { name }, spec: { on: true } }));
  }
  readers.spreads.wrote(web);
  return {
    web,
    readers,
    cacheOf: (resource) => caches.find((cache) => (cache.resource as object) === resource),
  };
}
