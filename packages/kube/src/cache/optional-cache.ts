import type { ObjectCache } from './cache.ts';
import type { KubeObject, ObjectKey, Stored } from '../objects/object.ts';
import type { Indexers, OptionalReader, Unreadable, WriteThroughCache } from './reader.ts';
import type { Resource } from '../objects/resource.ts';

/** Whether the API server serves a kind: `unknown` until that is found. */
export type Presence = 'unknown' | 'absent' | 'served';

/**
 * The cache of a resource that comes and goes. Each time that it comes, a new {@link ObjectCache} takes its place
 * behind this one; while it is away, this one is empty and takes no write.
 */
export class OptionalCache<T extends KubeObject> implements OptionalReader<T>, WriteThroughCache<T> {
  readonly resource: Resource<T>;
  /** Names of the indexes: a question for an unknown one is a programming error, also while nothing is served. */
  readonly #indexes = new Set<string>();
  #presence: Presence = 'unknown';
  #content: ObjectCache<T> | undefined;
  #unreadable: Unreadable | undefined;

  constructor(resource: Resource<T>) {
    this.resource = resource;
  }

  get served(): boolean {
    return this.#presence === 'served';
  }

  get synced(): boolean {
    return this.#presence === 'served' ? this.#content?.synced === true : this.#presence === 'absent';
  }

  get unreadable(): Unreadable | undefined {
    return this.served && !this.synced ? this.#unreadable : undefined;
  }

  get(key: ObjectKey): Stored<T> | undefined {
    return this.#content?.get(key);
  }

  list(): readonly Stored<T>[] {
    return this.#content?.list() ?? none;
  }

  by(index: string, value: string): readonly Stored<T>[] {
    if (this.#content !== undefined) return this.#content.by(index, value);
    if (this.#indexes.has(index)) return none;
    throw new Error(`the cache of ${this.resource.plural} has no index ${index}`);
  }

  /** What the events have reported so far, in no order. */
  announced(): readonly Stored<T>[] {
    return this.#content?.announced() ?? none;
  }

  isUnreadable(key: ObjectKey): boolean {
    return this.#content?.isUnreadable(key) === true;
  }

  decode(answer: Buffer): Stored<T> {
    return this.#content?.decode(answer) ?? (JSON.parse(answer.toString('utf8')) as Stored<T>);
  }

  wrote(object: Stored<T>): void {
    this.#content?.wrote(object);
  }

  wroteDeletion(key: ObjectKey, uid: string): void {
    this.#content?.wroteDeletion(key, uid);
  }

  declare(indexers: Indexers<T>): void {
    for (const name of Object.keys(indexers)) this.#indexes.add(name);
  }

  become(presence: 'absent'): void;
  become(presence: 'served', content: ObjectCache<T>): void;
  become(presence: Presence, content?: ObjectCache<T>): void {
    this.#presence = presence;
    this.#content = content;
    this.#unreadable = undefined;
  }

  /** Of the content that is awaited; forgotten when it arrives. */
  cannotBeRead(unreadable: Unreadable): void {
    this.#unreadable = unreadable;
  }
}

const none: readonly never[] = Object.freeze([]);
