import { expect, it } from 'vitest';
import { formatKey, type KubeObject, type Stored } from '../objects/object.ts';
import { flushTasks } from '../testing/fake-clock.ts';
import type { OpenWatch } from '../testing/scripted-server.ts';
import { object, ServedCacheSet, settle, whatOf } from './cache-set.fixture.ts';
import type { CacheEvent } from './reader.ts';

interface Logged {
  readonly what: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Stored<KubeObject>;
}

/** Numbers from 0 up to 1 that follow from the seed. */
function numbers(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

const expired = { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } };
const namespaces = ['lab', 'edge'] as const;
const plurals = ['parents', 'children'] as const;
const names = ['a', 'b', 'c'] as const;

/** What a listener knows of the objects: of each uid the version, by the events. */
class Listener {
  readonly known = new Map<string, string>();
  readonly problems: string[] = [];

  take(event: CacheEvent<KubeObject>): void {
    const { uid } = event.object.metadata;
    const about = `${event.type} ${formatKey(event.object.metadata)} ${uid}`;
    if (event.type === 'added' && this.known.has(uid)) this.problems.push(`${about} again`);
    if (event.type === 'updated' && !this.known.has(uid)) this.problems.push(`${about} before it was added`);
    if (event.type === 'deleted') this.known.delete(uid);
    else this.known.set(uid, event.object.metadata.resourceVersion);
  }
}

/**
 * A server with two namespaces that come and go, and objects in them, of which some are written by this process. Each watch gets its events when the
 * walk delivers them, so that what happens is seen in any order; watches end, and versions expire.
 */
class Walk {
  readonly world = new ServedCacheSet(namespaces, ['guests']);
  readonly listeners = new Map(plurals.map((plural) => [plural, new Listener()] as const));
  readonly #random: () => number;
  /** What the server has, by `namespace/plural` and name; namespaces under `namespaces <name>`. */
  readonly #stored = new Map<string, Map<string, Stored<KubeObject>>>();
  readonly #log: Logged[] = [];
  /** Of each watch how much of the log was sent; undefined: its initial events were not. */
  readonly #sent = new Map<OpenWatch, number | undefined>();
  #uids = 0;

  constructor(seed: number) {
    this.#random = numbers(seed);
    for (const [plural, listener] of this.listeners) {
      this.world.set
        .informerOf(this.world.set.cacheNamed(plural))
        .subscribe((events) => events.forEach((event) => listener.take(event)));
    }
  }

  async step(): Promise<void> {
    const namespace = this.#one(namespaces);
    const what = `${namespace}/${this.#one(plurals)}`;
    const chance = this.#random();
    if (chance < 0.06) this.#store(`namespaces ${namespace}`, namespace, true);
    else if (chance < 0.09) this.#terminate(namespace);
    else if (chance < 0.12) this.#remove(`namespaces ${namespace}`, namespace);
    else if (chance < 0.3) this.#store(what, this.#one(names), false);
    else if (chance < 0.4) this.#remove(what, this.#one(names));
    else if (chance < 0.48) this.#ownWrite(what, this.#one(names));
    else if (chance < 0.56) this.#ownDeletion(what, this.#one(names));
    else if (chance < 0.58) this.#one(this.#open())?.end();
    else if (chance < 0.6) this.#one(this.#open())?.send(expired);
    else if (chance < 0.85) this.#deliver(this.#one(this.#open()));
    else if (chance < 0.95) await flushTasks();
    else await settle();
    if (this.#random() < 0.3) await Promise.resolve();
  }

  /** All events arrive. */
  async finish(): Promise<void> {
    for (let round = 0; round < 30; round += 1) {
      for (const watch of this.#open()) this.#deliver(watch);
      await settle();
      await this.world.server.clock.advance(5_000);
      await settle();
    }
  }

  get differences(): readonly string[] {
    return plurals.flatMap((plural) => {
      const listener = this.listeners.get(plural) ?? new Listener();
      const cache = this.world.set.cacheNamed(plural);
      const shown = cache.list().map(({ metadata: { uid, resourceVersion } }) => `${uid}=${resourceVersion}`);
      const told = [...listener.known].map(([uid, version]) => `${uid}=${version}`);
      const there = namespaces.flatMap((name) =>
        this.world.set.namespaces?.find((each) => each.name === name)?.state === 'served'
          ? [...(this.#stored.get(`${name}/${plural}`)?.values() ?? [])].map(
              ({ metadata: { uid, resourceVersion } }) => `${uid}=${resourceVersion}`,
            )
          : [],
      );
      return [
        ...listener.problems,
        ...(sorted(told) === sorted(shown)
          ? []
          : [`${plural}: told ${sorted(told)}, shown ${sorted(shown)}`]),
        ...(sorted(there) === sorted(shown)
          ? []
          : [`${plural}: there ${sorted(there)}, shown ${sorted(shown)}`]),
      ];
    });
  }

  #open(): readonly OpenWatch[] {
    return this.world.server.watches.filter(({ released }) => !released);
  }

  #one<V>(all: readonly [V, ...V[]]): V;
  #one<V>(all: readonly V[]): V | undefined;
  #one<V>(all: readonly V[]): V | undefined {
    return all[Math.floor(this.#random() * all.length)];
  }

  #of(what: string): Map<string, Stored<KubeObject>> {
    const found = this.#stored.get(what) ?? new Map<string, Stored<KubeObject>>();
    this.#stored.set(what, found);
    return found;
  }

  #isThere(namespace: string): boolean {
    return this.#of(`namespaces ${namespace}`).has(namespace);
  }

  #store(what: string, name: string, isNamespace: boolean): Stored<KubeObject> | undefined {
    const namespace = isNamespace ? undefined : what.split('/')[0];
    if (namespace !== undefined && !this.#isThere(namespace)) return undefined;
    const before = this.#of(what).get(name);
    if (isNamespace && before !== undefined) return undefined;
    const uid = before?.metadata.uid ?? `uid-${(this.#uids += 1)}`;
    const made = object(namespace, name, { uid }) as Stored<KubeObject>;
    this.#of(what).set(name, made);
    this.#log.push({ what, type: before === undefined ? 'ADDED' : 'MODIFIED', object: made });
    return made;
  }

  #terminate(namespace: string): void {
    const what = `namespaces ${namespace}`;
    const before = this.#of(what).get(namespace);
    if (before === undefined) return;
    const more = { uid: before.metadata.uid, deletionTimestamp: '2026-11-01T11:00:00Z' };
    const now = object(undefined, namespace, more) as Stored<KubeObject>;
    this.#of(what).set(namespace, now);
    this.#log.push({ what, type: 'MODIFIED', object: now });
  }

