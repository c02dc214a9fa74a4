import { Backoff, type BackoffLimits } from './backoff.ts';
import { longestTimerMs, type Clock } from '../clock/clock.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { ReadyLine } from './ready-line.ts';
import { intervalAfter, type IntervalLimits } from './minimum-interval.ts';

/**
 * The priority of keys from an initial list, so that they do not stand before the events of the next ten seconds. Source: controller-runtime, where
 * they wait without an end.
 */
export const lowPriority = -100;

/** What a {@link WorkQueue} is made of. */
export interface WorkQueueOptions {
  /** The controller's name; label of the metrics. */
  readonly name: string;
  readonly clock: Clock;
  readonly metrics?: Metrics | undefined;
  /** Waits after the first failure and after each retry that failed, in milliseconds. Default 5 ms, doubled up to 5 min. */
  readonly backoff?: BackoffLimits;
  /**
   * The minimum interval after a reconcile of a key, as a multiple of what the reconcile cost, at most `maxMs`. Events of that time become
   * one reconcile, unless one is urgent. Default 1 and 1 s: a costly key takes at most half of a worker, and a cheap one reacts at once.
   */
  readonly minimumInterval?: IntervalLimits;
  /** At most {@link keysPerLane} keys of one lane are worked on at the same time. Keys without a lane have no such bound. */
  readonly laneOf?: (key: string) => string | undefined;
  /** Default 1. */
  readonly keysPerLane?: number;
}

/** How a key is added to a {@link WorkQueue}. */
export interface AddOptions {
  /**
   * Higher goes first; 0 by default. A key below 0 counts as one of 0 that was added ten seconds later, so that it has its turn also where others
   * are always due. One that has waited for five seconds while higher ones are taken counts as one of 1, twenty in a second at most. A key that waits already is
   * raised, never lowered.
   */
  readonly priority?: number;
  /** Ends the interval of a key: for what somebody waits for, as opposed to what comes by the thousand. */
  readonly urgent?: boolean;
}

/** What counts for the minimum interval of a key after a reconcile. Milliseconds. */
export interface ReconcileCost {
  readonly costMs?: number | undefined;
  readonly retryMs?: number | undefined;
}

interface Entry {
  readonly key: string;
  readonly lane: string | undefined;
  phase: 'idle' | 'ready' | 'working' | 'debounced';
  /** Set while a reconcile is owed: since when, and how urgent. */
  owed: { priority: number; since: number; urgent: boolean } | undefined;
  startedAt: number;
  /** Cancels the timer of the interval. */
  endInterval: (() => void) | undefined;
  /** When a reconcile becomes due by itself. */
  later: { at: number; cancel: () => void } | undefined;
}

/**
 * The queue of a controller. A key waits at most once and is never worked on twice at the same time; a key that is
 * added while it is worked on gets another reconcile afterwards. As client-go's, with priorities, lanes and minimum intervals.
 */
export class WorkQueue {
  readonly name: string;
  readonly #clock: Clock;
  readonly #metrics: Metrics | undefined;
  readonly #backoff: Backoff;
  /** The waits of keys that go on at once again and again. What fails between does not shorten them. */
  readonly #turns: Backoff;
  readonly #minimumInterval: IntervalLimits;
  readonly #laneOf: (key: string) => string | undefined;
  readonly #unwatch: (() => void) | undefined;

  readonly #entries = new Map<string, Entry>();
  readonly #working = new Set<Entry>();
  readonly #ready: ReadyLine;
  readonly #takers = new Set<(key: string | undefined) => void>();
  #dispatching = false;
  #closed = false;
  #whenDrained: (() => void)[] = [];

  constructor(options: WorkQueueOptions) {
    this.name = options.name;
    this.#clock = options.clock;
    this.#metrics = options.metrics;
    const backoff = options.backoff ?? { baseMs: 5, maxMs: 300_000 };
    this.#backoff = new Backoff(backoff);
    this.#turns = new Backoff(backoff);
    this.#minimumInterval = options.minimumInterval ?? { factor: 1, maxMs: 1_000 };
    this.#ready = new ReadyLine(options.keysPerLane ?? 1, () => this.#clock.monotonic());
    this.#laneOf = options.laneOf ?? (() => undefined);
    this.#unwatch = options.metrics?.workQueue.watch(this);
  }

