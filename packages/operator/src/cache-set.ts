import type { Informer, InformerLimits, Informers, KubeObject, Reader, Resource } from '@atoll/kube';
import { caches, type CacheDeclaration, type CacheName, type Readers } from './caches.ts';

function limitsTo(name: string): InformerLimits {
  return { fieldSelector: `metadata.name=${name}` };
}

/** The informers of the declared caches that are in use, found by name, by resource and by reader. */
export class CacheSet {
  /** A controller is given the readers that it declared; one that it did not declare is undefined and fails at once. */
  readonly readers: Readers;
  readonly #informers: readonly Informer<KubeObject>[];
  readonly #byName: ReadonlyMap<CacheName, Informer<KubeObject>>;

  constructor(informers: Informers, names: Iterable<CacheName>) {
    const readers: Partial<Record<CacheName, Reader<KubeObject>>> = {};
    const byName = new Map<CacheName, Informer<KubeObject>>();
    for (const name of new Set(names)) {
      const declared = caches[name] as unknown as CacheDeclaration<KubeObject>;
      const { resource, indexers, projection, limits, optional, name: only } = declared;
      const needs = projection === undefined ? { indexers } : { indexers, projection };
      const informer =
        optional === true
          ? informers.optional(resource, needs)
          : informers.informer(resource, needs, only === undefined ? limits : limitsTo(only));
      readers[name] = informer.cache;
      byName.set(name, informer);
    }
    this.#byName = byName;
    this.#informers = [...byName.values()];
    this.readers = readers as unknown as Readers;
  }

  /** Resolves when each of these has its first content. */
  async synced(names: Iterable<CacheName>): Promise<void> {
    await Promise.all([...names].map(async (name) => this.#byName.get(name)?.synced));
  }

  /** undefined: nobody reads this resource. */
  cacheOf(resource: Resource<KubeObject>): Informer<KubeObject>['cache'] | undefined {
    return this.#informers.find((informer) => informer.resource === resource)?.cache;
  }

  informerOf(reader: Reader<KubeObject>): Informer<KubeObject> {
    const informer = this.#informers.find((each) => each.cache === reader);
    if (informer === undefined) throw new Error(`nobody feeds the cache of ${reader.resource.plural}`);
    return informer;
  }
}
