import type { Projection } from './decoder/projection.ts';
import type { InformerLimits } from './informers.ts';
import type { KubeObject } from './object.ts';
import type { Indexers, OptionalReader, Reader } from './reader.ts';
import type { Resource } from './resource.ts';

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
  /** The kind need not be installed; its reader says whether it is. */
  readonly optional?: true;
}

/** Declares the cache of a kind whose CustomResourceDefinition may come and go. */
export type OptionalCacheDeclaration<T extends KubeObject> = CacheDeclaration<T> & {
  readonly optional: true;
};

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
): OptionalCacheDeclaration<T> {
  return { ...declaration, optional: true };
}
