import type { CacheDeclaration } from './cache-declaration.ts';
import { whileAskedFor, type FollowRule } from '../informer/follow-rule.ts';
import type { Informer } from '../informer/informer.ts';
import type { InformerLimits, Informers, NamedRules } from '../informer/informers.ts';
import { NamespacedInformer } from '../informer/namespaced-informer.ts';
import type { ServedNamespace } from '../informer/served-namespace.ts';
import type { KubeObject } from '../objects/object.ts';
import type { Reader } from './reader.ts';

/** How each cache is kept, by name. */
export type CacheDeclarations = Readonly<Record<string, CacheDeclaration<KubeObject>>>;

type FindInformer = (asking: CacheDeclaration<KubeObject>) => Informer<KubeObject>;

/**
 * The informers of declared caches, found by name. Limited to namespaces, each of them has a watch for each cache of what is in
 * namespaces; the rest is followed as ever.
 */
export class CacheSet {
  readonly readers: Readonly<Record<string, Reader<KubeObject>>>;
  /** Those to which it is limited; undefined: it is not. */
  readonly namespaces: readonly ServedNamespace[] | undefined;
  readonly #byName = new Map<string, Informer<KubeObject>>();

  constructor(informers: Informers, declarations: CacheDeclarations, namespaces?: readonly string[]) {
    this.namespaces = namespaces?.map((name) => informers.servedNamespace(name));
    const readers: Record<string, Reader<KubeObject>> = {};
    // Those that others ask for come behind them.
    const entries = Object.entries(declarations).sort(
      ([, a], [, b]) => Number(a.while !== undefined) - Number(b.while !== undefined),
    );
    const informerFor: FindInformer = (asking) => {
      const found = entries.find(([, declared]) => declared === asking);
      if (found === undefined)
        throw new Error(`a cache depends on one of ${asking.resource.plural} that is not declared beside it`);
      return this.#named(found[0]);
    };
    for (const [name, declared] of entries) {
      const informer =
        this.namespaces !== undefined && declared.resource.namespaced
          ? madeInNamespaces(informers, name, declared, informerFor, this.namespaces)
          : made(informers, name, declared, informerFor);
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
  declared: CacheDeclaration<KubeObject>,
  informerFor: FindInformer,
): Informer<KubeObject> {
  const { resource, optional } = declared;
  const needs = needsOf(declared);
  const limits = limitsOf(declared);
  const rule = askedForRule(declared, informerFor);
  if (rule !== undefined) return informers.followedWhile(name, rule, resource, needs, limits);
  return optional === true
    ? informers.optional(resource, needs)
    : informers.informer(resource, needs, limits);
}

function madeInNamespaces(
  informers: Informers,
  name: string,
  declared: CacheDeclaration<KubeObject>,
  informerFor: FindInformer,
  namespaces: readonly ServedNamespace[],
): Informer<KubeObject> {
  const { resource, optional } = declared;
  const askedFor = askedForRule(declared, informerFor);
  const rules: NamedRules = {
    ...(optional === true ? { 'where it is served': informers.whileServed(resource) } : {}),
    ...(askedFor === undefined ? {} : { [`while ${name} asks for it`]: askedFor }),
  };
  const parts = namespaces.map((namespace) => {
    const made = informers.inNamespace(namespace, rules, resource, needsOf(declared), limitsOf(declared));
    // What is read only while others ask for it is asked for by what is read of the namespace then. A kind that need not be
    // installed is waited for by who needs it, as without namespaces: its reader says whether it is served and synced.
    if (askedFor === undefined && optional !== true) namespace.add(made.informer, made.rule);
    return { namespace, informer: made.informer };
  });
  return new NamespacedInformer(resource, parts, Object.keys(rules).length > 0);
}

function needsOf({ indexers, projection }: CacheDeclaration<KubeObject>) {
  return projection === undefined ? { indexers } : { indexers, projection };
}

function limitsOf({ limits, name }: CacheDeclaration<KubeObject>): InformerLimits | undefined {
  return name === undefined ? limits : { fieldSelector: `metadata.name=${name}` };
}

function askedForRule(
  { while: askedFor }: CacheDeclaration<KubeObject>,
  informerFor: FindInformer,
): FollowRule | undefined {
  if (askedFor === undefined) return undefined;
  const asking = askedFor.caches.map(informerFor);
  return whileAskedFor(asking, () => askedFor.isAsked(asking.map(({ cache }) => cache)));
}
