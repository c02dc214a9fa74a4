import { deepFreeze, StringPool } from '../decoder/freeze.ts';
import { ObjectDecoder } from '../decoder/object-decoder.ts';
import { project, wholeObject, type Projection } from '../decoder/projection.ts';
import {
  formatKey,
  keyOf,
  type KubeObject,
  type ObjectKey,
  type Stored,
  type StoredMeta,
} from '../objects/object.ts';
import type { CacheEvent, Indexers, WriteThroughCache } from './reader.ts';
import type { Resource } from '../objects/resource.ts';
import { isCertainlyNewer, isNewer } from '../objects/resource-version.ts';
import { GoneUids } from './gone-uids.ts';
import { IndexedContent } from './indexed-content.ts';
import { Tombstones } from './tombstones.ts';

/** What an {@link ObjectCache} is made of. */
export interface CacheOptions<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly indexers?: Indexers<T>;
  /** What the objects of the stream were decoded with; the responses of own writes are cut to the same fields. */
  readonly projection?: Projection<T>;
  /** Whether the stream would carry this object. The response of an own write that it would not is ignored. */
  readonly matches?: (object: Stored<T>) => boolean;
}

/** A change that the stream reports. */
export interface StreamEvent<T extends KubeObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Stored<T>;
}

/**
 * The objects of one resource, fed by its stream and by the responses of our own writes. It holds, whatever is late,
 * lost or repeated:
 *
 * - an object never goes back to an older version, and one that is gone (by uid) never comes back;
 * - readers are never behind a write that was acknowledged to us (where it is a deletion: of an object that was here);
 * - the events report each change once, at the stream's pace: an own write is readable at once, and its event comes
 *   when the stream brings its echo. `deleted` comes exactly once for each object that was readable and is no more,
 *   and may come without `added` where an own write created it and it went before the stream reported it.
 *
 * Every interleaving of small histories is explored in `cache-exploration.spec.ts`.
 */
export class ObjectCache<T extends KubeObject> implements WriteThroughCache<T> {
  readonly resource: Resource<T>;
  #projection: Projection<T>;
  readonly #matches: (object: Stored<T>) => boolean;
  readonly #content: IndexedContent<T>;
  readonly #tombstones = new Tombstones<T>();
  /** By uid, what the events have reported so far. Differs from the content only while an own write waits for its echo. */
  readonly #announced = new Map<string, Stored<T>>();
  /** Uids of those of which a version was held, and another came in its place, before an event reported it. */
  readonly #skipped = new Set<string>();
  readonly #gone = new GoneUids();
  readonly #pool = new StringPool(6);
  #answers: ObjectDecoder<T> | undefined;
  /** What {@link decode} has made has the right fields and is frozen. */
  readonly #decoded = new WeakSet<Stored<T>>();
  readonly #awaited = new Map<string, Stored<T>>();
  /** By key, the uid of those whose present version cannot be read. */
  readonly #unreadable = new Map<string, string>();
  /** The stream has reported everything up to this version. What is not here and not newer is gone. */
  #floor: string | undefined;
  #synced = false;

  constructor({
    resource,
    indexers = {},
    projection = wholeObject(),
    matches = () => true,
  }: CacheOptions<T>) {
    this.resource = resource;
    this.#projection = projection;
    this.#matches = matches;
    this.#content = new IndexedContent<T>(resource.plural);
    this.#content.declare(indexers);
  }

  /**
   * Adds what one more user reads. To be called before the first object is here; throws otherwise, and where another
   * user means something else by the name of an index.
   */
  extend({ indexers = {}, projection }: Pick<CacheOptions<T>, 'indexers' | 'projection'>): void {
    if (this.#synced || this.#content.size > 0) {
      throw new Error(
        `the cache of ${this.resource.plural} is in use; its indexes and fields cannot be changed any more`,
      );
    }
    this.#content.declare(indexers);
    if (projection !== undefined) this.#projection = projection;
  }

  get projection(): Projection<T> {
    return this.#projection;
  }

  get synced(): boolean {
    return this.#synced;
  }

  get size(): number {
    return this.#content.size;
  }

  /** Own deletions whose echo has not come. */
  get tombstones(): number {
    return this.#tombstones.size;
  }

  get(key: ObjectKey): Stored<T> | undefined {
    return this.#content.get(formatKey(key));
  }

  list(): readonly Stored<T>[] {
    return this.#content.read();
  }

  by(index: string, value: string): readonly Stored<T>[] {
    return this.#content.by(index, value);
  }

  isUnreadable(key: ObjectKey): boolean {
    return this.#unreadable.has(formatKey(key));
  }

