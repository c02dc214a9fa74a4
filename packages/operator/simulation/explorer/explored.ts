import { groupResourceOf, parseKey } from '@atoll/kube';
import type { Instant, KubeObject } from '@atoll/kube';
import { shippedRules } from '../../src/engine/reconcile/rules.ts';
import type { Rules } from '../../src/engine/reconcile/rules.ts';
import { emptyCaches } from '../model/caches.ts';
import type { CacheContent, Known, ModelCache, Shown } from '../model/caches.ts';
import { Canonical } from './canonical.ts';
import { numberIn } from '../model/free-names.ts';
import { standingOf } from '../model/definitions.ts';
import { Interner } from './interner.ts';
import { nothingPaced } from './paced.ts';
import { requestsUnderWay, type State } from './state.ts';
import { resourceOfSlot, slotOf } from '../model/store.ts';
import type { Store, WatchEvent } from '../model/store.ts';
import type { World } from '../world.ts';

/** The shipped controller of a world, over caches that are made to show one state after the other. */
export class Explored {
  readonly world: World;
  readonly interner = new Interner();
  readonly canonical = new Canonical(this.interner);
  readonly controller: ReturnType<World['build']>['controller'];
  /** The resource whose objects the keys name. */
  readonly parent: string;
  readonly caches: ReadonlyMap<string, ModelCache<KubeObject>>;
  /** The shipped rules of a reconcile, with those that the world replaces. */
  readonly rules: Rules;
  readonly #shown: Shown;
  #begun: Store['objects'] = new Map();

  constructor(world: World) {
    this.world = world;
    const { optional = [] } = world;
    this.rules = { ...shippedRules, ...world.rules };
    this.#shown = { content: emptyCaches, unsynced: new Set(), optional };
    const { controller, caches } = world.build(this.#shown);
    this.controller = controller;
    this.parent = groupResourceOf(controller.resource);
    this.caches = new Map(caches.map((cache) => [groupResourceOf(cache.resource), cache]));
  }

  begin(): State {
    const { world } = this;
    const objects = new Map(
      [...world.begin.objects].map(([slot, held]) => [
        slot,
        { ...held, object: this.interner.of(held.object) },
      ]),
    );
    this.#begun = objects;
    const empty: State = {
      store: { objects, version: world.begin.version },
      made: new Map([...objects].map(([slot, { object }]) => [slot, numberIn(object)])),
      caches: emptyCaches,
      pending: new Map(),
      echoes: new Map(),
      announced: new Map(),
      unsynced: new Set(),
      dirty: new Set(),
      timers: new Map(),
      running: new Map(),
      remembered: new Map(),
      late: [],
      left: new Map(Object.entries(world.budgets)),
      now: world.now,
      paced: undefined,
      memory: this.remembered(world.memory?.begin, world.begin, world.now),
    };
    return this.canonical.form(this.restarted(empty, []));
  }

  /**
   * A fresh process: caches as the store is now (W5), every key to be reconciled. What the old one had under way arrives at any later
   * moment.
   */
  restarted(state: State, unsynced: readonly string[]): State {
    const { objects } = this.world.firstRead?.(state.store) ?? state.store;
    const known = new Map(
      [...objects]
        .filter(([slot]) => this.follows(state.store.objects, resourceOfSlot(slot)))
        .map(([slot, { object, version }]) => [slot, { object, version }]),
    );
    return {
      ...state,
      caches: { known, tombstones: new Set() },
      pending: new Map(),
      echoes: new Map(),
      announced: new Map(),
      unsynced: new Set(unsynced),
      dirty: new Set(this.world.keys),
      timers: new Map(),
      running: new Map(),
      remembered: new Map(),
      late: [...state.late, ...requestsUnderWay(state)],
      paced: this.world.pace === undefined ? undefined : nothingPaced,
    };
  }

  /**
   * Another process leads, which waited with caches of its own. The watches of some resources have stood still since the
   * beginning: what has changed since is on its way.
   */
  succeeded(state: State): State {
    const next = this.restarted(state, []);
    const known = new Map(next.caches.known);
    const pending = new Map<string, readonly WatchEvent[]>();
    for (const resource of this.world.standStill ?? [this.parent]) {
      const events: WatchEvent[] = [];
      const before = onlyOf(this.#begun, resource);
      const now = onlyOf(state.store.objects, resource);
      for (const [slot, { object }] of before) {
        const held = now.get(slot);
        if (held?.object === object) continue;
        known.set(slot, { object, version: 0 });
        if (held === undefined)
          events.push({ type: 'DELETED', slot, object, version: state.store.version + 1 });
      }
      for (const [slot, { object, version }] of now) {
        const old = before.get(slot);
        if (old?.object === object) continue;
        if (old === undefined) known.delete(slot);
        events.push({ type: old === undefined ? 'ADDED' : 'MODIFIED', slot, object, version });
      }
      if (events.length > 0) pending.set(resource, events);
    }
    return { ...next, caches: { ...next.caches, known }, pending };
  }

  /** Whether the process keeps a cache of the resource, as far as its caches show that it is served. */
  follows(known: Parameters<typeof standingOf>[0], resource: string): boolean {
    const optional = this.world.optional?.find((each) => groupResourceOf(each) === resource);
    if (optional !== undefined && standingOf(known, optional) !== 'stands') return false;
    return this.caches.has(resource);
  }

  /** The keys that are enqueued once the resource is served, or read, or no longer served. */
  enqueuedBy(resource: string): readonly string[] {
    const { queueBug, keys, optional = [] } = this.world;
    const isOptional = optional.some((each) => groupResourceOf(each) === resource);
    return isOptional && queueBug === 'presence-not-announced' ? [] : keys;
  }

  /** The resource that a successor has not read, where one begins before all are read. */
  get unread(): string {
    const [first = ''] = [...this.caches.keys()].filter((name) => name !== this.parent);
    return this.world.unread ?? first;
  }

  /** What the controller sees from now on. */
  show(known: ReadonlyMap<string, Known>, unsynced: ReadonlySet<string>): void {
    this.#shown.content = { known, tombstones: new Set() };
    this.#shown.unsynced = unsynced;
  }

  /** The object of a key as the caches hold it. */
  parentIn({ known }: CacheContent, key: string): KubeObject | undefined {
    return known.get(slotOf(this.controller.resource, parseKey(key)))?.object;
  }

  /** What the oracles remember once the store is so. */
  remembered(memory: object | undefined, store: Store, now: Instant): object | undefined {
    const { memory: rule } = this.world;
    if (rule === undefined || memory === undefined) return undefined;
    return this.interner.of(rule.next(memory, store, now));
  }
}

function onlyOf(objects: Store['objects'], resource: string): Store['objects'] {
  return new Map([...objects].filter(([slot]) => resourceOfSlot(slot) === resource));
}
