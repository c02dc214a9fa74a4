import { randomUUID } from 'node:crypto';
import { isApiError } from '../client/api-error.ts';
import type { Client } from '../client/client.ts';
import type { Clock } from '../clock/clock.ts';
import { EventAggregator, namespaceOf, type EventOccurrence, type PendingEvent } from './event-aggregator.ts';
import { microTime } from '../leader-election/lease-record.ts';
import type { Part } from '../manager/manager.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { EventDropReason, Metrics } from '../telemetry/metrics.ts';
import { dns1123SubdomainProblems } from '../objects/resource-names.ts';
import { events } from '../objects/resources.ts';
import type { Event } from '../types/index.ts';
import { shortened } from '../values/shortened.ts';

/** What an {@link EventRecorder} is made of. */
export interface EventRecorderOptions {
  readonly client: Pick<Client, 'create' | 'patch'>;
  /** Who reports, as a qualified name: `example.dev/website`. */
  readonly reportingController: string;
  /** Which instance of it: the pod's or the host's name. At most 128 bytes. */
  readonly reportingInstance: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics?: Metrics | undefined;
  /** How many different events may wait to be sent; of what is more, the newest of the namespace that has the most is dropped. Default 1,000. */
  readonly queueLimit?: number;
  /** Milliseconds between two writes of one repeated event. Default 30 s. */
  readonly seriesIntervalMs?: number;
  /** How many different events one object may have at once, and how many milliseconds earn another. Default 25 and 1 min. */
  readonly perObject?: { readonly burst: number; readonly refillMs: number };
  /** Milliseconds that sending what is left may take on shutdown. Default 5 s. */
  readonly flushTimeoutMs?: number;
  /** For names of events; random by default. */
  readonly uniqueSuffix?: () => string;
}

const attempts = 6;
const firstRetryMs = 250;
/** In each namespace one event is sent at a time, in so many at once: one that fails or is slow holds up no other. */
const namespacesAtOnce = 8;
/** The longest pause between two tries while the server cannot be reached, in milliseconds. */
const longestOutagePauseMs = 8_000;

/**
 * Records events as events.k8s.io/v1 objects, as a service of a manager. {@link record} never waits and never fails. An event that is
 * repeated becomes a series of one object; what the server refuses is dropped and counted.
 */
