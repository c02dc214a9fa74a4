import { extendedDaemonsetSettings, nodePools } from '@atoll/api';
import { keyOf, parseKey, wholeObject } from '@atoll/kube';
import type {
  ApiError,
  CacheDeclaration,
  Instant,
  KubeObject,
  ObjectKey,
  OptionalReader,
  Resource,
  Stored,
  Unreadable,
} from '@atoll/kube';
import { caches, type CacheName, type Readers } from '../../src/caches.ts';
import { project } from '@atoll/kube/testing';
import type { Finding } from '../../src/causes/finding.ts';
import type { Controller } from '../../src/engine/controller.ts';
import { emptyMemory, type Memory } from '../../src/engine/executor/commands.ts';
import type { Facts } from '../../src/engine/executor/facts.ts';
import { nothingToDo, type Plan } from '../../src/engine/plan.ts';
import { requestFor, type Answer, type WriteStep } from '../../src/engine/executor/requests/request.ts';
import { guarded } from '../../src/engine/reconcile/guarded.ts';
import { beginReconcile, nextOf } from '../../src/engine/reconcile/machine.ts';
import type { ReconcileCommand, ReconcileEvent } from '../../src/engine/reconcile/machine.ts';
import { shippedRules } from '../../src/engine/reconcile/rules.ts';
import { statusPlan } from '../../src/engine/reconcile/status-plan.ts';
import type { Outcome, PlannedEvent } from '../../src/engine/step.ts';
import { withDefinition } from '../model/definitions.ts';
import { serve } from '../model/api-server.ts';
import { listed } from '../model/listing.ts';
import type { Operation } from '../model/api-server.ts';
import { planOf } from '../explorer/planned.ts';
import { emptyStore, heldOf, seed, slotOf, storedOf } from '../model/store.ts';
import type { Store } from '../model/store.ts';

/** What one reconcile of a controller did. */
export interface Reconciled {
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
  /** Rewrites what the controller makes, as a mutating webhook. */
  rewrite: <T extends KubeObject>(object: T) => T = (object) => object;
  /** Caches that have not been filled. */
  readonly unsynced = new Set<CacheName>();
  /** Optional kinds whose CustomResourceDefinition is not there. */
  readonly unserved = new Set<CacheName>();
  /** Optional kinds that are there and that the API server does not show. */
  readonly unreadable = new Map<CacheName, Unreadable>();
  /** Objects that are there and that the decoder cannot read, by {@link slotOf}. */
  readonly hidden = new Set<string>();
  /** Why workloads are not healthy, by their uid. */
  readonly findings = new Map<string, Finding>();
  readonly readers: Readers;
  /** What outlives the reconciles of each key. */
  readonly #memories = new Map<string, Memory>();
  #store: Store = [nodePools, extendedDaemonsetSettings].reduce(withDefinition, emptyStore);
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

  /** A kubelet, or the garbage collector, ends an object. */
  end(resource: Resource<KubeObject>, key: ObjectKey): void {
    const { uid } = this.get(resource, key).metadata;
    this.#operate({ verb: 'delete-now', resource, key, uid });
  }

  get<T extends KubeObject>(resource: Resource<T>, key: ObjectKey): Stored<T> {
    const held = this.#store.objects.get(slotOf(resource, key));
    if (held === undefined) throw new Error(`no ${resource.kind} ${key.name}`);
    return storedOf(held) as unknown as Stored<T>;
  }

