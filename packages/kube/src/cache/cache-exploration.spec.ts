import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ObjectCache } from './cache.ts';
import type { KubeObject, Stored } from '../objects/object.ts';
import type { CacheEvent } from './reader.ts';
import type { Resource } from '../objects/resource.ts';
import * as versions from '../objects/resource-version.ts';
import * as graveyard from './tombstones.ts';

/*
 * Every interleaving of a small history of one resource with what a cache gets to see of it: own writes and those of others;
 * responses delayed, reordered or lost; a stream that is late, cut, and begun anew from any snapshot, also one that is
 * older than what the cache has seen. Breadth first, so that what is reported is a shortest trace.
 */

const configMaps: Resource<KubeObject> = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};

type Cache = ObjectCache<KubeObject>;
type CacheClass = typeof ObjectCache<KubeObject>;
type Present = { readonly uid: string; readonly version: number } | undefined;
interface Change {
  readonly name: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly uid: string;
}
interface Response {
  readonly at: number;
  readonly name: string;
  readonly uid: string;
  readonly deletion: boolean;
}

interface Bounds {
  readonly names: readonly string[];
  readonly writes: number;
  readonly relists: number;
  readonly losses: number;
  /** Begin with an object that the cache holds, or with an empty cache. */
  readonly begin: 'synced' | 'empty';
}

class Violation extends Error {}

/** The store's true history, what of it is under way to the cache, and what readers and listeners must have seen. */
class World {
  readonly bounds: Bounds;
  readonly cache: Cache;
  /** The change of revision n is at n - 1. */
  readonly history: Change[] = [];
  responses: readonly Response[] = [];
  /** Revision up to which the stream has delivered; undefined: there is no stream. */
  delivered: number | undefined;
  relists = 0;
  losses = 0;
  /** By name, the revision that readers must not be behind. */
  readonly reached = new Map<string, number>();
  /** By uid, what listeners have been notified of. */
  readonly notified = new Map<string, { version: number | undefined; deleted: number }>();
  readonly readable = new Set<string>();
  /** By uid, the versions that readers have seen since listeners were last notified. */
  readonly seen = new Map<string, Set<number>>();

  constructor(Class: CacheClass, bounds: Bounds) {
    this.bounds = bounds;
    this.cache = new Class({ resource: configMaps });
    if (bounds.begin === 'empty') return;
    this.history.push({ name: 'a', type: 'ADDED', uid: 'u1' });
    this.#relist(1);
    this.relists = 0;
  }

  get revision(): number {
    return this.history.length;
  }

  at(name: string, revision: number): Present {
    for (let at = revision; at > 0; at--) {
      const change = this.history[at - 1];
      if (change?.name === name)
        return change.type === 'DELETED' ? undefined : { uid: change.uid, version: at };
    }
    return undefined;
  }

  actions(): string[] {
    const { names, writes, relists, losses, begin } = this.bounds;
    const actions: string[] = [];
    if (this.revision < writes + (begin === 'synced' ? 1 : 0)) {
      for (const name of names) {
        const verbs = this.at(name, this.revision) === undefined ? ['create'] : ['update', 'delete'];
        for (const verb of verbs) actions.push(`own ${verb} ${name}`, `other ${verb} ${name}`);
      }
    }
    for (const index of this.responses.keys()) {
      actions.push(`respond ${index}`);
      if (this.losses < losses) actions.push(`lose ${index}`);
    }
    if (this.delivered !== undefined && this.delivered < this.revision) actions.push('deliver');
    if (this.relists < relists) {
      for (let snapshot = 0; snapshot <= this.revision; snapshot++) actions.push(`relist ${snapshot}`);
    }
    return actions;
  }

  do(action: string): void {
    const [verb = '', a = '', b = ''] = action.split(' ');
    if (verb === 'own' || verb === 'other') this.#write(verb === 'own', a, b);
    else if (verb === 'respond' || verb === 'lose') this.#respond(Number(a), verb === 'lose');
    else if (verb === 'deliver') this.#deliver();
    else this.#relist(Number(a));
    this.#check();
  }

