import { isApiError } from '../client/api-error.ts';
import { sleep, systemClock, type Clock, type Instant } from '../clock/clock.ts';
import { wholeObject, type Projection } from '../decoder/projection.ts';
import type { UnreadableObject } from '../decoder/unreadable-object.ts';
import { versionOf, type WatchEvent } from '../decoder/watch-event.ts';
import { InitialEvents } from './initial-events.ts';
import { silentLogger, type Logger } from '../telemetry/logger.ts';
import type { KubeObject, Stored, StoredMeta } from '../objects/object.ts';
import { Outage } from './outage.ts';
import { readList } from './read-list.ts';
import type { ReflectorOptions } from './reflector-options.ts';
import { defaultPace, pauseAfter, type ReflectorPace } from './reflector-pace.ts';
import { apiVersionOf, groupResourceOf, type Resource } from '../objects/resource.ts';
import { isCertainlyNewer } from '../objects/resource-version.ts';
import { asError, endOfRequest, endOfStatus, isUnanswered, type StreamEnd } from './stream-end.ts';
import { UnreadableLog } from './unreadable-log.ts';
import { readWatchStream } from './watch-stream.ts';

/** How a reflector stands. */
export interface ReflectorState {
  readonly synced: boolean;
  /** A watch is open. */
  readonly watching: boolean;
  /** Failures in a row. */
  readonly failures: number;
  readonly lastError: Error | undefined;
  /** For how many milliseconds nothing new has come; undefined: a watch has been open for long enough to be believed. */
  readonly failingForMs: number | undefined;
  readonly lists: number;
  readonly lastListedAt: Instant | undefined;
  readonly resourceVersion: string | undefined;
}

/** So often a version is tried of which the server refuses the watch, before all is listed again. */
const timesRefused = 3;

/**
 * Keeps a sink equal to a resource of the API server: one stream that begins with the content (WatchList, KEP-3157), or
 * pages and then a watch where the server does not offer that. Whatever happens, it goes on: from the version it has
 * reached, or with a new list where that version is gone. Pauses between attempts grow and are jittered, and shrink
 * again after a stream that lasted. Semantics are those of client-go's Reflector, with every list consistent.
 */
