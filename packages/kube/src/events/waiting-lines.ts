interface Place<T> {
  older: T | undefined;
  newer: T | undefined;
}

/** A set that has its newest element too, each step in O(1). */
class Line<T> {
  readonly #places = new Map<T, Place<T>>();
  newest: T | undefined;

  get size(): number {
    return this.#places.size;
  }

  add(element: T): void {
    this.delete(element);
    this.#link(this.newest, element);
    this.#places.set(element, { older: this.newest, newer: undefined });
    this.newest = element;
  }

  delete(element: T): void {
    const place = this.#places.get(element);
    if (place === undefined) return;
    this.#places.delete(element);
    this.#link(place.older, place.newer);
    if (this.newest === element) this.newest = place.older;
  }

  #link(older: T | undefined, newer: T | undefined): void {
    const before = older === undefined ? undefined : this.#places.get(older);
    const after = newer === undefined ? undefined : this.#places.get(newer);
    if (before !== undefined) before.newer = newer;
    if (after !== undefined) after.older = older;
  }
}

/** What waits in each namespace. */
export class WaitingLines<T> {
  readonly #lines = new Map<string, Line<T>>();

  add(namespace: string, element: T): void {
    const line = this.#lines.get(namespace) ?? new Line<T>();
    this.#lines.set(namespace, line);
    line.add(element);
  }

  delete(namespace: string, element: T): void {
    const line = this.#lines.get(namespace);
    line?.delete(element);
    if (line?.size === 0) this.#lines.delete(namespace);
  }

  clear(): void {
    this.#lines.clear();
  }

  /**
   * What has to go for another element of the namespace: the newest of the namespace in which the most wait. undefined: none, because it
   * would be of that namespace itself, or leave it with fewer. O(number of namespaces).
   */
  newestInPlaceOf(namespace: string): T | undefined {
    let longest: Line<T> | undefined;
    for (const line of this.#lines.values()) if (line.size > (longest?.size ?? 0)) longest = line;
    const own = this.#lines.get(namespace)?.size ?? 0;
    return longest !== undefined && longest.size > own + 1 ? longest.newest : undefined;
  }
}
