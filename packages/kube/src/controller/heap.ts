/** A binary heap: the least element first, by the comparison. */
export class Heap<T> {
  readonly #items: T[] = [];
  readonly #before: (a: T, b: T) => boolean;

  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#items.length;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!this.#swapIfBefore(at, above)) return;
      at = above;
    }
  }

  pop(): T | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (first === undefined || last === undefined || items.length === 0) return first;
    items[0] = last;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const right = left + 1;
      const least = this.#isBefore(right, left) ? right : left;
      if (!this.#swapIfBefore(least, at)) return first;
      at = least;
    }
  }

  #isBefore(a: number, b: number): boolean {
    const first = this.#items[a];
    const second = this.#items[b];
    return first !== undefined && second !== undefined && this.#before(first, second);
  }

  #swapIfBefore(a: number, b: number): boolean {
    const first = this.#items[a];
    const second = this.#items[b];
    if (first === undefined || second === undefined || !this.#before(first, second)) return false;
    this.#items[a] = second;
    this.#items[b] = first;
    return true;
  }
}
