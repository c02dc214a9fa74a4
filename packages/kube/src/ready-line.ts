import { Heap } from './heap.ts';

interface Place {
  readonly key: string;
  readonly lane: string | undefined;
  readonly priority: number;
  readonly order: number;
}

/**
 * The line of keys that wait for a worker: the highest priority first, of equals the one that came first. Of keys of one
 * lane one at a time comes out; the others wait until the lane is free again. Each step costs O(log n).
 */
export class ReadyLine {
  readonly #heap = new Heap<Place>((a, b) =>
    a.priority === b.priority ? a.order < b.order : a.priority > b.priority,
  );
  /** Where each key stands; its older places are skipped. */
  readonly #places = new Map<string, Place>();
  /** Who came to a busy lane. */
  readonly #behind = new Map<string, Place[]>();
  #order = 0;

  /** How many keys wait, those behind a busy lane included. */
  get length(): number {
    return this.#places.size;
  }

  /** Puts a key behind all of its priority, wherever it stood before. */
  put(key: string, priority: number, lane: string | undefined): void {
    const place = { key, lane, priority, order: this.#order++ };
    this.#places.set(key, place);
    this.#heap.push(place);
  }

  remove(key: string): void {
    this.#places.delete(key);
  }

  /** The first key whose lane is free; from now on its lane is busy. */
  take(): string | undefined {
    for (let place = this.#heap.pop(); place !== undefined; place = this.#heap.pop()) {
      const { key, lane } = place;
      if (this.#places.get(key) !== place) continue;
      const behind = lane === undefined ? undefined : this.#behind.get(lane);
      if (behind !== undefined) {
        behind.push(place);
        continue;
      }
      this.#places.delete(key);
      if (lane !== undefined) this.#behind.set(lane, []);
      return key;
    }
    return undefined;
  }

  /** The lane is free again; yields whether somebody waited for that. */
  free(lane: string): boolean {
    const behind = this.#behind.get(lane) ?? [];
    this.#behind.delete(lane);
    for (const place of behind) this.#heap.push(place);
    return behind.length > 0;
  }
}
