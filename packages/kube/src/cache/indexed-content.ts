import type { KubeObject, Stored } from '../objects/object.ts';
import type { Indexers } from './reader.ts';
import { SortedView } from './sorted-view.ts';

interface Index<T extends KubeObject> {
  readonly file: (object: Stored<T>) => readonly string[];
  readonly buckets: Map<string, SortedView<Stored<T>>>;
}

const none: readonly never[] = Object.freeze([]);

/** Objects by key, and by the values under which indexes file them. Of two objects of one key the later one counts. */
export class IndexedContent<T extends KubeObject> {
  /** What the objects are called in messages. */
  readonly #plural: string;
  readonly #content = new SortedView<Stored<T>>();
  readonly #indexes = new Map<string, Index<T>>();

  constructor(plural: string) {
    this.#plural = plural;
  }

  get size(): number {
    return this.#content.size;
  }

  /** Adds indexes, before the first object is here. Throws where an index of this name files otherwise. */
  declare(indexers: Indexers<T>): void {
    for (const [name, file] of Object.entries(indexers)) {
      const known = this.#indexes.get(name);
      if (known !== undefined && known.file !== file) {
        throw new Error(`the cache of ${this.#plural} has another index ${name} already`);
      }
      this.#indexes.set(name, known ?? { file, buckets: new Map() });
    }
  }

  get(key: string): Stored<T> | undefined {
    return this.#content.get(key);
  }

  /** Sorted by key. */
  read(): readonly Stored<T>[] {
    return this.#content.read();
  }

  entries(): IterableIterator<[string, Stored<T>]> {
    return this.#content.entries();
  }

  /** Those that the index files under the value, sorted by key. */
  by(index: string, value: string): readonly Stored<T>[] {
    return this.#index(index).buckets.get(value)?.read() ?? none;
  }

  set(key: string, object: Stored<T>): void {
    const before = this.#content.get(key);
    this.#content.set(key, object);
    for (const { file, buckets } of this.#indexes.values()) {
      const values = file(object);
      for (const value of before === undefined ? [] : file(before)) {
        if (!values.includes(value)) removeFrom(buckets, value, key);
      }
      for (const value of values) {
        const bucket = buckets.get(value) ?? new SortedView<Stored<T>>();
        buckets.set(value, bucket);
        bucket.set(key, object);
      }
    }
  }

  delete(key: string): void {
    const before = this.#content.get(key);
    if (before === undefined) return;
    this.#content.delete(key);
    for (const { file, buckets } of this.#indexes.values()) {
      for (const value of file(before)) removeFrom(buckets, value, key);
    }
  }

  #index(name: string): Index<T> {
    const index = this.#indexes.get(name);
    if (index !== undefined) return index;
    const known = [...this.#indexes.keys()].join(', ');
    throw new Error(`the cache of ${this.#plural} has no index ${name}; it has: ${known || 'none'}`);
  }
}

function removeFrom<V>(buckets: Map<string, SortedView<V>>, value: string, key: string): void {
  const bucket = buckets.get(value);
  bucket?.delete(key);
  if (bucket?.size === 0) buckets.delete(value);
}