  /** Equal for worlds that go on alike. */
  signature(): string {
    const { history, responses, delivered, relists, losses } = this;
    const ghosts = [[...this.reached], [...this.notified], [...this.readable], this.#seenText()];
    return JSON.stringify([history, responses, delivered, relists, losses, ghosts, this.cache.describe()]);
  }

  #seenText(): readonly unknown[] {
    return [...this.seen].map(([uid, versions]) => [uid, [...versions]]);
  }

  #write(own: boolean, verb: string, name: string): void {
    const before = this.at(name, this.revision);
    const type = verb === 'create' ? 'ADDED' : verb === 'update' ? 'MODIFIED' : 'DELETED';
    const uid = before?.uid ?? `u${this.revision + 1}`;
    this.history.push({ name, type, uid });
    if (own)
      this.responses = [...this.responses, { at: this.revision, name, uid, deletion: verb === 'delete' }];
  }

  #respond(index: number, lost: boolean): void {
    const response = this.responses[index];
    this.responses = this.responses.filter((_, at) => at !== index);
    if (lost) this.losses++;
    if (lost || response === undefined) return;
    const { name, uid, at, deletion } = response;
    if (deletion) this.cache.wroteDeletion({ namespace: 'n', name }, uid);
    else this.cache.wrote(objectOf(name, uid, at));
    // That an object which the cache never held is gone shows nothing about its namesakes: uids have no order.
    if (!deletion || this.readable.has(uid)) this.#reach(name, at);
  }

  #deliver(): void {
    const at = (this.delivered ?? 0) + 1;
    const change = this.history[at - 1];
    if (change === undefined) return;
    this.delivered = at;
    this.#hear(this.cache.apply({ type: change.type, object: objectOf(change.name, change.uid, at) }));
    this.#reach(change.name, at);
  }

  #relist(snapshot: number): void {
    this.relists++;
    this.delivered = snapshot;
    const items = this.bounds.names.flatMap((name) => {
      const present = this.at(name, snapshot);
      return present === undefined ? [] : [objectOf(name, present.uid, present.version)];
    });
    this.#hear(this.cache.replace(items, String(snapshot)));
    for (const name of this.bounds.names) this.#reach(name, snapshot);
  }

  #reach(name: string, revision: number): void {
    this.reached.set(name, Math.max(revision, this.reached.get(name) ?? 0));
  }

  #hear(events: readonly CacheEvent<KubeObject>[]): void {
    for (const event of events) {
      const { uid, resourceVersion } = event.object.metadata;
      const notified = this.notified.get(uid) ?? { version: undefined, deleted: 0 };
      const fail = (what: string): never => {
        throw new Violation(`${event.type} ${uid} ${what}`);
      };
      if (notified.deleted > 0) fail('after it was reported deleted');
      if (event.type === 'added' && notified.version !== undefined) fail('twice');
      if (event.type === 'updated' && Number(event.old.metadata.resourceVersion) !== notified.version)
        fail('from something never reported');
      if (event.type !== 'deleted' && Number(resourceVersion) <= (notified.version ?? 0))
        fail('reports nothing new');
      const seen = [...(this.seen.get(uid) ?? [])].some((version) => version !== Number(resourceVersion));
      if (event.type === 'updated' && seen !== (event.skips === true))
        fail(seen ? 'hides what readers have seen' : 'skips what nobody has seen');
      this.seen.delete(uid);
      this.notified.set(
        uid,
        event.type === 'deleted'
          ? { version: notified.version, deleted: 1 }
          : { version: Number(resourceVersion), deleted: 0 },
      );
    }
  }

  #check(): void {
    for (const name of this.bounds.names) this.#checkForward(name);
    if (this.responses.length === 0 && this.delivered === this.revision) this.#checkDrained();
  }

  /** Readers see each name as it truly was, and only ever move forward. */
  #checkForward(name: string): void {
    const metadata = this.cache.get({ namespace: 'n', name })?.metadata;
    const from = this.reached.get(name) ?? 0;
    for (let revision = from; revision <= this.revision; revision++) {
      const present = this.at(name, revision);
      if (
        present?.uid !== metadata?.uid ||
        (metadata !== undefined && present?.version !== Number(metadata.resourceVersion))
      )
        continue;
      this.#reach(name, revision);
      if (metadata !== undefined) this.#see(metadata.uid, Number(metadata.resourceVersion));
      return;
    }
    const seen = metadata === undefined ? 'nothing' : `${metadata.uid} ${metadata.resourceVersion}`;
    throw new Violation(`readers of ${name} see ${seen}, which is older than ${from}`);
  }

  #see(uid: string, version: number): void {
    this.readable.add(uid);
    if (this.notified.get(uid)?.version === version) return;
    this.seen.set(uid, (this.seen.get(uid) ?? new Set()).add(version));
  }

  /** All has arrived: content and events agree with the store, and nothing is left over. */
  #checkDrained(): void {
    const alive = new Map<string, number>();
    for (const name of this.bounds.names) {
      const present = this.at(name, this.revision);
      const metadata = this.cache.get({ namespace: 'n', name })?.metadata;
      if (metadata?.uid !== present?.uid)
        throw new Violation(`the stream is drained, and ${name} is not as stored`);
      if (present === undefined) continue;
      alive.set(present.uid, present.version);
      if (this.notified.get(present.uid)?.version !== present.version)
        throw new Violation(`nobody was woken for the last ${present.uid}`);
    }
    for (const uid of new Set([...this.readable, ...this.notified.keys()])) {
      const reported = this.notified.get(uid)?.deleted ?? 0;
      if (!alive.has(uid) && reported !== 1)
        throw new Violation(`${uid} disappeared and was reported ${reported} times`);
    }
    const unseen = this.history.filter(
      ({ type, uid }) => type === 'DELETED' && !this.readable.has(uid),
    ).length;
    if (this.cache.tombstones > unseen) throw new Violation('a tombstone stays for ever');
  }
}

