import { ObjectCache } from '../cache/cache.ts';
import { collectionPath } from '../client/request-path.ts';
import type { Clock } from '../clock/clock.ts';
import { projectionOfPaths, type Projection } from '../decoder/projection.ts';
import { ownField } from '../values/own-field.ts';
import { parseSelectorText } from '../objects/label-selector-text.ts';
import { selectorMatches } from '../objects/label-selector.ts';
import { silentLogger, type Logger } from '../telemetry/logger.ts';
import type { KubeObject, Stored, StoredMeta } from '../objects/object.ts';
import type { Outage } from '../reflector/outage.ts';
import type { CacheEvent, Indexers, WriteThroughCache } from '../cache/reader.ts';
import type { ReflectorPace } from '../reflector/reflector-pace.ts';
import type { ReflectorObserver } from '../reflector/reflector-options.ts';
import { Reflector, type ReflectorState } from '../reflector/reflector.ts';
import { groupResourceOf, type Resource } from '../objects/resource.ts';
import type { StreamingClient } from '../client/streaming-client.ts';

/** Gets the changes of one turn of the event loop together, in order. Should be quick: the next events wait. */
export type InformerListener<T extends KubeObject> = (events: readonly CacheEvent<T>[]) => void;

/** What an informer follows, and what it keeps of it. */
export interface InformerOptions<T extends KubeObject> {
  readonly client: Pick<StreamingClient, 'watch' | 'raw'>;
  readonly resource: Resource<T>;
  readonly indexers?: Indexers<T>;
  /** Default: all fields but managedFields. */
  readonly projection?: Projection<T>;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly observer?: ReflectorObserver;
  readonly pace?: Partial<ReflectorPace>;
  readonly outage?: Outage;
  readonly random?: () => number;
}

/** A resource, held in memory and kept up to date. */
export interface Informer<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly cache: WriteThroughCache<T>;
  readonly state: ReflectorState;
  /** Resolves when the first content is in the cache and the listeners were notified; rejects when the signal ends before. */
  readonly synced: Promise<void>;
  /**
   * From now on the listener gets every change; what others got already comes first, as `added`. A listener
   * that throws is logged and called again. Returns how to stop.
   */
  subscribe(listener: InformerListener<T>): () => void;
  /**
   * Of a kind that need not be installed: called after each change of its reader's `served` and `synced`.
   * Returns how to stop.
   */
  onPresence?(listener: () => void): () => void;
  /** Runs until the signal ends; never rejects. To be called once. */
  start(signal: AbortSignal): Promise<void>;
}

/** What somebody reads of a resource. */
export type InformerNeeds<T extends KubeObject> = Pick<InformerOptions<T>, 'indexers' | 'projection'>;

/** An informer of its own, for who needs but one. Throws a TypeError where the namespace does not fit the resource. */
export function createInformer<T extends KubeObject>(options: InformerOptions<T>): Informer<T> {
  return new ReflectedInformer(options);
}

/** {@link Informer} by a {@link Reflector} and an {@link ObjectCache}. */
export class ReflectedInformer<T extends KubeObject> implements Informer<T> {
  readonly resource: Resource<T>;
  readonly cache: ObjectCache<T>;
  readonly #options: InformerOptions<T>;
  readonly #clauses: readonly FieldClause[];
  #reflector: Reflector<T> | undefined;
  readonly #logger: Logger;
  readonly #listeners = new Set<InformerListener<T>>();
  readonly #synced = Promise.withResolvers<void>();
  #pending: CacheEvent<T>[] = [];

