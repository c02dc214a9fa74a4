import type { Projection } from '../decoder/projection.ts';
import type { InformerLimits } from '../informer/informers.ts';
import type { KubeObject } from '../objects/object.ts';
import type { Indexers, OptionalReader, Reader } from './reader.ts';
import type { Resource } from '../objects/resource.ts';

/** How one resource is kept in memory. */
export interface CacheDeclaration<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly indexers: Indexers<T>;
  /** undefined: the whole object. */
  readonly projection?: Projection<T>;
  /** undefined: all objects. */
  readonly limits?: InformerLimits;
  /** Only this one object. The right to read can then be limited to it. */
  readonly name?: string;
  /** The kind need not be installed; its reader shows whether it is. */
  readonly optional?: true;
  /** Objects are followed only while the content of other caches asks for them; the reader shows whether they are. */
  readonly while?: AskedFor;
}

/** The caches that ask, in the order in which `isAsked` takes their readers. */
export interface AskedFor {
  readonly caches: readonly CacheDeclaration<KubeObject>[];
  readonly isAsked: (readers: readonly Reader<KubeObject>[]) => boolean;
}

/** The cache of objects that are not followed all the time. */
export type OptionalCacheDeclaration<T extends KubeObject> = CacheDeclaration<T> &
  ({ readonly optional: true } | { readonly while: AskedFor });

/** The reader of a declared cache. */
export type ReaderOf<Declaration> =
  Declaration extends OptionalCacheDeclaration<infer T>
    ? OptionalReader<T>
    : Declaration extends CacheDeclaration<infer T>
      ? Reader<T>
      : never;

/** Declares a cache with the type of its objects. */
export function declareCache<T extends KubeObject>(declaration: CacheDeclaration<T>): CacheDeclaration<T> {
  return declaration;
}

/** Declares the cache of a kind that need not be installed. */
export function declareOptionalCache<T extends KubeObject>(
  declaration: CacheDeclaration<T>,
): CacheDeclaration<T> & { readonly optional: true } {
  return { ...declaration, optional: true };
}

/** Declares a cache that is kept only while the content of two others asks for it. A reader of it reads those two. */
export function declareCacheWhile<A extends KubeObject, B extends KubeObject, T extends KubeObject>(
  caches: readonly [CacheDeclaration<A>, CacheDeclaration<B>],
  isAsked: (a: Reader<A>, b: Reader<B>) => boolean,
  declaration: CacheDeclaration<T>,
): CacheDeclaration<T> & { readonly while: AskedFor } {
  return {
    ...declaration,
    while: {
      caches: caches as unknown as AskedFor['caches'],
      isAsked: ([a, b]) => isAsked(a as Reader<A>, b as Reader<B>),
    },
  };
}