function objectOf(name: string, uid: string, version: number): Stored<KubeObject> {
  const creationTimestamp = '2026-11-01T10:00:00Z';
  return { metadata: { namespace: 'n', name, uid, resourceVersion: String(version), creationTimestamp } };
}

interface Exploration {
  readonly states: number;
  readonly counterexample: string | undefined;
}

function explore(Class: CacheClass, bounds: Bounds): Exploration {
  const replay = (path: readonly string[]): World => {
    const world = new World(Class, bounds);
    for (const action of path) world.do(action);
    return world;
  };
  const seen = new Set([replay([]).signature()]);
  const queue: (readonly string[])[] = [[]];
  for (const path of queue) {
    let fresh: World | undefined = replay(path);
    for (const action of fresh.actions()) {
      const next = [...path, action];
      const world: World = fresh ?? replay(path);
      fresh = undefined;
      try {
        world.do(action);
      } catch (error) {
        if (!(error instanceof Violation)) throw error;
        return { states: seen.size, counterexample: `${next.join(', ')}: ${error.message}` };
      }
      const signature = world.signature();
      if (seen.has(signature)) continue;
      seen.add(signature);
      queue.push(next);
    }
  }
  return { states: seen.size, counterexample: undefined };
}

const oneObject: Bounds = { names: ['a'], writes: 3, relists: 1, losses: 1, begin: 'synced' };
const worlds: Readonly<Record<string, Bounds>> = {
  'four writes around the first list': { ...oneObject, writes: 4, losses: 0, begin: 'empty' },
  'one object, three writes': oneObject,
  'one object, two writes, three relists': { ...oneObject, writes: 2, relists: 3 },
  'one object, four writes': { ...oneObject, writes: 4, losses: 0 },
  'writes before the first list, and a second list': {
    ...oneObject,
    writes: 3,
    relists: 2,
    losses: 0,
    begin: 'empty',
  },
  'two objects, three writes': { ...oneObject, names: ['a', 'b'] },
};

async function loadCache(): Promise<CacheClass> {
  return (await import('./cache.ts')).ObjectCache as CacheClass;
}

describe('in every interleaving, a cache moves only forward and reports each change once', () => {
  test.each(Object.entries(worlds))('%s', { timeout: 600_000 }, async (_name, bounds) => {
    const { states, counterexample } = explore(await loadCache(), bounds);
    expect(counterexample).toBeUndefined();
    expect(states).toBeGreaterThan(1000);
  });
});

class NoCover extends graveyard.Tombstones<KubeObject> {
  override cover(): boolean {
    return false;
  }
}
class CoverByUidOnly extends graveyard.Tombstones<KubeObject> {
  override cover(key: string, uid: string): boolean {
    return this.has(key, uid);
  }
}
class NoTombstone extends graveyard.Tombstones<KubeObject> {
  override add(): void {}
}
class DroppedByAnyList extends graveyard.Tombstones<KubeObject> {
  override passed(_version: string, listed: ReadonlySet<string>) {
    return super.passed(String(Number.MAX_SAFE_INTEGER), listed);
  }
}
class NeverDropped extends graveyard.Tombstones<KubeObject> {
  override passed() {
    return [];
  }
}

