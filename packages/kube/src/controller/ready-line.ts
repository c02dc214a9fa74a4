import { Heap } from './heap.ts';

interface Place {
  readonly key: string;
  readonly lane: string | undefined;
  readonly priority: number;
  /** Orders the keys whose priority is not above 0. Milliseconds. */
  readonly due: number;
  readonly order: number;
}

/** The keys of one lane: how many are out, and those that wait until one of them is done. */
interface Lane {
  out: number;
  readonly behind: Heap<Place>;
}

/** How long keys of priority 0 go before one below. Without an end it never had its turn where a few others are always due. */
const lowPriorityDelayMs = 10_000;
/** How much later than one key below 0 the next one is due: what happens while a long first list is worked off must not wait for the rest of it. */
const lowPrioritySpacingMs = 50;

/**
 * How long a key waits behind higher ones before it counts as one of {@link raisedPriority}, and how often one does: were it all that wait as long, what
 * happens while a long list is worked off would wait for it. Without an end it never had its turn where a few of its lane are changed all the time.
 */
const raisedAfterMs = 5_000;
const raisedEveryMs = 50;
const raisedPriority = 1;

/**
 * The line of keys that wait for a worker: the highest priority first, of equals the one that came first. A key below 0 counts as one of 0 that
 * came {@link lowPriorityDelayMs} later, and {@link lowPrioritySpacingMs} after the one before it. While higher ones are taken, the one that waits longest is raised
 * after {@link raisedAfterMs}. Of the keys of one lane at most `keysPerLane` are out at a time; the others wait until one of them is
 * done. Each step costs O(log n).
 */
export class ReadyLine {
  readonly #heap = newHeap();
  /** Where each key stands; its older places are skipped. */
  readonly #places = new Map<string, Place>();
  /** The lanes from which keys are out, or in which keys wait. */
  readonly #lanes = new Map<string, Lane>();
  readonly #keysPerLane: number;
  readonly #now: () => number;
  #order = 0;
  /** When the last key below 0 is due. */
  #lastLowDue = 0;
  #lookedAt = -Infinity;

  /** `now`: monotonic milliseconds. */
  constructor(keysPerLane: number, now: () => number) {
    this.#keysPerLane = keysPerLane;
    this.#now = now;
  }

  /** How many keys wait, those of full lanes included. */
  get length(): number {
    return this.#places.size;
  }

  /** Puts a key behind all of its priority. One that waits already goes forward, never back. */
  put(key: string, priority: number, lane: string | undefined): void {
    const place = { key, lane, priority, due: this.#dueOf(priority), order: this.#order++ };
    const current = this.#places.get(key);
    if (current !== undefined && isBefore(current, place)) return;
    if (priority < 0) this.#lastLowDue = place.due;
    // The keys of the map are in the order in which they were put.
    this.#places.delete(key);
    this.#places.set(key, place);
    this.#heap.push(place);
  }

  #dueOf(priority: number): number {
    const now = this.#now();
    if (priority >= 0) return now;
    const first = now + lowPriorityDelayMs;
    const waiting = this.#places.size;
    // Not behind a list that is worked off: no more keys are before it than wait.
    const last = Math.min(this.#lastLowDue, first + (waiting - 1) * lowPrioritySpacingMs);
    return waiting === 0 ? first : Math.max(first, last + lowPrioritySpacingMs);
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
      if (place.priority > 0) this.#raiseOne();
      return key;
    }
    return undefined;
  }

  #raiseOne(): void {
    const now = this.#now();
    if (now - this.#lookedAt < raisedEveryMs) return;
    this.#lookedAt = now;
    for (const { key, lane, priority, due } of this.#places.values()) {
      if (priority > 0 || now - due < raisedAfterMs) continue;
      this.put(key, raisedPriority, lane);
      return;
    }
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
  return new Heap<Place>(isBefore);
}

function isBefore(a: Place, b: Place): boolean {
  const [above, other] = [Math.max(a.priority, 0), Math.max(b.priority, 0)];
  if (above !== other) return above > other;
  if (above === 0 && a.due !== b.due) return a.due < b.due;
  return a.priority === b.priority ? a.order < b.order : a.priority > b.priority;
}