  /** How many keys wait for a worker, those of full lanes included. */
  get length(): number {
    return this.#ready.length;
  }

  /** The keys that are worked on. */
  get underWay(): readonly string[] {
    return [...this.#working].map(({ key }) => key);
  }

  /** Asks for a reconcile as soon as possible. Fulfils a reconcile that was asked for later. */
  add(key: string, { priority = 0, urgent = false }: AddOptions = {}): void {
    if (this.#closed) return;
    const entry = this.#entry(key);
    cancelLater(entry);
    if (entry.owed === undefined) {
      entry.owed = { priority, since: this.#clock.monotonic(), urgent };
      this.#metrics?.workQueue.adds.inc(this.#labels);
      if (entry.phase === 'idle') this.#makeReady(entry, priority);
    } else {
      entry.owed.urgent ||= urgent;
      if (priority > entry.owed.priority) this.#raise(entry, entry.owed, priority);
    }
    if (urgent && entry.phase === 'debounced') this.#intervalEnded(entry);
  }

  /** Asks for a reconcile after some milliseconds. Of several such calls the earliest counts; a reconcile that starts before fulfils it. */
  addAfter(key: string, milliseconds: number, options: AddOptions = {}): void {
    if (this.#closed) return;
    if (milliseconds > 0) this.#metrics?.workQueue.retries.inc(this.#labels);
    this.addWithin(key, milliseconds, options);
  }

  /** The same for what no reconcile asked for itself: for the metrics it is no retry. */
  addWithin(key: string, milliseconds: number, options: AddOptions = {}): void {
    if (this.#closed) return;
    if (!(milliseconds > 0)) return this.add(key, options);
    const entry = this.#entry(key);
    if (entry.owed !== undefined) return;
    // A reconcile after 24 days is early, which does no harm.
    const wait = Math.min(milliseconds, longestTimerMs);
    const at = this.#clock.monotonic() + wait;
    if (entry.later !== undefined && entry.later.at <= at) return;
    cancelLater(entry);
    const cancel = this.#clock.setTimer(wait, () => {
      entry.later = undefined;
      this.add(key, options);
    });
    entry.later = { at, cancel };
  }

  /**
   * Counts a failure of the key and yields in how many milliseconds its retry is due. Only a retry that fails raises the wait: a
   * reconcile that an event caused before that leaves the retry as it is.
   */
  nextBackoff(key: string): number {
    return this.#backoff.next(key, this.#clock.monotonic());
  }

  /**
   * The key did well and goes on at once: its next failure waits the shortest time again. Yields in how many milliseconds it goes on, which
   * grows as the back-off does until {@link forget}.
   */
  nextTurn(key: string): number {
    this.#backoff.forget(key);
    return this.#turns.next(key, this.#clock.monotonic());
  }

  /** The key did well and is through: its next failure waits the shortest time again. */
  forget(key: string): void {
    this.#backoff.forget(key);
    this.#turns.forget(key);
  }

  /** How often the key and its retries failed since it last did well. */
  failures(key: string): number {
    return this.#backoff.failures(key);
  }

  /**
   * The next key to work on, as soon as there is one; undefined when the queue is shut down or the signal ends.
   * The caller must call {@link done} for the key.
   */
  take(signal?: AbortSignal): Promise<string | undefined> {
    return new Promise((resolve) => {
      if (signal?.aborted === true) return resolve(undefined);
      const taker = (key: string | undefined): void => {
        this.#takers.delete(taker);
        signal?.removeEventListener('abort', leave);
        resolve(key);
      };
      const leave = (): void => taker(undefined);
      signal?.addEventListener('abort', leave, { once: true });
      this.#takers.add(taker);
      this.#dispatchSoon();
    });
  }

  /**
   * The reconcile of a taken key is over. `costMs`: what counts for its interval, where that is not the time that it took; a reconcile
   * that mostly waits for answers needs none. `retryMs`: how long its back-off is, where it asks to be repeated.
   */
  done(key: string, { costMs, retryMs }: ReconcileCost = {}): void {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.phase !== 'working') return;
    const tookMs = this.#clock.monotonic() - entry.startedAt;
    this.#metrics?.workQueue.workDuration.observe(this.#labels, tookMs / 1000);
    this.#working.delete(entry);
    if (entry.lane !== undefined && this.#ready.free(entry.lane)) this.#dispatchSoon();
    const intervalMs = intervalAfter(costMs ?? tookMs, this.#minimumInterval, retryMs);
    if (intervalMs === 0 || entry.owed?.urgent === true || this.#closed) {
      this.#intervalEnded(entry);
    } else {
      entry.phase = 'debounced';
      entry.endInterval = this.#clock.setTimer(intervalMs, () => this.#intervalEnded(entry));
    }
    this.#settleShutDown();
  }

  /**
   * Ends the queue: nothing more is added, no timer fires, and what waits is dropped: another process will find it by its own
   * list. Resolves when the last reconcile is done.
   */
  shutDown(): Promise<void> {
    this.#closed = true;
    this.#unwatch?.();
    for (const entry of this.#entries.values()) {
      cancelLater(entry);
      this.#drop(entry);
    }
    return new Promise((resolve) => {
      this.#whenDrained.push(resolve);
      this.#settleShutDown();
    });
  }

  /** For the metrics of running work. */
  runningSeconds(): readonly number[] {
    const now = this.#clock.monotonic();
    return [...this.#working].map(({ startedAt }) => (now - startedAt) / 1000);
  }

  #entry(key: string): Entry {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const entry: Entry = {
      key,
      lane: this.#laneOf(key),
      phase: 'idle',
      owed: undefined,
      startedAt: 0,
      endInterval: undefined,
      later: undefined,
    };
    this.#entries.set(key, entry);
    return entry;
  }

  #makeReady(entry: Entry, priority: number): void {
    entry.phase = 'ready';
    this.#count(priority, 1);
    this.#lineUp(entry, priority);
  }

  #lineUp(entry: Entry, priority: number): void {
    this.#ready.put(entry.key, priority, entry.lane);
    this.#dispatchSoon();
  }

  #raise(entry: Entry, owed: { priority: number; since: number }, priority: number): void {
    if (entry.phase === 'ready') {
      this.#count(owed.priority, -1);
      this.#count(priority, 1);
      this.#lineUp(entry, priority);
    }
    owed.priority = priority;
  }

