import { keysToEnqueue } from '../../src/engine/reconcile/keys-to-enqueue.ts';
import { groupResourceOf } from '@atoll/kube';
import type { CacheEvent, KubeObject } from '@atoll/kube';
import { take } from '../model/caches.ts';
import { definitions } from '../model/definitions.ts';
import type { Explored } from './explored.ts';
import type { State } from './state.ts';
import { resourceOfSlot, storedOf } from '../model/store.ts';
import type { WatchEvent } from '../model/store.ts';
import { allOf } from './waiting.ts';

/** How watch events enter the caches of the explored operator, and which keys they enqueue. */
export class Arrivals {
  readonly #explored: Explored;

  constructor(explored: Explored) {
    this.#explored = explored;
  }

  /** So many of the events that wait, resource by resource. */
  deliver(state: State, resources: readonly string[], counts: readonly number[]): State {
    let next = state;
    resources.forEach((resource, at) => {
      const count = counts[at] ?? 0;
      for (let taken = 0; taken < Math.min(count, state.pending.get(resource)?.length ?? 0); taken += 1) {
        next = this.deliverOldest(next, resource);
      }
      if (count === allOf(state, resource)) next = this.#deliverEchoes(next, resource);
    });
    return next;
  }

  deliverOldest(state: State, resource: string): State {
    const [event, ...rest] = state.pending.get(resource) ?? [];
    if (event === undefined) return state;
    const { content, change } = take(state.caches, event);
    const announced = new Map(state.announced);
    announced.delete(event.slot);
    const pending = new Map(state.pending);
    if (rest.length > 0) pending.set(resource, rest);
    else pending.delete(resource);
    const next = this.#enqueued({ ...state, caches: content, pending, announced }, resource, () => change);
    return resource === definitionsName ? this.#attachedOrNot(state, next) : next;
  }

  /**
   * The kind of a definition comes or goes, and all keys are enqueued. What was known of one that goes is forgotten; one
   * that comes is read anew: the store at a moment not before (W5).
   */
  #attachedOrNot(before: State, state: State): State {
    const { world } = this.#explored;
    let next = state;
    for (const kind of world.optional ?? []) {
      const resource = groupResourceOf(kind);
      const was = this.#explored.follows(before.caches.known, resource);
      const follows = this.#explored.follows(state.caches.known, resource);
      if (was === follows) continue;
      next = follows ? attached(next, resource) : detached(next, resource);
      next = { ...next, dirty: new Set([...next.dirty, ...this.#explored.enqueuedBy(resource)]) };
    }
    return next;
  }

  #deliverEchoes(state: State, resource: string): State {
    const due = [...state.echoes].filter(([slot]) => resourceOfSlot(slot) === resource);
    if (due.length === 0) return state;
    const echoes = new Map(state.echoes);
    const announced = new Map(state.announced);
    for (const [slot] of due) {
      echoes.delete(slot);
      announced.delete(slot);
    }
    let next: State = { ...state, echoes, announced };
    for (const [slot, event] of due) next = this.#enqueued(next, resource, () => echoOf(state, slot, event));
    return next;
  }

  #enqueued(state: State, resource: string, changed: () => CacheEvent<KubeObject> | undefined): State {
    const { controller, world } = this.#explored;
    const { enqueued = keysToEnqueue } = world;
    // Nothing can be added to what is enqueued, and what follows from an event takes longest to work out.
    if (world.keys.every((key) => state.dirty.has(key))) return state;
    const change = changed();
    if (change === undefined) return state;
    this.#explored.show(state.caches.known, state.unsynced);
    const dirty = new Set(state.dirty);
    for (const source of controller.sources) {
      if (groupResourceOf(source.reader.resource) !== resource) continue;
      const { keys } = enqueued(controller.resource, source, change);
      for (const key of keys) if (world.keys.includes(key)) dirty.add(key);
    }
    return { ...state, dirty };
  }
}

/** What the caches announce when the event of an own write arrives. */
function echoOf({ caches, announced }: State, slot: string, event: WatchEvent): CacheEvent<KubeObject> {
  const held = caches.known.get(slot);
  const before = announced.get(slot);
  const object = storedOf(held ?? event);
  if (event.type === 'DELETED' || held === undefined) return { type: 'deleted', object };
  if (before === undefined) return { type: 'added', object, echo: true };
  const old = storedOf({ object: before.object, version: held.version });
  const skips = before.isSkipped ? { skips: true as const } : {};
  return { type: 'updated', old, object, echo: true, ...skips };
}

const definitionsName = groupResourceOf(definitions);

function detached(state: State, resource: string): State {
  const without = <T>(map: ReadonlyMap<string, T>): ReadonlyMap<string, T> =>
    new Map([...map].filter(([slot]) => resourceOfSlot(slot) !== resource));
  const pending = new Map(state.pending);
  pending.delete(resource);
  const unsynced = new Set(state.unsynced);
  unsynced.delete(resource);
  return {
    ...state,
    caches: { ...state.caches, known: without(state.caches.known) },
    pending,
    echoes: without(state.echoes),
    announced: without(state.announced),
    unsynced,
  };
}

function attached(state: State, resource: string): State {
  const { caches, ...rest } = detached(state, resource);
  const found = [...state.store.objects].filter(([slot]) => resourceOfSlot(slot) === resource);
  const known = new Map(caches.known);
  for (const [slot, { object, version }] of found) known.set(slot, { object, version });
  return { ...rest, caches: { ...caches, known }, unsynced: new Set(rest.unsynced).add(resource) };
}
