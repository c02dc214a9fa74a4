import type { Instant } from '../clock/clock.ts';
import { keyOf } from '../objects/object.ts';
import { WaitingLines } from './waiting-lines.ts';

/** Something that happened to an object, to be recorded as an event. */
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

/** The object that an event is about. */
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
  /** The event that records it already; absent where none was written. */
  readonly name: string | undefined;
  chosenName?: string;
  /** How often writing it failed. */
  failures: number;
}

interface Series {
  readonly identity: string;
  readonly occurrence: EventOccurrence;
  count: number;
  readonly firstSeen: Instant;
  lastSeen: Instant;
  lastSeenAt: number;
  state: 'waiting' | 'sending' | 'recorded';
  recordedAt: number;
  name: string | undefined;
  /** What failed is sent again as it was, so that its repetition is recognised, and not before this. */
  retry: { readonly pending: PendingEvent; readonly dueAt: number } | undefined;
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

/**
 * Turns occurrences into few writes: repeats become a count, and one object cannot flood the server. A count is written when
 * something happens again and the last write is an interval ago, never by itself: where nothing happens, nothing is written.
 */
export class EventAggregator {
  readonly #options: AggregatorOptions;
  readonly #series = new Map<string, Series>();
  readonly #buckets = new Map<string, Bucket>();
  /** Series that wait to be written, in the order in which they became so. */
  readonly #untold = new Set<Series>();
  /** The same by namespace. */
  readonly #lines = new WaitingLines<Series>();
  /** How many series and buckets there are when those that are over are looked for next. */
  #sweepAt: number;

  constructor(options: AggregatorOptions) {
    this.#options = options;
    this.#sweepAt = options.limit * 2;
  }

  /**
   * Yields why an occurrence is dropped; undefined: none is. Where the queue is full it is the newest of the namespace in which the most wait,
   * this one or another: one namespace whose events are written slowly must not take the places of all.
   */
  add(occurrence: EventOccurrence, at: number, now: Instant): 'queue-full' | 'rate-limited' | undefined {
    const identity = identityOf(occurrence);
    const known = this.#series.get(identity);
    if (known !== undefined && at - known.lastSeenAt <= seriesEndsAfterMs) {
      known.count++;
      known.lastSeen = now;
      known.lastSeenAt = at;
      if (known.state === 'recorded' && at - known.recordedAt >= this.#options.seriesIntervalMs)
        this.#wait(known);
      return undefined;
    }
    const isFull = this.#untold.size >= this.#options.limit;
    const newest = isFull ? this.#lines.newestInPlaceOf(namespaceOf(occurrence)) : undefined;
    if (isFull && newest === undefined) return 'queue-full';
    this.#sweep(at);
    if (!this.#spend(occurrence.regarding, at)) return 'rate-limited';
    const series: Series = {
      identity,
      occurrence,
      count: 1,
      firstSeen: now,
      lastSeen: now,
      lastSeenAt: at,
      state: 'waiting',
      recordedAt: at,
      name: undefined,
      retry: undefined,
    };
    this.#series.set(identity, series);
    this.#wait(series);
    if (newest === undefined) return undefined;
    this.#giveUp(newest);
    return 'queue-full';
  }

  /** What to write next of those that may be written now, or after how long one that failed is due again. */
  next(
    at: number,
    mayWrite: (occurrence: EventOccurrence) => boolean,
  ): { readonly pending?: PendingEvent; readonly waitMs?: number } {
    let waitMs: number | undefined;
    for (const series of this.#untold) {
      if (!mayWrite(series.occurrence)) continue;
      const dueMs = (series.retry?.dueAt ?? at) - at;
      if (dueMs <= 0) {
        this.#leave(series);
        series.state = 'sending';
        return { pending: series.retry?.pending ?? pendingOf(series) };
      }
      waitMs = Math.min(waitMs ?? dueMs, dueMs);
    }
    return waitMs === undefined ? {} : { waitMs };
  }

  /** The server took it: repetitions from now on are counts on that event. */
  sent(pending: PendingEvent, name: string, at: number): void {
    const series = this.#seriesOf(pending);
    if (series === undefined) return;
    series.name = name;
    series.state = 'recorded';
    series.recordedAt = at;
    series.retry = undefined;
  }

  /** It failed: it waits again, behind the others, and is due at this time. */
  failed(pending: PendingEvent, dueAt: number): void {
    this.returned({ ...pending, failures: pending.failures + 1 }, dueAt);
  }

  /** It was not sent after all: it waits again, behind the others, and is due at this time. */
  returned(pending: PendingEvent, dueAt: number): void {
    const series = this.#seriesOf(pending);
    if (series === undefined) return;
    series.retry = { pending, dueAt };
    this.#wait(series);
  }

  /** The event is gone from the server; what happened since is a new one. */
  forgotten(pending: PendingEvent): PendingEvent {
    const series = this.#seriesOf(pending);
    if (series !== undefined) series.name = undefined;
    return { ...pending, name: undefined };
  }

  /** It was given up; a repetition tries anew. */
  dropped(pending: PendingEvent): void {
    if (this.#seriesOf(pending) !== undefined) this.#series.delete(pending.identity);
  }

  /** Drops everything and yields how many events were not recorded. */
  clear(): number {
    const left = this.#untold.size;
    this.#untold.clear();
    this.#lines.clear();
    this.#series.clear();
    this.#buckets.clear();
    return left;
  }

  /** undefined: another one has taken its place. */
  #seriesOf({ identity, firstSeen }: PendingEvent): Series | undefined {
    const series = this.#series.get(identity);
    return series?.firstSeen === firstSeen ? series : undefined;
  }

  #wait(series: Series): void {
    series.state = 'waiting';
    this.#untold.add(series);
    this.#lines.add(namespaceOf(series.occurrence), series);
  }

  #leave(series: Series): void {
    this.#untold.delete(series);
    this.#lines.delete(namespaceOf(series.occurrence), series);
  }

  /** Nothing is written of it for now. What has an event already goes on counting, and any other begins anew with its repetition. */
  #giveUp(series: Series): void {
    this.#leave(series);
    series.state = 'recorded';
    series.retry = undefined;
    const { identity, name } = series;
    if (name === undefined && this.#series.get(identity) === series) this.#series.delete(identity);
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
    if (this.#series.size + this.#buckets.size < this.#sweepAt) return;
    for (const [identity, series] of this.#series) {
      const over = at - series.lastSeenAt > seriesEndsAfterMs;
      if (over && series.state === 'recorded') this.#series.delete(identity);
    }
    const { burst, refillMs } = this.#options.perObject;
    for (const [uid, bucket] of this.#buckets) {
      if (bucket.tokens + (at - bucket.at) / refillMs >= burst) this.#buckets.delete(uid);
    }
    // What is still counted is not looked through again with each event.
    this.#sweepAt = Math.max(this.#options.limit, this.#series.size + this.#buckets.size) * 2;
  }
}

/** Events about what is in no namespace are kept in `default`, as client-go does. */
export function namespaceOf({ regarding }: EventOccurrence): string {
  return keyOf({ metadata: regarding }).namespace ?? 'default';
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
  return { identity, occurrence, count, firstSeen, lastSeen, name, failures: 0 };
}
