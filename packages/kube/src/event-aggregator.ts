import type { Instant } from './clock.ts';

/** Something that happened to an object, to be told to people. */
export interface EventOccurrence {
  readonly type: 'Normal' | 'Warning';
  readonly regarding: EventSubject;
  readonly related?: EventSubject;
  /** CamelCase word: why. */
  readonly reason: string;
  /** What was done or tried, in the imperative: `Create`, `Update`, `Delete`. */
  readonly action: string;
  /** For people; at most 1,024 bytes, what is longer is cut. */
  readonly note: string;
}

export interface EventSubject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
}

/** An event that has to be written, as one object or as another count on it. */
export interface PendingEvent {
  readonly identity: string;
  readonly occurrence: EventOccurrence;
  /** How often it happened. */
  readonly count: number;
  readonly firstSeen: Instant;
  readonly lastSeen: Instant;
  /** The event that tells it already; absent where none was written. */
  readonly name: string | undefined;
  chosenName?: string;
}

interface Series {
  readonly identity: string;
  readonly occurrence: EventOccurrence;
  count: number;
  readonly firstSeen: Instant;
  lastSeen: Instant;
  lastSeenAt: number;
  /** Of the count, how much the server knows. */
  told: number;
  toldAt: number;
  name: string | undefined;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** A series that was silent for so long is over; the next occurrence is a new event. Source: client-go. */
const seriesEndsAfterMs = 6 * 60_000;

export interface AggregatorOptions {
  readonly limit: number;
  readonly seriesIntervalMs: number;
  readonly perObject: { readonly burst: number; readonly refillMs: number };
}

/** Turns occurrences into few writes: repeats become a count, and one object cannot flood the server. */
export class EventAggregator {
  readonly #options: AggregatorOptions;
  readonly #series = new Map<string, Series>();
  readonly #buckets = new Map<string, Bucket>();
  /** Series with something untold, in the order in which they became so. */
  readonly #untold = new Set<Series>();

  constructor(options: AggregatorOptions) {
    this.#options = options;
  }

  /** Yields why the occurrence is dropped, undefined where it will be told. */
  add(occurrence: EventOccurrence, at: number, now: Instant): 'queue-full' | 'rate-limited' | undefined {
    const identity = identityOf(occurrence);
    const known = this.#series.get(identity);
    if (known !== undefined && at - known.lastSeenAt <= seriesEndsAfterMs) {
      known.count++;
      known.lastSeen = now;
      known.lastSeenAt = at;
      this.#untold.add(known);
      return undefined;
    }
    if (this.#untold.size >= this.#options.limit) return 'queue-full';
    this.#sweep(at);
    if (!this.#spend(occurrence.regarding, at)) return 'rate-limited';
    const series: Series = {
      identity,
      occurrence,
      count: 1,
      firstSeen: now,
      lastSeen: now,
      lastSeenAt: at,
      told: 0,
      toldAt: Number.NEGATIVE_INFINITY,
      name: undefined,
    };
    this.#series.set(identity, series);
    this.#untold.add(series);
    return undefined;
  }

  /** What to write next, or after how long to ask again. A last call (`flush`) does not wait for intervals. */
  next(at: number, flush: boolean): { readonly pending?: PendingEvent; readonly waitMs?: number } {
    let waitMs: number | undefined;
    for (const series of this.#untold) {
      const due = series.toldAt + this.#options.seriesIntervalMs - at;
      if (due <= 0 || flush) {
        this.#untold.delete(series);
        return { pending: pendingOf(series) };
      }
      waitMs = Math.min(waitMs ?? due, due);
    }
    return waitMs === undefined ? {} : { waitMs };
  }

  /** The server took it: repetitions from now on are counts on that event. */
  sent(pending: PendingEvent, name: string, at: number): void {
    const series = this.#series.get(pending.identity);
    if (series === undefined || series.firstSeen !== pending.firstSeen) return;
    series.name = name;
    series.told = pending.count;
    series.toldAt = at;
    if (series.count > series.told) this.#untold.add(series);
  }

  /** The event is gone from the server; what happened since is a new one. */
  forgotten(pending: PendingEvent): PendingEvent {
    const series = this.#series.get(pending.identity);
    if (series !== undefined) series.name = undefined;
    return { ...pending, name: undefined };
  }

  /** It was given up; a repetition tries anew. */
  dropped(pending: PendingEvent): void {
    const series = this.#series.get(pending.identity);
    if (series === undefined) return;
    this.#series.delete(pending.identity);
    this.#untold.delete(series);
  }

  /** Forgets everything and yields how many events were not told. */
  clear(): number {
    const left = this.#untold.size;
    this.#untold.clear();
    this.#series.clear();
    this.#buckets.clear();
    return left;
  }

  #spend(regarding: EventSubject, at: number): boolean {
    const { burst, refillMs } = this.#options.perObject;
    const bucket = this.#buckets.get(regarding.uid) ?? { tokens: burst, at };
    const tokens = Math.min(burst, bucket.tokens + (at - bucket.at) / refillMs);
    this.#buckets.set(regarding.uid, { tokens: tokens >= 1 ? tokens - 1 : tokens, at });
    return tokens >= 1;
  }

  /** Memory is bounded by what happened lately, swept when it has doubled. */
  #sweep(at: number): void {
    if (this.#series.size + this.#buckets.size < this.#options.limit * 2) return;
    for (const [identity, series] of this.#series) {
      const over = at - series.lastSeenAt > seriesEndsAfterMs;
      if (over && !this.#untold.has(series)) this.#series.delete(identity);
    }
    const { burst, refillMs } = this.#options.perObject;
    for (const [uid, bucket] of this.#buckets) {
      if (bucket.tokens + (at - bucket.at) / refillMs >= burst) this.#buckets.delete(uid);
    }
  }
}

/** The note is part of it: other numbers in a note are other news. (client-go leaves it out and loses them.) */
function identityOf({ type, reason, action, note, regarding, related }: EventOccurrence): string {
  return JSON.stringify([
    type,
    reason,
    action,
    note,
    subject(regarding),
    related === undefined ? null : subject(related),
  ]);
}

function subject({ apiVersion, kind, namespace, name, uid }: EventSubject): readonly (string | undefined)[] {
  return [apiVersion, kind, namespace, name, uid];
}

function pendingOf({ identity, occurrence, count, firstSeen, lastSeen, name }: Series): PendingEvent {
  return { identity, occurrence, count, firstSeen, lastSeen, name };
}
