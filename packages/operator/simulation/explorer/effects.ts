import { formatKey, groupResourceOf, parseKey } from '@atoll/kube';
import type { Instant, KubeObject, Stored } from '@atoll/kube';
import type { CacheUpdate } from '../../src/engine/executor/answers/judge.ts';
import type { Request } from '../../src/engine/executor/requests/request.ts';
import { serve } from '../model/api-server.ts';
import type { Operation, Served, Surroundings } from '../model/api-server.ts';
import type { Arrivals } from './arrivals.ts';
import { wrote, wroteDeletion } from '../model/caches.ts';
import { withEchoes } from './echoes.ts';
import type { Explored } from './explored.ts';
import { FreeNames, numberIn } from '../model/free-names.ts';
import { sendable } from './planned-step.ts';
import type { PlannedStep } from './planned-step.ts';
import type { State } from './state.ts';
import { resourceOfSlot, slotOf } from '../model/store.ts';
import type { Store, WatchEvent } from '../model/store.ts';

/** What was served, and what else it depends on. */
interface Known {
  readonly around: string;
  readonly served: Served;
}

/** What is remembered, by what was before. */
type RememberedAfter = Map<object, object | undefined>;

/** How requests change the store, what is then on its way to the caches, and what responses teach. */
export class Effects {
  readonly #explored: Explored;
  readonly #arrivals: Arrivals;
  /** By what the store holds: many states have the same store, and the same is asked of it. */
  readonly #served = new WeakMap<object, Map<Operation, Known[]>>();
  readonly #freeNames = new FreeNames();
  readonly #bare = new WeakMap<object, KubeObject>();
  readonly #remembered = new WeakMap<object, Map<Instant, RememberedAfter>>();
  readonly #requests = new WeakMap<object, Map<number | undefined, Request>>();

  constructor(explored: Explored, arrivals: Arrivals) {
    this.#explored = explored;
    this.#arrivals = arrivals;
  }

  /** `from`: the store where it is already another one than the state's. */
  serve(state: State, operation: Operation, from: { readonly store: Store } = state): Served {
    const byOperation = this.#served.get(from.store.objects) ?? new Map<Operation, Known[]>();
    this.#served.set(from.store.objects, byOperation);
    const known = byOperation.get(operation) ?? [];
    byOperation.set(operation, known);
    const around = this.#around(state, operation);
    const { newUid, newSuffix, now } = around;
    const text = `${now} ${newUid} ${newSuffix}`;
    const found = known.find((each) => each.around === text);
    if (found !== undefined) return found.served;
    const names = { newUid: () => newUid, newSuffix: () => newSuffix };
    const served = this.#interned(serve(from.store, operation, { ...around, ...names }));
    known.push({ around: text, served });
    return served;
  }