  list<T extends KubeObject>(resource: Resource<T>): readonly Stored<T>[] {
    return heldOf(this.#store, resource).map((held) => storedOf(held) as unknown as Stored<T>);
  }

  /** One reconcile: the machine that the engine runs, whose requests are answered at once. */
  reconcile<Snapshot>(controller: Controller<Snapshot>, key: string): Reconciled {
    const objectKey = parseKey(key);
    const memoryKey = `${controller.name} ${key}`;
    const { resource } = controller;
    let snapshot: Snapshot | undefined;
    let plan: Plan = nothingToDo;
    let planned: Outcome = { results: [] };
    let events: readonly PlannedEvent[] = [];
    let statusWritten = false;
    const carryOut = (command: ReconcileCommand): ReconcileEvent | undefined => {
      switch (command.command) {
        case 'place':
          return { event: 'placed', of: command.of };
        case 'read':
          return { event: 'read', of: command.of, read: { live: this.#live(command.resource, command.key) } };
        case 'list':
          return {
            event: 'listed',
            of: command.of,
            listed: { listed: listed(this.#store, command.listing) },
          };
        case 'send':
          return { event: 'answered', of: command.of, answer: this.#send(command.step) };
        case 'observe':
          snapshot = controller.observe(objectKey, command.refused);
          return { event: 'observed', there: snapshot !== undefined };
        case 'plan':
          plan = planOf(controller, snapshot as Snapshot, this.now);
          return {
            event: 'planned',
            plan: guarded(plan, resource, objectKey, this.#live(resource, objectKey)),
            heldBack: undefined,
            othersWait: false,
          };
        case 'announce':
          if (command.of === 'plan') {
            planned = command.outcome;
            const decision = controller.decide(snapshot as Snapshot, this.now);
            events = controller.events?.(snapshot as Snapshot, decision, planned) ?? [];
            return undefined;
          }
          for (const result of command.outcome.results) if (result.did === 'failed') throw result.error;
          statusWritten = command.outcome.results.length > 0;
          return undefined;
        case 'report': {
          const decision = controller.decide(snapshot as Snapshot, this.now);
          const wanted = controller.report(snapshot as Snapshot, decision, command.outcome, this.now);
          return { event: 'reported', writes: statusPlan(wanted), nextAt: undefined };
        }
        case 'leave':
        case 'record':
        case 'cache':
          return undefined;
        case 'remember':
          this.#memories.set(memoryKey, command.memory);
          return undefined;
      }
    };
    const facts: Facts = {
      leads: true,
      stopping: false,
      now: this.now,
      cached: (of, name) => this.#live(of, name),
    };
    const queue: ReconcileEvent[] = [];
    const memory = this.#memories.get(memoryKey) ?? emptyMemory;
    const given = { resource, key: objectKey, bound: 1, memory };
    let turn = beginReconcile(given, shippedRules);
    for (;;) {
      for (const command of turn.commands) {
        const event = carryOut(command);
        if (event !== undefined) queue.push(event);
      }
      const event = queue.shift();
      if (event === undefined) break;
      turn = nextOf(turn.state, event, facts, shippedRules);
    }
    if (turn.state.phase !== 'ended') throw new Error(`the reconcile of ${key} stays ${turn.state.phase}`);
    if (turn.state.gone && plan === nothingToDo) throw new Error(`${key} is gone`);
    return { plan, outcome: planned, events, statusWritten };
  }

  /** Passes until one writes nothing; that one is silent by promise. Throws after twenty: replicas of a full total move one by one. */
  untilSteady<Snapshot>(controller: Controller<Snapshot>, key: string): readonly Reconciled[] {
    const reconciles: Reconciled[] = [];
    for (let round = 0; round < 20; round += 1) {
      const reconciled = this.reconcile(controller, key);
      if (reconciled.outcome.results.length === 0 && !reconciled.statusWritten) return reconciles;
      reconciles.push(reconciled);
    }
    throw new Error(`${key} does not come to rest: ${JSON.stringify(reconciles.at(-1)?.plan.stages)}`);
  }

  #send(step: WriteStep): Answer {
    const request = requestFor(step);
    const rewritten =
      request.verb === 'create' ? { ...request, object: this.rewrite(request.object) } : request;
    const served = serve(this.#store, rewritten, {
      newUid: () => this.#newUid(),
      now: this.#timestamp(),
      refuse: this.refuse,
    });
    this.#store = served.store;
    return served.answer;
  }

  #live(resource: Resource<KubeObject>, key: ObjectKey): Stored<KubeObject> | undefined {
    const held = this.#store.objects.get(slotOf(resource, key));
    return held === undefined ? undefined : storedOf(held);
  }

  #operate(operation: Operation): void {
    const served = serve(this.#store, operation, { newUid: () => this.#newUid(), now: this.#timestamp() });
    if (!served.answer.ok) throw served.answer.error;
    this.#store = served.store;
  }

  #reader<T extends KubeObject>(name: CacheName, declared: CacheDeclaration<T>): OptionalReader<T> {
    const { resource, indexers, projection = wholeObject<T>() } = declared;
    const synced = (): boolean => !this.unsynced.has(name) && !this.unreadable.has(name);
    const unreadable = (): Unreadable | undefined => this.unreadable.get(name);
    const served = (): boolean => !this.unserved.has(name);
    const isUnreadable = (key: ObjectKey): boolean => this.hidden.has(slotOf(resource, key));
    const list = (): readonly Stored<T>[] =>
      synced() && served()
        ? this.list(resource).flatMap((each) => (isUnreadable(keyOf(each)) ? [] : project(projection, each)))
        : [];
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
