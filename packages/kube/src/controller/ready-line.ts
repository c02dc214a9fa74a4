import { Heap } from './heap.ts';

interface Place {
  readonly key: string;
  readonly lane: string | undefined;
  readonly priority: number;
  readonly order: number;
}

/** The keys of one lane: how many are out, and those that wait until one of them is done. */
interface Lane {
  out: number;
  readonly behind: Heap<Place>;
}

/**
 * The line of keys that wait for a worker: the highest priority first, of equals the one that came first. Of the keys of one
 * lane at most `keysPerLane` are out at a time; the others wait until one of them is done. Each step costs O(log n).
 */
export class ReadyLine {
  readonly #heap = newHeap();
  /** Where each key stands; its older places are skipped. */
  readonly #places = new Map<string, Place>();
  /** The lanes from which keys are out, or in which keys wait. */
  readonly #lanes = new Map<string, Lane>();
  readonly #keysPerLane: number;
  #order = 0;

  constructor(keysPerLane = 1) {
    this.#keysPerLane = keysPerLane;
  }

  /** How many keys wait, those of full lanes included. */
  get length(): number {
    return this.#places.size;
  }

  /** Puts a key behind all of its priority, wherever it stood before. */
  put(key: string, priority: number, lane: string | undefined): void {
    const place = { key, lane, priority, order: this.#order++ };
    this.#places.set(key, place);
    this.#heap.push(place);
  }

  /** A key that waits no longer. */
  remove(key: string): void {
    this.#places.delete(key);
  }

  /** The first key whose lane has room; it is out until {@link free}. */
  take(): string | undefined {
    for (let place = this.#heap.pop(); place !== undefined; place = this.#heap.pop()) {
      const { key, lane } = place;
      if (this.#places.get(key) !== place) {
        // It may have stood here for its whole lane.
        if (lane !== undefined) this.#advance(lane);
        continue;
      }
      if (lane !== undefined && !this.#enters(lane, place)) continue;
      this.#places.delete(key);
      return key;
    }
    return undefined;
  }

  /** A key of the lane is done; returns whether another waited for that. */
  free(lane: string): boolean {
    const used = this.#lanes.get(lane);
    if (used === undefined) return false;
    used.out -= 1;
    const waited = this.#advance(lane);
    if (used.out === 0 && used.behind.size === 0) this.#lanes.delete(lane);
    return waited;
  }

  #enters(lane: string, place: Place): boolean {
    const used = this.#lanes.get(lane) ?? { out: 0, behind: newHeap() };
    this.#lanes.set(lane, used);
    if (used.out >= this.#keysPerLane) {
      used.behind.push(place);
      return false;
    }
    used.out += 1;
    return true;
  }

  /** Where the lane has room, the first that waits behind it lines up again; the others need not. */
  #advance(lane: string): boolean {
    const used = this.#lanes.get(lane);
    if (used === undefined || used.out >= this.#keysPerLane) return false;
    for (let place = used.behind.pop(); place !== undefined; place = used.behind.pop()) {
      if (this.#places.get(place.key) !== place) continue;
      this.#heap.push(place);
      return true;
    }
    return false;
  }
}

function newHeap(): Heap<Place> {
  return new Heap<Place>((a, b) => (a.priority === b.priority ? a.order < b.order : a.priority > b.priority));
}
