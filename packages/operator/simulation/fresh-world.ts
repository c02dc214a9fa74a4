import { keyOf, parseKey } from '@atoll/kube';
import type {
  ApiError,
  Indexers,
  Instant,
  KubeObject,
  ObjectKey,
  OptionalReader,
  Resource,
  Stored,
  Unreadable,
} from '@atoll/kube';
import { caches, type CacheDeclaration, type CacheName, type Readers } from '../src/caches.ts';
import type { Controller } from '../src/engine/controller.ts';
import { isForsaken } from '../src/engine/follows.ts';
import { judge, judgeLive } from '../src/engine/executor/judge.ts';
import type { Plan } from '../src/engine/plan.ts';
import { requestFor, type WriteStep } from '../src/engine/executor/request.ts';
import { statusPlan } from '../src/engine/reconcile/status-plan.ts';
import type { Outcome, PlannedEvent, Step, StepResult } from '../src/engine/step.ts';
import { serve } from './api-server.ts';
import type { Operation } from './api-server.ts';
import { emptyStore, seed, slotOf, storedOf } from './store.ts';
import type { Store } from './store.ts';

/** What one pass of a controller did. */
export interface Pass {
  readonly plan: Plan;
  readonly outcome: Outcome;
  readonly statusWritten: boolean;
  readonly events: readonly PlannedEvent[];
}

/**
 * The model of the API server with caches that are never behind and requests that are answered at once: for tests of
 * what a controller decides, where no interleaving matters.
 */
export class FreshWorld {
  now: Instant = Date.parse('2026-11-01T10:00:00Z');
  /** Refuses operations of the controller, as quota or admission would. */
  refuse: (operation: Operation) => ApiError | undefined = () => undefined;
  /** Caches that have not been filled. */
  readonly unsynced = new Set<CacheName>();
  /** Optional kinds whose CustomResourceDefinition is not there. */
  readonly unserved = new Set<CacheName>();
  /** Optional kinds that are there and that the API server does not show. */
  readonly unreadable = new Map<CacheName, Unreadable>();
  /** Objects that are there and that the decoder cannot read, by {@link slotOf}. */
  readonly hidden = new Set<string>();
  readonly readers: Readers;
  #store: Store = emptyStore;
  #uids = 0;

  constructor() {
    this.readers = Object.fromEntries(
      Object.entries(caches).map(([name, declared]) => [
        name,
        this.#reader(name as CacheName, declared as CacheDeclaration<KubeObject>),
      ]),
    ) as unknown as Readers;
  }

  /** Puts an object there as it is, status included. */
  put<T extends KubeObject>(resource: Resource<T>, object: T): Stored<T> {
    this.#store = seed(this.#store, resource, object, this.#newUid(), this.#timestamp());
    return this.get(resource, keyOf(object));
  }