  #interned(served: Served): Served {
    if (served.events.length === 0) return served;
    const { interner } = this.#explored;
    const objects = new Map(served.store.objects);
    const events = served.events.map((event) => {
      const held = objects.get(event.slot);
      if (held !== undefined) {
        const { applied } = held;
        const own = applied === undefined ? {} : { applied: interner.of(applied) };
        objects.set(event.slot, { ...held, ...own, object: interner.of(held.object) });
      }
      return { ...event, object: interner.of(event.object) };
    });
    return { ...served, events, store: { objects, version: served.store.version } };
  }

  /** The state with what was served in its store, and its events on their way. */
  taken(state: State, served: Served): State {
    return this.appended(this.stored(state, served), served.events);
  }

  updateCaches(state: State, updates: readonly CacheUpdate[]): State {
    let { caches } = state;
    const announced = new Map(state.announced);
    for (const fact of updates) {
      if (!this.#explored.follows(caches.known, groupResourceOf(fact.resource))) continue;
      if ('gone' in fact) {
        caches = wroteDeletion(caches, slotOf(fact.resource, fact.gone.key), fact.gone.uid);
        continue;
      }
      const { resourceVersion } = fact.present.metadata;
      const bare = this.#bareOf(fact.present);
      const slot = slotOf(fact.resource, parseKey(formatKey(fact.present.metadata)));
      const before = caches.known.get(slot);
      caches = wrote(caches, slot, bare, Number(resourceVersion));
      const changed =
        before !== undefined && before.object !== bare && caches.known.get(slot)?.object === bare;
      if (!changed) continue;
      const earlier = announced.get(slot);
      announced.set(slot, { object: (earlier ?? before).object, isSkipped: earlier !== undefined });
    }
    return { ...state, caches, announced };
  }

  /** Without the version, which changes apart from the content. */
  #bareOf(object: Stored<KubeObject>): KubeObject {
    const known = this.#bare.get(object);
    if (known !== undefined) return known;
    const { resourceVersion: _, ...metadata } = object.metadata;
    const bare = this.#explored.interner.of({ ...object, metadata } as KubeObject);
    this.#bare.set(object, bare);
    return bare;
  }

  /** The request of a step. */
  requestFor(planned: PlannedStep): Request {
    const known = this.#requests.get(planned.step) ?? new Map<number | undefined, Request>();
    this.#requests.set(planned.step, known);
    const request = known.get(planned.version) ?? this.#explored.rules.requestFor(sendable(planned));
    known.set(planned.version, request);
    return request;
  }

  /** What the server adds to an operation. */
  #around(
    state: State,
    operation: Operation,
  ): Pick<Surroundings, 'now' | 'refuse' | 'optional'> & {
    readonly newUid: string;
    readonly newSuffix: string;
  } {
    const { refuse, optional = [] } = this.#explored.world;
    const { newUid, newSuffix } = this.#namesFor(state, operation);
    const now = new Date(state.now).toISOString().replace('.000Z', 'Z');
    return { newUid, newSuffix, now, optional, ...(refuse === undefined ? {} : { refuse }) };
  }

  #namesFor(state: State, operation: Operation): { readonly newUid: string; readonly newSuffix: string } {
    const { verb, resource } = operation;
    if (verb !== 'create' && verb !== 'create-by-apply' && verb !== 'apply' && verb !== 'put')
      return { newUid: '', newSuffix: '' };
    const { generateName, ...metadata } = operation.object.metadata;
    const slot = slotOf(resource, metadata);
    if (metadata.name !== '' || generateName === undefined)
      return { newUid: this.#freeNames.uid(state, slot), newSuffix: '' };
    const prefix = `${slot}${generateName}`;
    const newSuffix = this.#freeNames.suffix(state, prefix);
    return { newUid: this.#freeNames.uid(state, `${prefix}${newSuffix}`), newSuffix };
  }

  /** The state with what was served in its store, and its events not on their way yet. */
  stored(state: State, served: Served): State {
    if (served.events.length === 0) return state;
    let { made } = state;
    for (const { type, slot, object } of served.events) {
      if (type === 'ADDED') made = new Map(made).set(slot, numberIn(object));
    }
    return { ...state, store: served.store, made, memory: this.#memory(state, served.store) };
  }

  #memory({ memory: before, now }: State, store: Store): object | undefined {
    if (before === undefined) return undefined;
    const byTime = this.#remembered.get(store.objects) ?? new Map<Instant, RememberedAfter>();
    this.#remembered.set(store.objects, byTime);
    const known: RememberedAfter = byTime.get(now) ?? new Map();
    byTime.set(now, known);
    if (!known.has(before)) known.set(before, this.#explored.remembered(before, store, now));
    return known.get(before);
  }

  /** New events wait to be delivered; where too many wait, the oldest arrives. */
  appended(state: State, events: readonly WatchEvent[]): State {
    const { world } = this.#explored;
    let next = state;
    for (const event of events) {
      const resource = resourceOfSlot(event.slot);
      if (!this.#explored.follows(next.caches.known, resource)) continue;
      next = withEchoes({
        ...next,
        pending: new Map(next.pending).set(resource, [...(next.pending.get(resource) ?? []), event]),
      });
      while ((next.pending.get(resource)?.length ?? 0) > world.lag)
        next = this.#arrivals.deliverOldest(next, resource);
    }
    return next;
  }
}