  /** The stream has brought a version of this object that cannot be read. What is held of it stays. */
  missed(metadata: StoredMeta): void {
    this.#unreadable.set(formatKey(metadata), metadata.uid);
  }

  /**
   * Own writes whose event has not come, by resourceVersion, which no two changes share. What that event brings is held
   * already.
   */
  get awaited(): ReadonlyMap<string, Stored<T>> {
    return this.#awaited;
  }

  /** What the events have reported so far, in no order: what a new listener has missed. */
  announced(): readonly Stored<T>[] {
    return [...this.#announced.values()];
  }

  /** All that decides how the cache goes on, as text: for tests and for people who debug. */
  describe(): string {
    const versions = (objects: Iterable<Stored<T>>): string[] =>
      [...objects]
        .map(({ metadata }) => `${formatKey(metadata)} ${metadata.uid} ${metadata.resourceVersion}`)
        .toSorted();
    return JSON.stringify({
      synced: this.#synced,
      floor: this.#floor,
      content: versions(this.#content.read()),
      announced: versions(this.#announced.values()),
      skipped: [...this.#skipped].toSorted(),
      tombstones: this.#tombstones.describe(),
      gone: this.#gone.describe(),
    });
  }

  decode(answer: Buffer): Stored<T> {
    this.#answers ??= new ObjectDecoder(this.resource, this.#projection, (object) => this.known(object));
    const object = this.#answers.decode(answer, 0, answer.length);
    this.#decoded.add(object);
    return object;
  }

  /** The version that is held of the same object. */
  known(object: Stored<T>): Stored<T> | undefined {
    const held = this.get(keyOf(object));
    return held?.metadata.uid === object.metadata.uid ? held : undefined;
  }

  wrote(response: Stored<T>): void {
    const key = formatKey(keyOf(response));
    const { uid, resourceVersion } = response.metadata;
    const current = this.#content.get(key);
    const object = this.#decoded.has(response)
      ? response
      : deepFreeze(project(this.#projection, response), this.#pool, current);
    if (current?.metadata.uid !== uid && !this.#matches(object)) return;
    if (this.#tombstones.cover(key, uid, resourceVersion)) {
      this.#tombstones.record(key, uid, resourceVersion);
      // An earlier object of this name is gone too.
      if (current !== undefined && isCertainlyNewer(resourceVersion, current.metadata.resourceVersion))
        this.#bury(key, current);
      return;
    }
    if (current === undefined) {
      if (this.#floor !== undefined && !isNewer(resourceVersion, this.#floor)) return;
    } else {
      if (!isNewer(resourceVersion, current.metadata.resourceVersion)) return;
      // The name was taken anew, so the one before is gone, whatever the stream still reports of it.
      if (current.metadata.uid !== uid) this.#bury(key, current);
    }
    this.#put(key, object, current);
    this.#awaited.set(resourceVersion, object);
  }

  wroteDeletion(objectKey: ObjectKey, uid: string): void {
    const key = formatKey(objectKey);
    if (this.#tombstones.has(key, uid) || this.#gone.has(uid)) return;
    const current = this.#content.get(key);
    if (current?.metadata.uid === uid) this.#bury(key, current);
    else this.#tombstones.add(key, { uid, version: undefined, object: undefined });
  }

  /** Takes one event of the stream; yields the events for listeners. */
  apply({ type, object }: StreamEvent<T>): readonly CacheEvent<T>[] {
    const key = formatKey(keyOf(object));
    const events: CacheEvent<T>[] = [];
    if (type === 'DELETED') this.#deleted(key, object, events);
    else this.#present(key, object, this.#floor, events);
    this.progressed(object.metadata.resourceVersion);
    this.#awaited.delete(object.metadata.resourceVersion);
    return events;
  }

  /** The stream has reported everything up to `version`. */
  progressed(version: string): void {
    if (this.#floor === undefined || isNewer(version, this.#floor)) this.#floor = version;
  }

  /**
   * Takes a whole content as it was at `version`; yields the events for listeners. Own writes that are newer than the
   * list stay. `consistent`: the list cannot be older than the moment it was asked for: if it is older than
   * what the stream reported all the same, or holds an older version of an object, the store was set back (a restored backup),
   * and the list counts as it is.
   */
  replace(items: readonly Stored<T>[], version: string, consistent = false): readonly CacheEvent<T>[] {
    const events: CacheEvent<T>[] = [];
    // What it brings is in the list, or comes as any other event.
    this.#awaited.clear();
    this.#unreadable.clear();
    const setBack = consistent && this.#isSetBack(items, version);
    const listed = new Set(items.map((item) => item.metadata.uid));
    if (setBack) this.#clear(events);
    for (const { uid, object } of this.#tombstones.passed(version, listed)) {
      this.#gone.add(uid);
      this.#report(uid, object, events);
    }
    for (const [key, object] of this.#content.entries()) {
      const { uid, resourceVersion } = object.metadata;
      if (listed.has(uid) || isCertainlyNewer(resourceVersion, version)) continue;
      this.#gone.add(uid);
      this.#content.delete(key);
      this.#report(uid, object, events);
    }
    const newest = this.#floor === undefined || !isCertainlyNewer(this.#floor, version);
    for (const item of items)
      this.#present(formatKey(keyOf(item)), item, newest ? undefined : this.#floor, events);
    this.progressed(version);
    this.#synced = true;
    return events;
  }

  /** `floor`: an unknown object that is not newer is gone already. */
  #present(key: string, object: Stored<T>, floor: string | undefined, events: CacheEvent<T>[]): void {
    const { uid, resourceVersion } = object.metadata;
    if (this.#tombstones.cover(key, uid, resourceVersion)) {
      this.#tombstones.record(key, uid, resourceVersion);
      return;
    }
    const current = this.#content.get(key);
    if (current === undefined) {
      if (floor !== undefined && !isNewer(resourceVersion, floor)) return;
    } else if (current.metadata.uid !== uid) {
      if (!isNewer(resourceVersion, current.metadata.resourceVersion)) return;
      this.#content.delete(key);
      this.#report(current.metadata.uid, current, events);
    } else if (current.metadata.resourceVersion === resourceVersion) {
      this.#announce(current, events);
      return;
    } else if (!isNewer(resourceVersion, current.metadata.resourceVersion)) {
      return;
    }
    this.#put(key, object, current);
    this.#announce(object, events);
  }

  #deleted(key: string, object: Stored<T>, events: CacheEvent<T>[]): void {
    const { uid, resourceVersion } = object.metadata;
    this.#gone.add(uid);
    if (this.#unreadable.get(key) === uid) this.#unreadable.delete(key);
    const stone = this.#tombstones.remove(key, uid);
    if (stone?.object !== undefined) this.#report(uid, object, events);
    const current = this.#content.get(key);
    if (current?.metadata.uid !== uid) return;
    if (isCertainlyNewer(current.metadata.resourceVersion, resourceVersion)) {
      // It left the selector of this stream, and an own write has brought it back since.
      if (this.#announced.delete(uid)) events.push({ type: 'deleted', object });
      return;
    }
    this.#content.delete(key);
    this.#report(uid, object, events);
  }

  #announce(object: Stored<T>, events: CacheEvent<T>[]): void {
    const { uid, resourceVersion } = object.metadata;
    const old = this.#announced.get(uid);
    if (old?.metadata.resourceVersion === resourceVersion) return;
    this.#announced.set(uid, object);
    const echo = this.#awaited.get(resourceVersion)?.metadata.uid === uid ? { echo: true as const } : {};
    const skips = this.#skipped.delete(uid) ? { skips: true as const } : {};
    events.push(
      old === undefined
        ? { type: 'added', object, ...echo }
        : { type: 'updated', old, object, ...echo, ...skips },
    );
  }

  #report(uid: string, object: Stored<T> | undefined, events: CacheEvent<T>[]): void {
    this.#announced.delete(uid);
    this.#skipped.delete(uid);
    if (object !== undefined) events.push({ type: 'deleted', object });
  }

  #bury(key: string, object: Stored<T>): void {
    const { uid, resourceVersion } = object.metadata;
    this.#content.delete(key);
    this.#tombstones.add(key, { uid, version: resourceVersion, object });
  }

  /** A consistent list contradicts what was reported before. */
  #isSetBack(items: readonly Stored<T>[], version: string): boolean {
    if (this.#floor !== undefined && isCertainlyNewer(this.#floor, version)) return true;
    return items.some((item) => {
      const held = this.known(item)?.metadata.resourceVersion;
      return (
        held !== undefined &&
        isCertainlyNewer(held, item.metadata.resourceVersion) &&
        !isCertainlyNewer(held, version)
      );
    });
  }

  #clear(events: CacheEvent<T>[]): void {
    for (const { uid, object } of this.#tombstones.clear()) this.#report(uid, object, events);
    for (const [key, object] of this.#content.entries()) {
      this.#content.delete(key);
      this.#report(object.metadata.uid, object, events);
    }
    this.#gone.clear();
    this.#floor = undefined;
  }

  /** In place of `current`, where there is one. */
  #put(key: string, object: Stored<T>, current: Stored<T> | undefined): void {
    const { uid } = object.metadata;
    if (current?.metadata.uid === uid && this.#announced.get(uid) !== current) this.#skipped.add(uid);
    this.#content.set(key, object);
    this.#unreadable.delete(key);
  }
}