  /** Hands out only after the events that arrived together are all in, so that they become one reconcile. */
  #dispatchSoon(): void {
    if (this.#dispatching) return;
    this.#dispatching = true;
    queueMicrotask(() => {
      this.#dispatching = false;
      this.#dispatch();
    });
  }

  #dispatch(): void {
    for (const taker of this.#takers) {
      const key = this.#ready.take();
      if (key === undefined) break;
      this.#begin(this.#entry(key));
      taker(key);
    }
    this.#settleShutDown();
  }

  #begin(entry: Entry): void {
    const now = this.#clock.monotonic();
    if (entry.owed !== undefined) {
      this.#count(entry.owed.priority, -1);
      this.#metrics?.workQueue.queueDuration.observe(this.#labels, (now - entry.owed.since) / 1000);
    }
    entry.owed = undefined;
    entry.phase = 'working';
    entry.startedAt = now;
    this.#working.add(entry);
  }

  #intervalEnded(entry: Entry): void {
    entry.endInterval?.();
    entry.endInterval = undefined;
    entry.phase = 'idle';
    if (entry.owed !== undefined && !this.#closed) this.#makeReady(entry, entry.owed.priority);
    else if (entry.later === undefined) this.#entries.delete(entry.key);
  }

  #drop(entry: Entry): void {
    if (entry.phase === 'ready' && entry.owed !== undefined) this.#count(entry.owed.priority, -1);
    entry.owed = undefined;
    this.#ready.remove(entry.key);
    entry.endInterval?.();
    if (entry.phase !== 'working') this.#entries.delete(entry.key);
  }

  #settleShutDown(): void {
    if (!this.#closed) return;
    for (const taker of this.#takers) taker(undefined);
    if (this.#working.size > 0) return;
    for (const resolve of this.#whenDrained.splice(0)) resolve();
  }

  #count(priority: number, change: 1 | -1): void {
    this.#metrics?.workQueue.depth.inc({ ...this.#labels, priority: String(priority) }, change);
  }

  get #labels(): { readonly name: string; readonly controller: string } {
    return { name: this.name, controller: this.name };
  }
}

function cancelLater(entry: Entry): void {
  entry.later?.cancel();
  entry.later = undefined;
}