export class EventRecorder implements Part {
  readonly name = 'event recorder';
  readonly #options: EventRecorderOptions;
  readonly #aggregator: EventAggregator;
  readonly #uniqueSuffix: () => string;
  /** Where an event is under way. */
  readonly #busy = new Set<string>();
  /** While the server cannot be reached one event at a time finds out whether it is back. */
  #outage: { readonly tries: number; readonly until: number } | undefined;
  /** Ends the sending of what is left when its time is over. */
  readonly #giveUp = new AbortController();
  #wake: (() => void) | undefined;
  #ended = false;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#uniqueSuffix = options.uniqueSuffix ?? (() => randomUUID().replaceAll('-', '').slice(0, 16));
    this.#aggregator = new EventAggregator({
      limit: options.queueLimit ?? 1000,
      seriesIntervalMs: options.seriesIntervalMs ?? 30_000,
      perObject: options.perObject ?? { burst: 25, refillMs: 60_000 },
    });
  }

  /** Takes an occurrence to be recorded. Note, reason and action are cut to what the API server takes. */
  record(occurrence: EventOccurrence): void {
    const { clock } = this.#options;
    const dropped = this.#ended
      ? 'stopped'
      : this.#aggregator.add(cut(occurrence), clock.monotonic(), clock.now());
    if (dropped !== undefined) this.#countDropped(dropped);
    this.#wake?.();
  }

  /** Sends until the signal ends, then what is left, for a bounded time. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, flushTimeoutMs = 5000 } = this.#options;
    let cancelFlush = (): void => undefined;
    const startFlush = (): void => {
      cancelFlush = clock.setTimer(flushTimeoutMs, () => {
        this.#giveUp.abort(new Error('shutting down'));
        this.#wake?.();
      });
      this.#wake?.();
    };
    if (signal.aborted) startFlush();
    else signal.addEventListener('abort', startFlush, { once: true });
    for (;;) {
      const waitMs = this.#sendDue();
      const isDone = this.#giveUp.signal.aborted || (signal.aborted && waitMs === undefined);
      if (isDone && this.#busy.size === 0) break;
      await this.#untilWoken(waitMs);
    }
    cancelFlush();
    this.#ended = true;
    const left = this.#aggregator.clear();
    if (left > 0) this.#countDropped('unreachable', left);
  }

  /** Sends what may be sent now. Returns after how many milliseconds one that failed is due again. */
  #sendDue(): number | undefined {
    const { clock } = this.#options;
    const outage = this.#outage;
    const now = clock.monotonic();
    if (outage !== undefined && now < outage.until) return outage.until - now;
    const isFree = (occurrence: EventOccurrence): boolean => !this.#busy.has(namespaceOf(occurrence));
    while (this.#busy.size < (outage === undefined ? namespacesAtOnce : 1) && !this.#giveUp.signal.aborted) {
      const { pending, waitMs } = this.#aggregator.next(clock.monotonic(), isFree);
      if (pending === undefined) return waitMs;
      const namespace = namespaceOf(pending.occurrence);
      this.#busy.add(namespace);
      void this.#send(pending).finally(() => {
        this.#busy.delete(namespace);
        this.#wake?.();
      });
    }
    return undefined;
  }

  async #send(pending: PendingEvent): Promise<void> {
    const { clock, metrics } = this.#options;
    try {
      const sent = await this.#write(pending);
      this.#outage = undefined;
      this.#aggregator.sent(pending, sent, clock.monotonic());
      metrics?.events.sent.inc({
        type: pending.occurrence.type,
        result: pending.name === undefined ? 'created' : 'series',
      });
    } catch (error) {
      if (pending.name === undefined || !isApiError(error, 'NotFound')) return this.#failed(pending, error);
      // The server deletes events after an hour.
      await this.#send(this.#aggregator.forgotten(pending));
    }
  }

  #failed(pending: PendingEvent, error: unknown): void {
    const { clock, logger } = this.#options;
    if (this.#giveUp.signal.aborted) return this.#drop(pending, 'unreachable');
    if (isApiError(error, 'NetworkError') && error.fate === 'unsent') return this.#unreached(pending);
    if (isApiError(error) && error.code !== 0) this.#outage = undefined;
    const hopeless = isApiError(error) && !error.retryable;
    if (hopeless || pending.failures + 1 === attempts) {
      // Of a namespace that is being deleted nobody expects events.
      const level = isApiError(error) && error.namespaceTerminating ? 'debug' : 'warn';
      logger[level]({ err: error, reason: pending.occurrence.reason }, 'event dropped');
      return this.#drop(pending, hopeless ? 'refused' : 'unreachable');
    }
    const waitMs = Math.max(
      firstRetryMs * 2 ** pending.failures,
      isApiError(error) ? (error.retryAfterMs ?? 0) : 0,
    );
    this.#aggregator.failed(pending, clock.monotonic() + waitMs);
  }

  /** It did not leave, which is no fault of the event. */
  #unreached(pending: PendingEvent): void {
    const now = this.#options.clock.monotonic();
    const { tries, until } = this.#outage ?? { tries: 0, until: now };
    // Those that were under way together are one try.
    if (until <= now) {
      const pauseMs = Math.min(longestOutagePauseMs, firstRetryMs * 2 ** tries);
      this.#outage = { tries: tries + 1, until: now + pauseMs };
    }
    this.#aggregator.returned(pending, now);
  }

  #drop(pending: PendingEvent, reason: 'refused' | 'unreachable'): void {
    this.#aggregator.dropped(pending);
    this.#countDropped(reason);
  }

  #countDropped(reason: EventDropReason, events = 1): void {
    this.#options.metrics?.events.dropped.inc({ reason }, events);
  }

  /** Yields the name of the event that now records the occurrence. */
  async #write(pending: PendingEvent): Promise<string> {
    const { client } = this.#options;
    const { signal } = this.#giveUp;
    if (pending.name !== undefined) {
      const key = { namespace: namespaceOf(pending.occurrence), name: pending.name };
      const series = { count: pending.count, lastObservedTime: microTime(pending.lastSeen) };
      await client.patch(events, key, { type: 'merge', body: { series } }, { signal });
      return pending.name;
    }
    // The name is chosen once, so that a repeat after a lost answer is AlreadyExists and not a second event.
    pending.chosenName ??= eventName(pending.occurrence.regarding.name, this.#uniqueSuffix());
    try {
      await client.create(events, this.#event(pending, pending.chosenName), { signal });
    } catch (error) {
      if (!isApiError(error, 'AlreadyExists')) throw error;
    }
    return pending.chosenName;
  }

  #event({ occurrence, count, firstSeen, lastSeen }: PendingEvent, name: string): Event {
    const { reportingController, reportingInstance } = this.#options;
    const { type, reason, action, note, regarding, related } = occurrence;
    return {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { namespace: namespaceOf(occurrence), name },
      eventTime: microTime(firstSeen),
      reportingController,
      reportingInstance: shortened(reportingInstance, 128),
      type,
      reason,
      action,
      note,
      regarding,
      ...(related === undefined ? {} : { related }),
      ...(count > 1 ? { series: { count, lastObservedTime: microTime(lastSeen) } } : {}),
    };
  }

  #untilWoken(waitMs: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        cancel?.();
        this.#wake = undefined;
        resolve();
      };
      const cancel = waitMs === undefined ? undefined : this.#options.clock.setTimer(waitMs, wake);
      this.#wake = wake;
    });
  }
}

/** Names of some objects (RBAC's) are no names for events. */
function eventName(regarding: string, suffix: string): string {
  const room = 253 - suffix.length - 1;
  const cutName = regarding.slice(0, room);
  const valid = dns1123SubdomainProblems(cutName).length === 0;
  const clean = cutName.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const name = valid ? cutName : clean.replaceAll(/^-+|-+$/g, '') || 'event';
  return `${name}.${suffix}`;
}

function cut(occurrence: EventOccurrence): EventOccurrence {
  return {
    ...occurrence,
    note: shortened(occurrence.note, 1024),
    reason: shortened(occurrence.reason, 128),
    action: shortened(occurrence.action, 128),
  };
}