  /** A person, or another controller, changes an object; the generation follows the spec. */
  edit<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    change: (object: Stored<T>) => object,
  ): void {
    const object = change(this.get(resource, key)) as KubeObject;
    this.#operate({ verb: 'update', resource, object });
    if (!('status' in object)) return;
    const { metadata } = this.get(resource, key);
    this.#operate({ verb: 'update', resource, object: { ...object, metadata }, subresource: 'status' });
  }

  remove(resource: Resource<KubeObject>, key: ObjectKey): void {
    const { uid } = this.get(resource, key).metadata;
    this.#operate({ verb: 'delete', resource, key, options: { uid } });
  }

  get<T extends KubeObject>(resource: Resource<T>, key: ObjectKey): Stored<T> {
    const held = this.#store.objects.get(slotOf(resource, key));
    if (held === undefined) throw new Error(`no ${resource.kind} ${key.name}`);
    return storedOf(held) as unknown as Stored<T>;
  }

  list<T extends KubeObject>(resource: Resource<T>): readonly Stored<T>[] {
    const prefix = slotOf(resource, { name: '' });
    const slots = [...this.#store.objects.keys()].filter((slot) => slot.startsWith(prefix)).sort();
    return slots.map((slot) => this.get(resource, parseKey(slot.slice(prefix.length))));
  }

  /** One pass, as the engine runs it. */
  pass<Snapshot>(controller: Controller<Snapshot>, key: string): Pass {
    const snapshot = controller.observe(parseKey(key));
    if (snapshot === undefined) throw new Error(`${key} is gone`);
    const decision = controller.decide(snapshot, this.now);
    const plan = controller.plan(snapshot, decision, this.now);
    const outcome = this.#execute(plan);
    const events = controller.tell?.(snapshot, decision, outcome) ?? [];
    const after = controller.observe(parseKey(key));
    if (after === undefined) return { plan, outcome, events, statusWritten: false };
    const seen = controller.decide(after, this.now);
    const writes = statusPlan(controller.report(after, seen, plan, outcome, this.now));
    const written = this.#execute(writes);
    for (const result of written.results) if (result.did === 'failed') throw result.error;
    return { plan, outcome, events, statusWritten: written.results.length > 0 };
  }

  /** Passes until one writes nothing; that one is silent by promise. Throws after ten. */
  settle<Snapshot>(controller: Controller<Snapshot>, key: string): readonly Pass[] {
    const passes: Pass[] = [];
    for (let round = 0; round < 10; round += 1) {
      const pass = this.pass(controller, key);
      if (pass.outcome.results.length === 0 && !pass.statusWritten) return passes;
      passes.push(pass);
    }
    throw new Error(`${key} does not come to rest: ${JSON.stringify(passes.at(-1)?.plan.stages)}`);
  }

  #execute(plan: Plan): Outcome {
    const results: StepResult[] = [];
    for (const stage of plan.stages) {
      const blocked = stage.runs === 'after-success' && results.some((result) => result.did !== 'done');
      const earlier = [...results];
      for (const step of stage.steps) {
        const waits = blocked || isForsaken(step, earlier);
        results.push(waits ? { step, did: 'skipped', because: 'earlier-stage-failed' } : this.#run(step));
      }
    }
    return { results };
  }

  #run(step: Step): StepResult {
    if (step.do === 'event') return { step, did: 'done' };
    const write: WriteStep = step;
    const request = requestFor(write);
    const served = serve(this.#store, request, {
      newUid: () => this.#newUid(),
      now: this.#timestamp(),
      refuse: this.refuse,
    });
    this.#store = served.store;
    const verdict = judge(write, served.answer);
    if ('settled' in verdict) return verdict.settled;
    const key = 'key' in request ? request.key : keyOf(request.object);
    const held = this.#store.objects.get(slotOf(request.resource, key));
    return judgeLive(write, verdict.error, held === undefined ? undefined : storedOf(held)).settled;
  }

  #operate(operation: Operation): void {
    const served = serve(this.#store, operation, { newUid: () => this.#newUid(), now: this.#timestamp() });
    if (!served.answer.ok) throw served.answer.error;
    this.#store = served.store;
  }

  #reader<T extends KubeObject>(
    name: CacheName,
    declared: { readonly resource: Resource<T>; readonly indexers: Indexers<T> },
  ): OptionalReader<T> {
    const { resource, indexers } = declared;
    const synced = (): boolean => !this.unsynced.has(name) && !this.unreadable.has(name);
    const unreadable = (): Unreadable | undefined => this.unreadable.get(name);
    const served = (): boolean => !this.unserved.has(name);
    const isUnreadable = (key: ObjectKey): boolean => this.hidden.has(slotOf(resource, key));
    const list = (): readonly Stored<T>[] =>
      synced() && served() ? this.list(resource).filter((each) => !isUnreadable(keyOf(each))) : [];
    return {
      resource,
      get synced() {
        return synced();
      },
      get served() {
        return served();
      },
      get unreadable() {
        return unreadable();
      },
      get: (key) => list().find((each) => slotOf(resource, keyOf(each)) === slotOf(resource, key)),
      list,
      isUnreadable,
      by: (index, value) => list().filter((each) => indexers[index]?.(each).includes(value) === true),
    };
  }

  #newUid(): string {
    this.#uids += 1;
    return `uid-${this.#uids}`;
  }

  #timestamp(): string {
    return new Date(this.now).toISOString().replace('.000Z', 'Z');
  }
}
