import { formatKey, groupResourceOf, parseKey } from '@atoll/kube';
import type { KubeObject } from '@atoll/kube';
import type { Learned } from '../src/engine/judge.ts';
import { requestFor } from '../src/engine/request.ts';
import type { Request, WriteStep } from '../src/engine/request.ts';
import { serve } from './api-server.ts';
import type { Operation, Served, Surroundings } from './api-server.ts';
import type { Arrivals } from './arrivals.ts';
import { wrote, wroteDeletion } from './caches.ts';
import { withEchoes } from './echoes.ts';
import type { Explored } from './explored.ts';
import type { State } from './state.ts';
import { resourceOfSlot, slotOf } from './store.ts';
import type { Store, WatchEvent } from './store.ts';

/** How requests change the store, what is then on its way to the caches, and what responses teach. */
export class Effects {
  readonly #explored: Explored;
  readonly #arrivals: Arrivals;

  constructor(explored: Explored, arrivals: Arrivals) {
    this.#explored = explored;
    this.#arrivals = arrivals;
  }

  /** `from`: the store where it is already another one than the state's. */
  serve(state: State, operation: Operation, from: { readonly store: Store } = state): Served {
    return serve(from.store, operation, this.#around(state));
  }

  /** The state with what was served in its store, and its events on their way. `learned`: from the response. */
  taken(state: State, served: Served, learned: readonly Learned[] = []): State {
    return this.#appended(this.learn(this.#stored(state, served), learned), served.events);
  }

  learn(state: State, learned: readonly Learned[]): State {
    let { caches } = state;
    const announced = new Map(state.announced);
    for (const fact of learned) {
      if (!this.#explored.caches.has(groupResourceOf(fact.resource))) continue;
      if ('gone' in fact) {
        caches = wroteDeletion(caches, slotOf(fact.resource, fact.gone.key), fact.gone.uid);
        continue;
      }
      const { resourceVersion, ...metadata } = fact.present.metadata;
      const bare = this.#explored.interner.of({ ...fact.present, metadata } as KubeObject);
      const slot = slotOf(fact.resource, parseKey(formatKey(fact.present.metadata)));
      const before = caches.known.get(slot);
      caches = wrote(caches, slot, bare, Number(resourceVersion));
      const changed =
        before !== undefined && before.object !== bare && caches.known.get(slot)?.object === bare;
      if (changed && !announced.has(slot)) announced.set(slot, before.object);
    }
    return { ...state, caches, announced };
  }

  /** The request of a step, with the planted bugs that are bugs of requests. */
  requestFor(step: WriteStep): Request {
    const request = requestFor(step);
    const { bug } = this.#explored.world;
    if (bug === 'delete-by-name' && request.verb === 'delete') {
      const { uid: _, resourceVersion: _version, ...options } = request.options;
      return { ...request, options };
    }
    if (bug === 'apply-without-uid' && request.verb === 'apply') {
      const { uid: _, ...metadata } = request.object.metadata;
      return { ...request, object: { ...request.object, metadata } };
    }
    return request;
  }

  #around(state: State): Surroundings {
    const { refuse } = this.#explored.world;
    return {
      newUid: (slot: string): string =>
        `uid-${slot.slice(slot.indexOf('|') + 1)}-${(state.made.get(slot) ?? 0) + 1}`,
      newSuffix: (prefix: string): string =>
        String([...state.made.keys()].filter((slot) => slot.startsWith(prefix)).length + 1),
      now: new Date(state.now).toISOString().replace('.000Z', 'Z'),
      ...(refuse === undefined ? {} : { refuse }),
    };
  }

  #stored(state: State, served: Served): State {
    if (served.events.length === 0) return state;
    let { made } = state;
    const objects = new Map(served.store.objects);
    for (const event of served.events) {
      if (event.type === 'ADDED') made = new Map(made).set(event.slot, (made.get(event.slot) ?? 0) + 1);
      const held = objects.get(event.slot);
      if (held === undefined) continue;
      objects.set(event.slot, { ...held, object: this.#explored.interner.of(held.object) });
    }
    const store = { objects, version: served.store.version };
    return { ...state, store, made, memory: this.#explored.remembered(state.memory, store) };
  }

  /** New events wait to be delivered; where too many wait, the oldest arrives. */
  #appended(state: State, events: readonly WatchEvent[]): State {
    const { caches, interner, world } = this.#explored;
    let next = state;
    for (const event of events) {
      const resource = resourceOfSlot(event.slot);
      if (!caches.has(resource)) continue;
      const interned = { ...event, object: interner.of(event.object) };
      next = withEchoes({
        ...next,
        pending: new Map(next.pending).set(resource, [...(next.pending.get(resource) ?? []), interned]),
      });
      while ((next.pending.get(resource)?.length ?? 0) > world.lag)
        next = this.#arrivals.deliverOldest(next, resource);
    }
    return next;
  }
}
