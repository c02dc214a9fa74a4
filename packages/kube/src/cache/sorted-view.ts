/**
 * Values by key, readable as a list that is sorted by key. A read after few changes merges them into the list
 * of the read before in one walk, instead of sorting all again; a read after none returns the same list.
 */
export class SortedView<V> {
  readonly #members = new Map<string, V>();
  readonly #changed = new Set<string>();
  #keys: readonly string[] = [];
  #values: readonly V[] = Object.freeze([]);

  get size(): number {
    return this.#members.size;
  }

  get(key: string): V | undefined {
    return this.#members.get(key);
  }

  entries(): IterableIterator<[string, V]> {
    return this.#members.entries();
  }

  set(key: string, value: V): void {
    this.#members.set(key, value);
    this.#change(key);
  }

  delete(key: string): void {
    if (this.#members.delete(key)) this.#change(key);
  }

  /** Frozen; never changes afterwards. */
  read(): readonly V[] {
    if (this.#changed.size === 0) return this.#values;
    const keys: string[] = [];
    const values: V[] = [];
    const take = (key: string, value: V | undefined): void => {
      if (value === undefined) return;
      keys.push(key);
      values.push(value);
    };
    let next = 0;
    for (const key of [...this.#changed].toSorted()) {
      for (; next < this.#keys.length; next++) {
        const before = this.#keys[next];
        if (before === undefined || before >= key) break;
        take(before, this.#values[next]);
      }
      if (this.#keys[next] === key) next++;
      take(key, this.#members.get(key));
    }
    for (; next < this.#keys.length; next++) {
      const before = this.#keys[next];
      if (before !== undefined) take(before, this.#values[next]);
    }
    this.#changed.clear();
    this.#keys = keys;
    this.#values = Object.freeze(values);
    return this.#values;
  }

  #change(key: string): void {
    this.#changed.add(key);
    if (this.#changed.size <= 2 * this.#members.size + 64) return;
    // Nobody has read for long: what is remembered for the next read must not outgrow what is there.
    this.#keys = [];
    this.#values = Object.freeze([]);
    this.#changed.clear();
    for (const member of this.#members.keys()) this.#changed.add(member);
  }
}