export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #pace: ReflectorPace;
  readonly #random: () => number;
  readonly #projection: Projection<T>;
  readonly #outage: Outage;
  readonly #unreadable: UnreadableLog;
  /** All up to this version has been put into the sink; undefined: a list is needed. */
  #version: string | undefined;
  #streamedLists = true;
  /** Streams in a row whose initial events did not end. */
  #unfinished = 0;
  /** Of these, streams that had begun. */
  #cutShort = 0;
  /** The version of which the server refused a watch last, and how often. */
  #refused: { readonly version: string; readonly times: number } | undefined;
  /** Since when the present stream only had to bring news; undefined: it does not yet. */
  #liveSince: number | undefined;
  #synced = false;
  #watching = false;
  #failures = 0;
  #lastError: Error | undefined;
  /** On the monotonic clock. */
  #failingSince: number | undefined;
  #lists = 0;
  #lastListedAt: Instant | undefined;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#logger = (options.logger ?? silentLogger).child({ resource: groupResourceOf(options.resource) });
    this.#pace = { ...defaultPace, ...options.pace };
    this.#random = options.random ?? Math.random;
    this.#projection = options.projection ?? wholeObject();
    this.#outage = options.outage ?? new Outage();
    this.#unreadable = new UnreadableLog(this.#logger);
  }

  get state(): ReflectorState {
    return {
      synced: this.#synced,
      watching: this.#watching,
      failures: this.#failures,
      lastError: this.#lastError,
      failingForMs: this.#failingForMs(),
      lists: this.#lists,
      lastListedAt: this.#lastListedAt,
      resourceVersion: this.#version,
    };
  }

  /** Runs until the signal ends; never rejects. Keeps the process alive, also during its pauses. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#liveSince = undefined;
      const end = await this.#attempt(signal);
      if (signal.aborted) return;
      if (end === undefined) continue;
      const pauseMs = this.#judge(end, this.#liveMs());
      await this.#pause(end, pauseMs, signal);
    }
  }

  /** Where nobody answered, the first one that gets through ends the pause of all, but not of all at the same moment. */
  async #pause(end: StreamEnd, pauseMs: number, signal: AbortSignal): Promise<void> {
    if (!isUnanswered(end)) return sleep(this.#clock, pauseMs, signal);
    if (await this.#outage.wait(this.#clock, pauseMs, signal)) {
      await sleep(this.#clock, this.#pace.firstPauseMs * this.#random(), signal);
    }
  }

  /** One stream, or one list; undefined: go on at once. */
  async #attempt(signal: AbortSignal): Promise<StreamEnd | undefined> {
    if (this.#version !== undefined || this.#streamedLists) return this.#stream(signal, this.#version);
    const { client, resource, namespace, labelSelector, fieldSelector, sink } = this.#options;
    const { pageSize, answerMs } = this.#pace;
    const request = { client, resource, namespace, labelSelector, fieldSelector, pageSize, answerMs };
    const startedAt = this.#clock.monotonic();
    try {
      const { items, unreadable, resourceVersion } = await readList(
        { ...request, projection: this.#projection, known: (object) => sink.known(object) },
        signal,
      );
      this.#replaced('pages', items, unreadable, resourceVersion, startedAt);
      return undefined;
    } catch (error) {
      return endOfRequest(error, false);
    }
  }

  /** A watch from `from`, or one that begins with the content. */
  async #stream(signal: AbortSignal, from: string | undefined): Promise<StreamEnd> {
    const { client, resource, namespace, labelSelector, fieldSelector, sink, observer } = this.#options;
    const { silenceMs, initialSilenceMs } = this.#pace;
    const [shortest, longest] = this.#pace.watchSeconds;
    const startedAt = this.#clock.monotonic();
    let initial = from === undefined ? new InitialEvents<T>() : undefined;
    let events = 0;
    let isOpen = false;
    const begin =
      from === undefined
        ? ({ sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' } as const)
        : { resourceVersion: from };
    const take = (event: WatchEvent<T>): StreamEnd | undefined => {
      if (event.type === 'ERROR') return endOfStatus(event.status, `watch ${groupResourceOf(resource)}`);
      if (initial !== undefined) {
        if (event.type !== 'BOOKMARK') initial.take(event);
        else if (event.initialEventsEnd) {
          const { items, unreadable } = initial;
          initial = undefined;
          this.#replaced('stream', items, unreadable, event.resourceVersion, startedAt);
          this.#liveSince = this.#clock.monotonic();
        }
        return undefined;
      }
      // What it concerns can be found only by a list, which holds what can be read of each object.
      if (event.type === 'UNREADABLE' && event.metadata === undefined)
        return { why: 'confused', error: event.error };
      const version = versionOf(event);
      if (this.#version !== undefined && isCertainlyNewer(this.#version, version)) {
        const error = new Error(`version ${version} after ${this.#version}: the store was set back`);
        return { why: 'expired', error };
      }
      if (event.type === 'BOOKMARK') sink.progressed(version);
      else if (event.type === 'UNREADABLE') this.#missed(event);
      else sink.changed(event);
      events++;
      this.#version = version;
      if (this.#failures > 0 && this.#liveMs() >= this.#pace.healthyMs) this.#recovered();
      return undefined;
    };
    const end = await readWatchStream(
      {
        client,
        resource,
        projection: this.#projection,
        known: (object) => sink.known(object),
        awaited: sink.awaited,
        parameters: {
          ...(namespace === undefined ? {} : { namespace }),
          ...(labelSelector === undefined ? {} : { labelSelector }),
          ...(fieldSelector === undefined ? {} : { fieldSelector }),
          ...begin,
          allowWatchBookmarks: true,
          timeoutSeconds: Math.round(shortest + (longest - shortest) * this.#random()),
        },
        clock: this.#clock,
        answerMs: this.#pace.answerMs,
        silenceMs: () => (initial === undefined ? silenceMs : Math.min(silenceMs, initialSilenceMs)),
        opened: () => {
          isOpen = true;
          if (this.#failures > 0) this.#outage.over();
          this.#watching = true;
          if (initial === undefined) this.#liveSince = this.#clock.monotonic();
          observer?.watchOpened?.();
        },
        take,
      },
      signal,
    );
    this.#watching = false;
    observer?.watchEnded?.({ why: end.why, events, durationMs: this.#clock.monotonic() - startedAt });
    if (initial !== undefined) this.#unfinished += 1;
    if (initial !== undefined && isOpen) this.#cutShort += 1;
    return end;
  }

  /** An event of an object that cannot be read: that it is gone is understood all the same. */
  #missed(event: Extract<WatchEvent<T>, { readonly type: 'UNREADABLE' }>): void {
    const { sink } = this.#options;
    const { metadata } = event;
    if (metadata === undefined) return;
    const held = this.#held(metadata);
    if (event.change !== 'DELETED') {
      this.#report(event);
      sink.missed?.(metadata);
      sink.progressed(metadata.resourceVersion);
    } else {
      sink.changed({
        type: 'DELETED',
        object: { ...held, metadata: { ...held?.metadata, ...metadata } } as Stored<T>,
      });
    }
  }

  #held(metadata: StoredMeta): Stored<T> | undefined {
    return this.#options.sink.known({ metadata } as Stored<T>);
  }

  #report(object: UnreadableObject): void {
    if (this.#unreadable.report(object)) this.#options.observer?.unreadable?.();
  }

  #replaced(
    mode: 'stream' | 'pages',
    readable: readonly Stored<T>[],
    unreadable: readonly UnreadableObject[],
    version: string,
    startedAt: number,
  ): void {
    const { sink } = this.#options;
    const items = [...readable];
    for (const object of unreadable) {
      this.#report(object);
      const held = object.metadata === undefined ? undefined : this.#held(object.metadata);
      if (held !== undefined) items.push(held);
    }
    sink.replaced(items, version);
    for (const { metadata } of unreadable) if (metadata !== undefined) sink.missed?.(metadata);
    this.#version = version;
    this.#synced = true;
    this.#unfinished = 0;
    this.#cutShort = 0;
    this.#lists += 1;
    this.#lastListedAt = this.#clock.now();
    const durationMs = this.#clock.monotonic() - startedAt;
    this.#options.observer?.listed?.({ mode, items: items.length, durationMs });
    this.#logger.debug({ mode, items: items.length, durationMs }, 'listed');
  }

  /** Draws the conclusions from the end of an attempt; yields the pause before the next one. */
  #judge(end: StreamEnd, liveMs: number): number {
    const { resource } = this.#options;
    if (end.why === 'unsupported') {
      this.#streamedLists = false;
      // Of no use to a person: old servers answer so for every resource, and pages hold the same.
      this.#logger.debug({ error: end.error.message }, 'the server does not stream lists: read page by page');
      return 0;
    }
    // Twice is no accident: a server that ignores what it does not know never ends the initial events.
    if (end.why === 'silent' && this.#unfinished >= 2) this.#streamedLists = false;
    // Something between may end each stream before its content is through, where a page gets through.
    if (this.#cutShort >= 3) this.#streamedLists = false;
    // A server accepts a version that its store has not reached, and is silent until it does: a store that was set back
    // may not get there for long, or ever.
    if (end.why !== 'closed' && end.why !== 'failed') this.#version = undefined;
    if (end.why === 'failed' && end.ofVersion === true) this.#refusedAgain();
    const healthy = liveMs >= this.#pace.healthyMs;
    if (end.why === 'closed' && healthy) {
      this.#recovered();
      return this.#pace.firstPauseMs * this.#random();
    }
    // A server that closes each watch at once must not be asked at that pace, however orderly it closes.
    const error =
      end.why === 'closed'
        ? new Error(`the server closed a watch after ${Math.round(liveMs)} ms`)
        : withRemedy(asError(end.error), resource);
    if (healthy || this.#failures === 0) this.#failingSince = this.#clock.monotonic();
    this.#failures = healthy ? 1 : this.#failures + 1;
    this.#lastError = error;
    const retryAfterMs = end.why === 'failed' ? end.retryAfterMs : undefined;
    const pauseMs = pauseAfter(this.#failures, retryAfterMs, this.#pace, this.#random);
    this.#options.observer?.failed?.({ error, failures: this.#failures, pauseMs });
    const fields = {
      why: end.why,
      error: error.message,
      failures: this.#failures,
      pauseMs: Math.round(pauseMs),
    };
    if (this.#failures === 1) this.#logger.debug(fields, 'watch ended, trying again');
    else this.#logger.warn(fields, 'watch ended, trying again');
    return pauseMs;
  }

  /** What does not pass may be of this version alone: of an event after it that the server cannot read. A list does without it. */
  #refusedAgain(): void {
    const version = this.#version;
    if (version === undefined) return;
    const times = this.#refused?.version === version ? this.#refused.times + 1 : 1;
    this.#refused = { version, times };
    if (times >= timesRefused) this.#version = this.#refused = undefined;
  }

  #liveMs(): number {
    return this.#liveSince === undefined ? 0 : this.#clock.monotonic() - this.#liveSince;
  }

  #failingForMs(): number | undefined {
    if (this.#failingSince === undefined || this.#liveMs() >= this.#pace.healthyMs) return undefined;
    return this.#clock.monotonic() - this.#failingSince;
  }

  #recovered(): void {
    this.#failures = 0;
    this.#failingSince = undefined;
    this.#lastError = undefined;
  }
}

/** A 404 does not name what is missing. */
function withRemedy(error: Error, resource: Resource<KubeObject>): Error {
  if (!isApiError(error, 'NotServed')) return error;
  const kind = `${resource.plural} of ${apiVersionOf(resource)}`;
  const remedy = 'where they are custom resources, install their CustomResourceDefinition, with this version';
  return new Error(`${error.message}. The API server does not serve ${kind}; ${remedy}`, { cause: error });
}
