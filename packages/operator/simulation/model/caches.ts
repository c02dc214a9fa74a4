import { formatKey, parseKey, wholeObject } from '@atoll/kube';
import type {
  CacheEvent,
  Indexers,
  KubeObject,
  ObjectKey,
  Projection,
  Resource,
  Stored,
  WriteThroughCache,
} from '@atoll/kube';
import { project } from '@atoll/kube/testing';
import { standingOf } from './definitions.ts';
import { slotOf, storedOf } from './store.ts';
import type { WatchEvent } from './store.ts';

/** What a process holds of one object: (uid, version), rule W2. */
export interface Known {
  readonly object: KubeObject;
  readonly version: number;
}

/** The content of all caches of one process; immutable, so that explored states share it. */
export interface CacheContent {
  readonly known: ReadonlyMap<string, Known>;
  /** Uids whose immediate deletion was acknowledged and whose DELETED event has not come yet (W3). */
  readonly tombstones: ReadonlySet<string>;
}

export const emptyCaches: CacheContent = { known: new Map(), tombstones: new Set() };

export interface Taken {
  readonly content: CacheContent;
  /** What the cache notifies its listeners of. Own writes' events enqueue keys too (W6), also where the content is newer. */
  readonly change: CacheEvent<KubeObject> | undefined;
}

/** Takes one watch event, in the order of its stream (W1, W2). */
export function take(content: CacheContent, event: WatchEvent): Taken {
  const held = content.known.get(event.slot);
  const uid = event.object.metadata.uid ?? '';
  const object = storedOf(event);
  if (event.type === 'DELETED') {
    const tombstones = without(content.tombstones, uid);
    if (held === undefined || held.object.metadata.uid !== uid) {
      return { content: { ...content, tombstones }, change: { type: 'deleted', object } };
    }
    const known = new Map(content.known);
    known.delete(event.slot);
    return { content: { known, tombstones }, change: { type: 'deleted', object } };
  }
  if (content.tombstones.has(uid)) return { content, change: { type: 'updated', old: object, object } };
  if (held !== undefined && held.version >= event.version) {
    return { content, change: { type: 'updated', old: storedOf(held), object: storedOf(held) } };
  }
  const known = new Map(content.known).set(event.slot, { object: event.object, version: event.version });
  const change: CacheEvent<KubeObject> =
    held === undefined ? { type: 'added', object } : { type: 'updated', old: storedOf(held), object };
  return { content: { ...content, known }, change };
}

/** A write's response (W2, W6): taken only if newer, enqueues nothing. */
export function wrote(
  content: CacheContent,
  slot: string,
  object: KubeObject,
  version: number,
): CacheContent {
  const held = content.known.get(slot);
  if (content.tombstones.has(object.metadata.uid ?? '')) return content;
  if (held !== undefined && held.version >= version) return content;
  return { ...content, known: new Map(content.known).set(slot, { object, version }) };
}

/** An immediate deletion that was acknowledged (W3). */
export function wroteDeletion(content: CacheContent, slot: string, uid: string): CacheContent {
  const held = content.known.get(slot);
  const tombstones = new Set(content.tombstones).add(uid);
  if (held?.object.metadata.uid !== uid) return { ...content, tombstones };
  const known = new Map(content.known);
  known.delete(slot);
  return { known, tombstones };
}

/** Where readers look; exploration points it at one state after the other. */
export interface Shown {
  content: CacheContent;
  /** Resources (`plural.group`) whose first content has not arrived. */
  unsynced: ReadonlySet<string>;
  /** Kinds that come and go. */
  readonly optional?: readonly Resource<KubeObject>[];
}

/** One resource's cache as controllers see it, over whatever content is shown. */
export class ModelCache<T extends KubeObject> implements WriteThroughCache<T> {
  readonly resource: Resource<T>;
  readonly #shown: Shown;
  readonly #indexers: Indexers<T>;
  readonly #projection: Projection<T>;
  readonly #prefix: string;
  /** Materialised objects, so that equal content is the same object as with the real cache. */
  readonly #stored = new WeakMap<KubeObject, Map<number, Stored<T>>>();

  /** `projection`: the fields that the cache of the operator holds; what is read live has all. */
  constructor(
    resource: Resource<T>,
    shown: Shown,
    indexers: Indexers<T> = {},
    projection: Projection<T> = wholeObject(),
  ) {
    this.resource = resource;
    this.#shown = shown;
    this.#indexers = indexers;
    this.#projection = projection;
    this.#prefix = slotOf(resource, { name: '' });
  }

  /** Whatever does not come from a definition in the world is always there. */
  get served(): boolean {
    const { optional = [], content } = this.#shown;
    const comesAndGoes = optional.some(
      (each) => each.group === this.resource.group && each.plural === this.resource.plural,
    );
    return !comesAndGoes || standingOf(content.known, this.resource) === 'stands';
  }

  get synced(): boolean {
    return !this.#shown.unsynced.has(this.#prefix.slice(0, -1));
  }

  get(key: ObjectKey): Stored<T> | undefined {
    const held = this.synced ? this.#shown.content.known.get(slotOf(this.resource, key)) : undefined;
    return held === undefined ? undefined : this.#materialise(held);
  }

  list(): readonly Stored<T>[] {
    if (!this.synced) return [];
    const found: [string, Known][] = [];
    for (const [slot, held] of this.#shown.content.known)
      if (slot.startsWith(this.#prefix)) found.push([slot, held]);
    found.sort(([a], [b]) => (a < b ? -1 : 1));
    return found.map(([, held]) => this.#materialise(held));
  }

  by(index: string, value: string): readonly Stored<T>[] {
    const indexer = this.#indexers[index];
    if (indexer === undefined) throw new Error(`no index ${index} over ${this.resource.plural}`);
    return this.list().filter((object) => indexer(object).includes(value));
  }

  wrote(object: Stored<T>): void {
    const { resourceVersion, ...metadata } = object.metadata;
    const bare = { ...object, metadata } as unknown as KubeObject;
    const slot = slotOf(this.resource, parseKey(formatKey(object.metadata)));
    this.#shown.content = wrote(this.#shown.content, slot, bare, Number(resourceVersion));
  }

  wroteDeletion(key: ObjectKey, uid: string): void {
    this.#shown.content = wroteDeletion(this.#shown.content, slotOf(this.resource, key), uid);
  }

  #materialise(held: Known): Stored<T> {
    let versions = this.#stored.get(held.object);
    if (versions === undefined) this.#stored.set(held.object, (versions = new Map()));
    let stored = versions.get(held.version);
    if (stored === undefined) {
      const whole = storedOf(held) as unknown as Stored<T>;
      stored = Object.freeze(project(this.#projection, whole)) as Stored<T>;
      versions.set(held.version, stored);
    }
    return stored;
  }
}

function without(set: ReadonlySet<string>, value: string): ReadonlySet<string> {
  if (!set.has(value)) return set;
  const rest = new Set(set);
  rest.delete(value);
  return rest;
}
