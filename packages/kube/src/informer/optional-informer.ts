import { ApiError } from '../client/api-error.ts';
import { systemClock, type Instant } from '../clock/clock.ts';
import { ended } from '../manager/ended.ts';
import type { FollowRule } from './follow-rule.ts';
import {
  notStarted,
  ReflectedInformer,
  type Informer,
  type InformerListener,
  type InformerNeeds,
  type InformerOptions,
} from './informer.ts';
import { silentLogger, type Logger } from '../telemetry/logger.ts';
import type { KubeObject } from '../objects/object.ts';
import { OptionalCache } from '../cache/optional-cache.ts';
import type { CacheEvent } from '../cache/reader.ts';
import type { ReflectorState } from '../reflector/reflector.ts';
import { groupResourceOf, type Resource } from '../objects/resource.ts';

/** What an {@link OptionalInformer} follows, and when. */
export type OptionalInformerOptions<T extends KubeObject> = InformerOptions<T> & {
  readonly rule: FollowRule;
};

/** Follows the resource while the rule gives the reason that it gave at the beginning. */
interface Attached<T extends KubeObject> {
  readonly since: string;
  readonly informer: ReflectedInformer<T>;
  readonly stop: AbortController;
}

/** Who listens, and how to end it at the informer that is attached. */
interface Entry<T extends KubeObject> {
  readonly listener: InformerListener<T>;
  stop: () => void;
}

/**
 * An {@link Informer} of objects that are followed for a time only: of a kind whose CustomResourceDefinition may be absent,
 * come later and go again, or of one that is read only while others ask for it. Nothing is asked of the API server
 * meanwhile. When the time ends, its reader is empty and not served, and listeners get each object as `deleted`: it
 * can no longer be read.
 *
 * {@link Informer.synced} and the state's `synced` do not wait for an answer in every case, so that nobody waits for a kind
 * that is not there, or whose objects cannot be read (a conversion webhook that does not answer): these two resolve once
 * it is known that nothing is followed, its content is here, or the first attempt to read it has failed. What a decision may
 * believe is in the reader.
 */
export class OptionalInformer<T extends KubeObject> implements Informer<T> {
  readonly resource: Resource<T>;
  readonly cache: OptionalCache<T>;
  readonly #options: OptionalInformerOptions<T>;
  readonly #logger: Logger;
  readonly #entries = new Set<Entry<T>>();
  readonly #presenceListeners = new Set<() => void>();
  readonly #synced = Promise.withResolvers<void>();
  readonly #running = new Set<Promise<void>>();
  #needs: InformerNeeds<T>;
  #attached: Attached<T> | undefined;
  /** Before the first content: since when it cannot be read, and the reason that was logged last. */
  #failing: { readonly since: Instant; readonly logged: string | undefined } | undefined;
  #hasSynced = false;
  #signal: AbortSignal | undefined;

  constructor(options: OptionalInformerOptions<T>) {
    const { resource, indexers, projection } = options;
    this.resource = resource;
    this.#options = options;
    this.#logger = (options.logger ?? silentLogger).child({ resource: groupResourceOf(resource) });
    this.cache = new OptionalCache(resource);
    this.#needs = {};
    this.extend({
      ...(indexers === undefined ? {} : { indexers }),
      ...(projection === undefined ? {} : { projection }),
    });
    this.#synced.promise.catch(() => undefined);
  }