type Planted =
  | { readonly part: object; readonly of: './tombstones.ts' | '../objects/resource-version.ts' }
  | ((Class: CacheClass) => CacheClass);

const planted: Readonly<Record<string, Planted>> = {
  'tombstones that cover nothing': { of: './tombstones.ts', part: { Tombstones: NoCover } },
  'tombstones that do not cover an older namesake': {
    of: './tombstones.ts',
    part: { Tombstones: CoverByUidOnly },
  },
  'no tombstones': { of: './tombstones.ts', part: { Tombstones: NoTombstone } },
  'tombstones dropped by an older list': { of: './tombstones.ts', part: { Tombstones: DroppedByAnyList } },
  'tombstones that no list ends': { of: './tombstones.ts', part: { Tombstones: NeverDropped } },
  'no comparison of versions': { of: '../objects/resource-version.ts', part: { isNewer: () => true } },
  'a list that drops what is newer': {
    of: '../objects/resource-version.ts',
    part: { isCertainlyNewer: () => false },
  },
  'no floor': (Class) =>
    class extends Class {
      override progressed(): void {}
    },
  'responses ignored': (Class) =>
    class extends Class {
      override wrote(): void {}
    },
  'deletions ignored': (Class) =>
    class extends Class {
      override wroteDeletion(): void {}
    },
  'an echo that enqueues nothing': (Class) =>
    class extends Class {
      override apply(event: Parameters<Cache['apply']>[0]) {
        const { namespace = '', name, resourceVersion } = event.object.metadata;
        const known = this.get({ namespace, name });
        return known?.metadata.resourceVersion === resourceVersion ? [] : super.apply(event);
      }
    },
  'versions that are skipped without a word': (Class) =>
    class extends Class {
      override apply(event: Parameters<Cache['apply']>[0]) {
        return super
          .apply(event)
          .map((each) =>
            each.type === 'updated' ? { type: each.type, old: each.old, object: each.object } : each,
          );
      }
    },
  'an event that takes the name for the object': (Class) =>
    class extends Class {
      override apply(event: Parameters<Cache['apply']>[0]) {
        const { metadata } = event.object;
        const uid = this.get({ namespace: 'n', name: metadata.name })?.metadata.uid ?? metadata.uid;
        return super.apply({ ...event, object: { ...event.object, metadata: { ...metadata, uid } } });
      }
    },
  'a list that is believed whatever its age': (Class) =>
    class extends Class {
      override replace(items: readonly Stored<KubeObject>[], version: string) {
        return super.replace(items, version, true);
      }
    },
  'a list without events': (Class) =>
    class extends Class {
      override replace(items: readonly Stored<KubeObject>[], version: string) {
        super.replace(items, version);
        return [];
      }
    },
  'deletions that are delivered twice': (Class) =>
    class extends Class {
      override apply(event: Parameters<Cache['apply']>[0]) {
        const events = super.apply(event);
        return [...events, ...events.filter(({ type }) => type === 'deleted')];
      }
    },
};

/** A trace to a violation in any of the worlds. */
function findIn(Class: CacheClass): string | undefined {
  for (const bounds of Object.values(worlds)) {
    const { counterexample } = explore(Class, bounds);
    if (counterexample !== undefined) return counterexample;
  }
  return undefined;
}

describe('the exploration finds', () => {
  beforeEach(() => vi.resetModules());
  afterEach(() => {
    vi.doUnmock('./tombstones.ts');
    vi.doUnmock('../objects/resource-version.ts');
  });

  test.each(Object.entries(planted))('%s', { timeout: 600_000 }, async (_name, bug) => {
    if (typeof bug !== 'function') {
      vi.doMock(bug.of, () => ({ ...(bug.of === './tombstones.ts' ? graveyard : versions), ...bug.part }));
    }
    const Class = await loadCache();
    const broken = typeof bug === 'function' ? bug(Class) : Class;
    expect(findIn(broken)).toBeTypeOf('string');
  });
});