  constructor(options: InformerOptions<T>) {
    const { resource, indexers, projection, namespace, labelSelector, fieldSelector } = options;
    this.#clauses = fieldClauses(fieldSelector);
    // Throws where the limits make no sense; a reflector would ask again for ever.
    collectionPath(resource, namespace);
    this.resource = resource;
    this.#options = options;
    this.#logger = (options.logger ?? silentLogger).child({ resource: groupResourceOf(resource) });
    this.cache = new ObjectCache<T>({
      resource,
      ...(indexers === undefined ? {} : { indexers }),
      ...(projection === undefined ? {} : { projection: this.#withSelected(projection) }),
      matches: streamFilter(namespace, labelSelector, this.#clauses),
    });
    // A caller that waits gets the error; that nobody waits is no reason to end the process.
    this.#synced.promise.catch(() => undefined);
  }

  get state(): ReflectorState {
    return this.#reflector?.state ?? notStarted;
  }

  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  subscribe(listener: InformerListener<T>): () => void {
    this.#deliver();
    const present = this.cache.announced().map((object): CacheEvent<T> => ({ type: 'added', object }));
    // A function of its own, so that one listener may subscribe twice.
    const entry: InformerListener<T> = (events) => listener(events);
    this.#listeners.add(entry);
    if (present.length > 0) this.#notify(entry, present);
    return () => this.#listeners.delete(entry);
  }

  async start(signal: AbortSignal): Promise<void> {
    if (this.#reflector !== undefined) throw new Error(`${this.#name()} was started already`);
    const { projection } = this.cache;
    this.#reflector = new Reflector({ ...this.#options, projection, sink: this.#sink() });
    await this.#reflector.run(signal);
    this.#deliver();
    this.#synced.reject(new Error(`${this.#name()} was stopped before its first content arrived`));
  }

  /** Adds what one more user reads; only before {@link start}. */
  extend(needs: InformerNeeds<T>): void {
    if (this.#reflector !== undefined)
      throw new Error(`${this.#name()} was started; its indexes and fields cannot be changed any more`);
    const { projection } = needs;
    this.cache.extend(
      projection === undefined ? needs : { ...needs, projection: this.#withSelected(projection) },
    );
  }

  /** With what the selectors read: whether the answer to an own write fits them is seen in what is kept of it. */
  #withSelected(projection: Projection<T>): Projection<T> {
    const labels = this.#options.labelSelector === undefined ? [] : ['metadata.labels'];
    const selected = [...labels, ...this.#clauses.map(({ path }) => path)];
    if (projection.paths === undefined || selected.length === 0) return projection;
    return projectionOfPaths([...projection.paths, ...selected]);
  }

  #name(): string {
    return `the informer of ${groupResourceOf(this.resource)}`;
  }

  #sink() {
    return {
      replaced: (items: readonly Stored<T>[], version: string): void => {
        this.#later(this.cache.replace(items, version, true));
        this.#deliver();
        this.#synced.resolve();
      },
      changed: (event: Parameters<ObjectCache<T>['apply']>[0]): void => this.#later(this.cache.apply(event)),
      progressed: (version: string): void => this.cache.progressed(version),
      missed: (metadata: StoredMeta): void => this.cache.missed(metadata),
      known: (object: Stored<T>): Stored<T> | undefined => this.cache.known(object),
      awaited: this.cache.awaited,
    };
  }

  #later(events: readonly CacheEvent<T>[]): void {
    if (events.length === 0) return;
    if (this.#pending.length === 0) setImmediate(() => this.#deliver());
    for (const event of events) this.#pending.push(event);
  }

  #deliver(): void {
    if (this.#pending.length === 0) return;
    const events = this.#pending;
    this.#pending = [];
    for (const listener of this.#listeners) this.#notify(listener, events);
  }

  #notify(listener: InformerListener<T>, events: readonly CacheEvent<T>[]): void {
    try {
      listener(events);
    } catch (error) {
      this.#logger.error({ err: error, events: events.length }, 'a listener failed');
    }
  }
}

/** The state of an informer that has no reflector yet. */
export const notStarted: ReflectorState = {
  synced: false,
  watching: false,
  failures: 0,
  lastError: undefined,
  failingForMs: undefined,
  lists: 0,
  lastListedAt: undefined,
  resourceVersion: undefined,
};

/** One comparison of a field selector: `spec.nodeName=hz-1`. */
interface FieldClause {
  readonly path: string;
  readonly equals: boolean;
  readonly value: string;
}

/** A clause without a comparison is left out: the API server refuses it. */
function fieldClauses(fieldSelector = ''): readonly FieldClause[] {
  return fieldSelector.split(',').flatMap((text) => {
    const [, path, operator, value] = /^([^=!]+)(!=|==|=)(.*)$/.exec(text) ?? [];
    if (path === undefined || value === undefined) return [];
    return [{ path: path.trim(), equals: operator !== '!=', value }];
  });
}

/** Whether a stream with these limits carries an object. */
function streamFilter<T extends KubeObject>(
  namespace: string | undefined,
  labelSelector: string | undefined,
  clauses: readonly FieldClause[],
): (object: Stored<T>) => boolean {
  const labels = labelSelector === undefined ? undefined : parseSelectorText(labelSelector);
  return (object) => {
    if (namespace !== undefined && object.metadata.namespace !== namespace) return false;
    if (labels !== undefined && !selectorMatches(labels, object.metadata.labels)) return false;
    return clauses.every(({ path, equals, value }) => (fieldText(object, path) === value) === equals);
  };
}

function fieldText(object: object, path: string): string {
  let value: unknown = object;
  for (const name of path.split('.')) {
    value =
      typeof value === 'object' && value !== null
        ? ownField(value as Record<string, unknown>, name)
        : undefined;
  }
  // The API server reads an absent field as the empty text.
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}
