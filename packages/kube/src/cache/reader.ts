import type { Instant } from '../clock/clock.ts';
import type { KubeObject, ObjectKey, Stored } from '../objects/object.ts';
import type { Resource } from '../objects/resource.ts';

/**
 * What a decision may see of a cache. Objects are frozen and shared; lists are sorted by key, so that
 * equal content always reads equal.
 */
export interface Reader<T extends KubeObject> {
  readonly resource: Resource<T>;
  /** False until the first full content has arrived. */
  readonly synced: boolean;
  /** The namespaces of which objects are read; undefined: all. Of another namespace nothing is known. */
  readonly namespaces?: readonly string[];
  get(key: ObjectKey): Stored<T> | undefined;
  list(): readonly Stored<T>[];
  /** The objects that the named index files under `value`. An unknown index is a programming error and throws. */
  by(index: string, value: string): readonly Stored<T>[];
  /**
   * Whether an object of this key is there whose present version cannot be read: what {@link get} yields is an earlier
   * version, and where it yields nothing there may still be one.
   */
  isUnreadable?(key: ObjectKey): boolean;
}

/**
 * A reader of a kind that need not be installed, or of objects that are followed only while they are asked for: then "installed" reads
 * "asked for". With {@link served} and {@link Reader.synced} there are four answers:
 * - served and synced: what is read is everything there is;
 * - not served, but synced: the kind is not installed, there is nothing to read and nothing can be written. That
 *   nothing is read does not mean that nothing was there before;
 * - served and not synced: the kind is installed, and its objects have not arrived (or cannot be read);
 * - neither: it is not known yet.
 */
export interface OptionalReader<T extends KubeObject> extends Reader<T> {
  /** Whether the API server serves this kind in this version now, or the objects are asked for now. */
  readonly served: boolean;
  /** That the kind is served and its objects cannot be read; undefined: they can, or it is not known yet. */
  readonly unreadable?: Unreadable | undefined;
}

/** Why a kind that is there cannot be read. */
export interface Unreadable {
  /** When the first attempt failed. */
  readonly since: Instant;
  /** The API server's answer. */
  readonly why: string;
}

/** How an index files an object: under none, one or several values. */
export type Indexers<T extends KubeObject> = Readonly<
  Record<string, (object: Stored<T>) => readonly string[]>
>;

/**
 * A change of one object in the cache, in the order in which the cache took it. `echo`: the answer to a request of ours has
 * brought the same version before. `skips`: versions between `old` and `object` could be read, and no event reports them.
 */
export type CacheEvent<T extends KubeObject> =
  | { readonly type: 'added'; readonly object: Stored<T>; readonly echo?: true }
  | {
      readonly type: 'updated';
      readonly old: Stored<T>;
      readonly object: Stored<T>;
      readonly echo?: true;
      readonly skips?: true;
    }
  | { readonly type: 'deleted'; readonly object: Stored<T> };

/** A reader that is fed: by watch events, by relists and by the responses of our own writes. */
export interface WriteThroughCache<T extends KubeObject> extends Reader<T> {
  /** Reads the answer to a write of ours, for {@link wrote}: only what is held, and what is known is not parsed anew. */
  readonly decode?: (answer: Buffer) => Stored<T>;
  /** A successful write's response. Ignored where the cache holds something newer. Enqueues nothing. */
  wrote(object: Stored<T>): void;
  /** An immediate deletion that succeeded. Leaves a tombstone for the uid until the stream is past it. */
  wroteDeletion(key: ObjectKey, uid: string): void;
}