  get state(): ReflectorState {
    return { ...(this.#attached?.informer.state ?? notStarted), synced: this.#hasSynced };
  }

  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  /** Why objects are followed now, as the rule named it; undefined: they are not. */
  get following(): string | undefined {
    return this.#attached?.since;
  }

  subscribe(listener: InformerListener<T>): () => void {
    const entry: Entry<T> = { listener, stop: () => undefined };
    this.#entries.add(entry);
    if (this.#attached !== undefined) entry.stop = this.#attached.informer.subscribe(listener);
    return () => {
      this.#entries.delete(entry);
      entry.stop();
    };
  }

  onPresence(listener: () => void): () => void {
    const entry = (): void => listener();
    this.#presenceListeners.add(entry);
    return () => this.#presenceListeners.delete(entry);
  }

  async start(signal: AbortSignal): Promise<void> {
    if (this.#signal !== undefined)
      throw new Error(`the informer of ${groupResourceOf(this.resource)} was started already`);
    this.#signal = signal;
    const stopListening = this.#options.rule.subscribe(() => this.#look());
    await ended(signal);
    stopListening();
    await Promise.all(this.#running);
    this.#synced.reject(
      new Error(
        `the informer of ${groupResourceOf(this.resource)} was stopped before it knew whether it is served`,
      ),
    );
  }

  /** Adds what one more user reads; only before {@link start}. */
  extend(needs: InformerNeeds<T>): void {
    if (this.#signal !== undefined)
      throw new Error(
        `the informer of ${groupResourceOf(this.resource)} was started; its indexes and fields cannot be changed any more`,
      );
    const indexers = { ...this.#needs.indexers, ...needs.indexers };
    this.#needs = { ...this.#needs, ...needs, indexers };
    this.cache.declare(indexers);
  }

  /** Follows the rule as it is now. */
  #look(): void {
    if (this.#signal?.aborted !== false) return;
    const answer = this.#options.rule.now();
    if (answer === 'unknown') return;
    const since = answer === 'no' ? undefined : answer.since;
    if (this.#attached !== undefined && this.#attached.since !== since) this.#detach(this.#attached);
    if (since !== undefined && this.#attached === undefined) this.#attach(since, this.#signal);
    if (since === undefined && !this.cache.synced) this.#absent();
  }

  #attach(since: string, signal: AbortSignal): void {
    const { observer } = this.#options;
    const stop = new AbortController();
    const informer = new ReflectedInformer<T>({
      ...this.#options,
      ...this.#needs,
      observer: {
        ...observer,
        failed: (failure) => {
          observer?.failed?.(failure);
          this.#becomeSynced();
          if (this.#attached?.informer === informer) this.#failed(failure);
        },
      },
    });
    this.#attached = { since, informer, stop };
    this.#failing = undefined;
    this.cache.become('served', informer.cache);
    for (const entry of this.#entries) entry.stop = informer.subscribe(entry.listener);
    const running = informer.start(AbortSignal.any([signal, stop.signal]));
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running));
    informer.synced.then(
      () => {
        if (this.#attached?.informer !== informer) return;
        this.#becomeSynced();
        this.#notifyPresence();
      },
      () => undefined,
    );
    this.#logger.info({}, 'following its objects');
    this.#notifyPresence();
  }

  /** Failures before the first content: the second in a row is no hiccup any more, and is logged until another comes. */
  #failed({ error, failures }: { readonly error: Error; readonly failures: number }): void {
    if (this.cache.synced) return;
    const { since, logged } = this.#failing ?? { since: this.#now(), logged: undefined };
    const reason = error instanceof ApiError ? error.reason : error.name;
    const logs = failures >= 2 && logged !== reason;
    this.#failing = { since, logged: logs ? reason : logged };
    if (!logs) return;
    this.cache.cannotBeRead({ since, why: error.message });
    this.#notifyPresence();
  }

  #now(): Instant {
    return (this.#options.clock ?? systemClock).now();
  }

  #detach({ informer, stop }: Attached<T>): void {
    // A new listener makes the informer notify the others of all it has first.
    informer.subscribe(() => undefined)();
    for (const entry of this.#entries) entry.stop();
    stop.abort();
    this.#attached = undefined;
    const events = informer.cache.announced().map((object): CacheEvent<T> => ({ type: 'deleted', object }));
    this.#logger.info(
      { objects: events.length },
      'its objects are no longer followed and are dropped from the cache',
    );
    this.#absent();
    if (events.length === 0) return;
    for (const { listener } of this.#entries) {
      try {
        listener(events);
      } catch (error) {
        this.#logger.error({ err: error, events: events.length }, 'a listener failed');
      }
    }
  }

  #absent(): void {
    this.cache.become('absent');
    this.#becomeSynced();
    this.#notifyPresence();
  }

  #becomeSynced(): void {
    this.#hasSynced = true;
    this.#synced.resolve();
  }

  #notifyPresence(): void {
    for (const listener of this.#presenceListeners) {
      try {
        listener();
      } catch (error) {
        this.#logger.error({ err: error }, 'a listener failed');
      }
    }
  }
}
