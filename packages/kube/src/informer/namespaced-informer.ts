import { NamespacedCache } from '../cache/namespaced-cache.ts';
import type { CacheEvent } from '../cache/reader.ts';
import type { KubeObject } from '../objects/object.ts';
import { groupResourceOf, type Resource } from '../objects/resource.ts';
import type { ReflectorState } from '../reflector/reflector.ts';
import type { Informer, InformerListener } from './informer.ts';
import type { OptionalInformer } from './optional-informer.ts';
import type { ServedNamespace } from './served-namespace.ts';

/** What reads the objects of one namespace. */
export interface NamespaceInformer<T extends KubeObject> {
  readonly namespace: ServedNamespace;
  readonly informer: OptionalInformer<T>;
}

/** Who listens, and how to end it in each namespace that is served. */
interface Entry<T extends KubeObject> {
  readonly listener: InformerListener<T>;
  readonly stops: Map<ServedNamespace, () => void>;
}

/**
 * The objects of a resource in some namespaces as one: read by one informer for each, which is started where it was made.
 * Listeners get the objects of a namespace as `added` when it comes to be served, and as `deleted` when it no longer is.
 */
export class NamespacedInformer<T extends KubeObject> implements Informer<T> {
  readonly resource: Resource<T>;
  readonly cache: NamespacedCache<T>;
  readonly synced: Promise<void>;
  readonly onPresence?: (listener: () => void) => () => void;
  readonly #parts: readonly NamespaceInformer<T>[];
  readonly #entries = new Set<Entry<T>>();

  /** `comesAndGoes`: the kind need not be installed, or its objects are followed only while they are asked for. */
  constructor(resource: Resource<T>, parts: readonly NamespaceInformer<T>[], comesAndGoes: boolean) {
    this.resource = resource;
    this.#parts = parts;
    this.cache = new NamespacedCache(
      resource,
      parts.map(({ namespace, informer }) => ({
        namespace,
        cache: informer.cache,
        state: () => informer.state,
      })),
      comesAndGoes,
    );
    this.synced = this.#allSynced();
    this.synced.catch(() => undefined);
    if (comesAndGoes) this.onPresence = (listener) => this.#onPresence(listener);
    for (const part of parts) {
      part.namespace.subscribe({
        shown: () => {
          for (const entry of this.#entries) this.#follow(entry, part);
        },
        hidden: () => this.#drop(part),
      });
    }
  }

  /** That of the namespace that fares worst. */
  get state(): ReflectorState {
    const [first, ...others] = this.#parts.map(({ informer }) => informer.state);
    if (first === undefined) throw new Error(`${this.resource.plural} are read in no namespace`);
    return others.reduce((worst, state) => (state.failures > worst.failures ? state : worst), first);
  }

  subscribe(listener: InformerListener<T>): () => void {
    const entry: Entry<T> = { listener, stops: new Map() };
    this.#entries.add(entry);
    for (const part of this.#parts) if (part.namespace.isShown) this.#follow(entry, part);
    return () => {
      this.#entries.delete(entry);
      for (const stop of entry.stops.values()) stop();
    };
  }

  async start(): Promise<void> {
    await Promise.reject(new Error('the informers of the namespaces are started, not what joins them'));
  }

  async #allSynced(): Promise<void> {
    await Promise.all(
      this.#parts.map(async ({ namespace, informer }) => Promise.all([informer.synced, namespace.settled])),
    );
  }

  #onPresence(listener: () => void): () => void {
    const stops = this.#parts.map(({ informer }) => informer.onPresence(listener));
    return () => {
      for (const stop of stops) stop();
    };
  }

  #follow({ listener, stops }: Entry<T>, { namespace, informer }: NamespaceInformer<T>): void {
    stops.set(namespace, informer.subscribe(listener));
  }

  /** The part still has its objects, and nobody reads them any more. */
  #drop({ namespace, informer }: NamespaceInformer<T>): void {
    // A new listener makes the informer notify the others of all it has first.
    informer.subscribe(() => undefined)();
    const events = informer.cache.announced().map((object): CacheEvent<T> => ({ type: 'deleted', object }));
    for (const { listener, stops } of this.#entries) {
      stops.get(namespace)?.();
      stops.delete(namespace);
      if (events.length === 0) continue;
      try {
        listener(events);
      } catch (error) {
        const fields = { resource: groupResourceOf(this.resource), err: error, events: events.length };
        namespace.logger.error(fields, 'a listener failed');
      }
    }
  }
}