  #remove(what: string, name: string): Stored<KubeObject> | undefined {
    const before = this.#of(what).get(name);
    if (before === undefined) return undefined;
    if (what.startsWith('namespaces '))
      for (const plural of plurals)
        for (const each of this.#of(`${name}/${plural}`).keys()) this.#remove(`${name}/${plural}`, each);
    const { namespace, uid } = before.metadata;
    this.#of(what).delete(name);
    const last = object(namespace, name, { uid }) as Stored<KubeObject>;
    this.#log.push({ what, type: 'DELETED', object: last });
    return last;
  }

  #ownWrite(what: string, name: string): void {
    const made = this.#store(what, name, false);
    if (made !== undefined) this.#cacheOf(what).wrote(made);
  }

  #ownDeletion(what: string, name: string): void {
    const gone = this.#remove(what, name);
    if (gone !== undefined) this.#cacheOf(what).wroteDeletion(gone.metadata, gone.metadata.uid);
  }

  #cacheOf(what: string) {
    return this.world.set.cacheNamed(what.split('/')[1] ?? '');
  }

  #deliver(watch: OpenWatch | undefined): void {
    if (watch === undefined) return;
    const what = whatOf(watch);
    const { resourceVersion, sendInitialEvents } = watch.parameters;
    let from = this.#sent.get(watch);
    if (from === undefined && sendInitialEvents === true) {
      watch.send(...[...this.#of(what).values()].map((each) => ({ type: 'ADDED', object: each })), {
        type: 'BOOKMARK',
        object: { metadata: end(object(undefined, 'end')) },
      });
      this.#sent.set(watch, this.#log.length);
      return;
    }
    from ??= this.#log.findIndex(
      (each) => Number(each.object.metadata.resourceVersion) > Number(resourceVersion),
    );
    if (from < 0) from = this.#log.length;
    const events = this.#log.slice(from).filter((each) => each.what === what);
    this.#sent.set(watch, this.#log.length);
    if (events.length > 0) watch.send(...events.map(({ type, object: it }) => ({ type, object: it })));
  }
}

function end({ metadata }: KubeObject): object {
  return { resourceVersion: metadata.resourceVersion, annotations: { 'k8s.io/initial-events-end': 'true' } };
}

function sorted(all: readonly string[]): string {
  return all.toSorted().join(' ');
}

it.each(Array.from({ length: 20 }, (_, seed) => seed + 1))(
  'listeners of caches that are limited to namespaces know what is read, whatever comes when, seed %i',
  async (seed) => {
    const walk = new Walk(seed);
    await settle();
    for (let step = 0; step < 200; step += 1) await walk.step();
    await walk.finish();
    expect(walk.differences).toEqual([]);
  },
);
