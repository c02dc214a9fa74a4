import type { CacheDeclaration } from './cache-declaration.ts';
import { whileAskedFor } from '../informer/follow-rule.ts';
import type { Informer } from '../informer/informer.ts';
import type { InformerLimits, Informers } from '../informer/informers.ts';
import type { KubeObject } from '../objects/object.ts';
import type { Reader } from './reader.ts';

/** How each cache is kept, by name. */
export type CacheDeclarations = Readonly<Record<string, CacheDeclaration<KubeObject>>>;

/** The informers of declared caches, found by name. */
export class CacheSet {
  readonly readers: Readonly<Record<string, Reader<KubeObject>>>;
  readonly #byName = new Map<string, Informer<KubeObject>>();

  constructor(informers: Informers, declarations: CacheDeclarations) {
    const readers: Record<string, Reader<KubeObject>> = {};
    // Those that others ask for come behind them.
    const entries = Object.entries(declarations).sort(
      ([, a], [, b]) => Number(a.while !== undefined) - Number(b.while !== undefined),
    );
    const informerFor = (asking: CacheDeclaration<KubeObject>): Informer<KubeObject> => {
      const found = entries.find(([, declared]) => declared === asking);
      if (found === undefined)
        throw new Error(`a cache depends on one of ${asking.resource.plural} that is not declared beside it`);
      return this.#named(found[0]);
    };
    for (const [name, declared] of entries) {
      const informer = made(informers, name, declared, informerFor);
      readers[name] = informer.cache;
      this.#byName.set(name, informer);
    }
    this.readers = readers;
  }

  /** Resolves when each of these has its first content. */
  async synced(names: Iterable<string>): Promise<void> {
    await Promise.all([...names].map(async (name) => this.#named(name).synced));
  }

  /** Throws where no cache has this name. */
  cacheNamed(name: string): Informer<KubeObject>['cache'] {
    return this.#named(name).cache;
  }

  /** The informer that fills a reader of this set. */
  informerOf(reader: Reader<KubeObject>): Informer<KubeObject> {
    for (const informer of this.#byName.values()) if (informer.cache === reader) return informer;
    throw new Error(`no informer fills this cache of ${reader.resource.plural}`);
  }

  #named(name: string): Informer<KubeObject> {
    const informer = this.#byName.get(name);
    if (informer === undefined) throw new Error(`there is no cache ${name}`);
    return informer;
  }
}

function made(
  informers: Informers,
  name: string,
  {
    resource,
    indexers,
    projection,
    limits,
    optional,
    name: only,
    while: askedFor,
  }: CacheDeclaration<KubeObject>,
  informerFor: (asking: CacheDeclaration<KubeObject>) => Informer<KubeObject>,
): Informer<KubeObject> {
  const needs = projection === undefined ? { indexers } : { indexers, projection };
  const limited = only === undefined ? limits : limitsTo(only);
  if (askedFor !== undefined) {
    const asking = askedFor.caches.map(informerFor);
    const rule = whileAskedFor(asking, () => askedFor.isAsked(asking.map(({ cache }) => cache)));
    return informers.followedWhile(name, rule, resource, needs, limited);
  }
  return optional === true
    ? informers.optional(resource, needs)
    : informers.informer(resource, needs, limited);
}

function limitsTo(name: string): InformerLimits {
  return { fieldSelector: `metadata.name=${name}` };
}
