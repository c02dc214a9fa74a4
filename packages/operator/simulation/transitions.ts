import { ApiError, formatKey, parseKey } from '@atoll/kube';
import type { CacheEvent, KubeObject, Resource } from '@atoll/kube';
import { mayStillRun } from '../src/engine/execute.ts';
import { judge, judgeLive } from '../src/engine/judge.ts';
import type { Learned } from '../src/engine/judge.ts';
import { allowedBy } from '../src/engine/plan.ts';
import type { Plan } from '../src/engine/plan.ts';
import { requestFor, targetOf } from '../src/engine/request.ts';
import type { Answer, Request, WriteStep } from '../src/engine/request.ts';
import { endOf, guarded, statusPlan } from '../src/engine/run-pass.ts';
import type { Outcome, StepResult } from '../src/engine/step.ts';
import { resourceOfSlot, serve, slotOf, storedOf } from './api-server.ts';
import type { Operation, Served, Store, WatchEvent } from './api-server.ts';
import { emptyCaches, take, wrote, wroteDeletion } from './caches.ts';
import type { CacheContent, ModelCache, Shown } from './caches.ts';
import { canonicalText } from './json.ts';
import {
  Canonical,
  Interner,
  inState,
  plannedSteps,
  sendable,
  shortText,
  uidAndGeneration,
  withEchoes,
  pendingResources,
} from './state.ts';
import type { InternedPlan, LocalContent, PlannedStep, Running, ShortResult, State } from './state.ts';
import { describeMove, describePlan, describeRequest } from './tell.ts';
import type { Fault, World } from './world.ts';

/** One thing that can happen in a state. */
export interface Transition {
  /** For people; worked out only when a story is told. */
  readonly label: () => string;
  readonly next: State;
  /** Names the fair actions that this is; such an action does not stay enabled for ever without being taken. */
  readonly fair?: readonly string[];
  /** Spends a budget, or happens for no reason: no part of what happens for ever. */
  readonly extra?: 'budget' | 'spurious';
  /** The operator changed the store. */
  readonly effect?: boolean;
  /** What is wrong with it: layer and message. */
  readonly wrong?: string;
}

/** What waits to be delivered arrives sooner or later, whatever else goes on: fair actions without an edge of their own. */
export function deliveriesDue(state: State): readonly string[] {
  const due: string[] = [];
  for (const [resource, events] of state.pending) if (events.length > 0) due.push(`deliver ${resource}`);
  for (const slot of state.echoes.keys()) due.push(`echo ${resourceOfSlot(slot)}`);
  return due;
}

/** Everything that can happen in a world, state by state. Holds the shipped controller and calls it on shown caches. */
export class Transitions {
  readonly world: World;
  readonly interner = new Interner();
  readonly canonical = new Canonical(this.interner);
  readonly #shown: Shown = { content: emptyCaches, unsynced: new Set() };
  readonly #controller: ReturnType<World['build']>['controller'];
  readonly #caches: ReadonlyMap<string, ModelCache<KubeObject>>;
  readonly #plans = new Map<string, InternedPlan | 'gone'>();
  readonly #reports = new Map<string, readonly PlannedStep[] | 'gone'>();
  /** Distinct plans, for the plan oracle and as a corpus. */
  readonly plans: Plan[] = [];
  #wrongPlan: string | undefined;

  constructor(world: World) {
    this.world = world;
    const { controller, caches } = world.build(this.#shown);
    this.#controller = controller;
    this.#caches = new Map(caches.map((cache) => [slotOf(cache.resource, { name: '' }).slice(0, -1), cache]));
  }

  begin(): State {
    const { world } = this;
    const objects = new Map(
      [...world.begin.objects].map(([slot, held]) => [
        slot,
        { ...held, object: this.interner.of(held.object) },
      ]),
    );
    const made = new Map([...objects.keys()].map((slot) => [slot, 1]));
    const empty: State = {
      store: { objects, version: world.begin.version },
      made,
      caches: emptyCaches,
      pending: new Map(),
      echoes: new Map(),
      announced: new Map(),
      unsynced: new Set(),
      dirty: new Set(),
      timers: new Map(),
      running: new Map(),
      inDoubt: new Map(),
      late: [],
      left: new Map(Object.entries(world.budgets)),
      now: world.now,
      memory: this.#remembered(world.memory?.begin, world.begin),
    };
    return this.canonical.renumbered(this.#restarted(empty, []));
  }

  /** All that can happen in the state, in a fixed order, so that a trace can be told again. */
  from(state: State): readonly Transition[] {
    const found: Transition[] = [];
    this.#deliveriesAndPasses(state, found);
    for (const [key, running] of state.running) this.#steps(state, key, running, found);
    this.#neighbours(state, found);
    state.late.forEach((step, index) => found.push(this.#late(state, step, index)));
    this.#timers(state, found);
    return found.map((transition) => ({
      ...transition,
      next: this.canonical.renumbered(withEchoes(transition.next)),
    }));
  }

  #deliveriesAndPasses(state: State, found: Transition[]): void {
    for (const resource of state.unsynced) {
      const unsynced = new Set(state.unsynced);
      unsynced.delete(resource);
      const dirty = new Set([...state.dirty, ...this.world.keys]);
      found.push({
        label: () => `the operator has read ${resource}`,
        next: { ...state, unsynced, dirty },
        fair: [`sync ${resource}`],
      });
    }
    const resources = pendingResources(state);
    for (const counts of prefixes(state, resources)) {
      const full = resources.every((resource, at) => counts[at] === all(state, resource));
      const arrivals = arrivalsOf(state, resources, counts);
      const delivered = this.#deliver(state, resources, counts);
      const seen = seenText(resources, counts);
      for (const key of this.world.keys) {
        const running = state.running.get(key);
        if (running?.phase === 'report') this.#report(delivered, key, running, arrivals, seen, found);
        // What a running pass may see of its parent meanwhile, for the guard (F8).
        if (running !== undefined) continue;
        if (delivered.dirty.has(key)) {
          found.push({ ...this.#pass(delivered, key, seen), fair: [`pass ${key}`, ...arrivals] });
        } else if (this.world.spurious !== false && (full || counts.every((count) => count === 0))) {
          found.push({ ...this.#pass(delivered, key, `${seen}, for no reason`), extra: 'spurious' });
        }
      }
      const nothingElse = [...delivered.dirty].every((key) => state.running.has(key));
      if (full && resources.length > 0 && nothingElse && state.running.size === 0) {
        found.push({ label: () => `the operator's caches catch up`, next: delivered, fair: arrivals });
      }
    }
    this.#parentDuringPlan(state, found);
  }

  /** The one delivery that matters inside a plan: the executor looks at the parent before destructive steps (F8). */
  #parentDuringPlan(state: State, found: Transition[]): void {
    const parent = slotOf(this.#controller.resource, { name: '' }).slice(0, -1);
    const waiting = state.pending.get(parent)?.length ?? 0;
    if (waiting === 0) return;
    const inPlan = [...state.running.values()].some((running) => running.phase === 'plan');
    if (!inPlan) return;
    const next = this.#deliver(state, [parent], [waiting]);
    found.push({ label: () => `the operator hears of the change of ${parent} in mid plan`, next });
  }

  #deliver(state: State, resources: readonly string[], counts: readonly number[]): State {
    let next = state;
    resources.forEach((resource, at) => {
      const count = counts[at] ?? 0;
      for (let taken = 0; taken < Math.min(count, state.pending.get(resource)?.length ?? 0); taken += 1) {
        next = this.#deliverOldest(next, resource);
      }
      if (count === all(state, resource)) next = this.#deliverEchoes(next, resource);
    });
    return next;
  }

  #deliverOldest(state: State, resource: string): State {
    const [event, ...rest] = state.pending.get(resource) ?? [];
    if (event === undefined) return state;
    const { content, change } = take(state.caches, event);
    const announced = new Map(state.announced);
    announced.delete(event.slot);
    const pending = new Map(state.pending);
    if (rest.length > 0) pending.set(resource, rest);
    else pending.delete(resource);
    return this.#woken({ ...state, caches: content, pending, announced }, resource, change);
  }

  #deliverEchoes(state: State, resource: string): State {
    let next = state;
    for (const [slot, event] of state.echoes) {
      if (resourceOfSlot(slot) !== resource) continue;
      const echoes = new Map(next.echoes);
      echoes.delete(slot);
      const held = next.caches.known.get(slot);
      const told = next.announced.get(slot);
      const announced = new Map(next.announced);
      announced.delete(slot);
      const object = storedOf(held ?? event);
      let change: CacheEvent<KubeObject> = { type: 'added', object };
      if (event.type === 'DELETED' || held === undefined) change = { type: 'deleted', object };
      else if (told !== undefined) {
        change = { type: 'updated', old: storedOf({ object: told, version: held.version }), object };
      }
      next = this.#woken({ ...next, echoes, announced }, resource, change);
    }
    return next;
  }

  #woken(state: State, resource: string, change: CacheEvent<KubeObject> | undefined): State {
    if (change === undefined) return state;
    this.#show({ known: state.caches.known, versions: [], text: '' }, state);
    const dirty = new Set(state.dirty);
    for (const { reader, keysFor } of this.#controller.sources) {
      if (slotOf(reader.resource, { name: '' }).slice(0, -1) !== resource) continue;
      for (const key of keysFor(change)) if (this.world.keys.includes(key)) dirty.add(key);
    }
    return { ...state, dirty };
  }

  #pass(state: State, key: string, seen: string): Transition {
    const dirty = new Set(state.dirty);
    dirty.delete(key);
    const settled = this.#settle({ ...state, dirty }, key);
    const local = this.canonical.content(settled.caches.known, settled.unsynced);
    const plan = this.#planFor(local, settled, key);
    const wrong = this.#takeWrongPlan();
    const head = `the operator looks at ${key} (${seen})`;
    if (plan === 'gone') return { label: () => `${head}: it is gone`, next: settled, ...wrong };
    const steps = inState(plan.steps, local);
    const parent = uidAndGeneration(this.#parent(settled, key));
    const running: Running = { phase: 'plan', plan, parent, steps, results: [], planned: [] };
    const label = (): string => `${head}:${describePlan(plan.plan)}`;
    const next =
      steps.length === 0 ? this.#reported(settled, key, running) : withRunning(settled, key, running);
    return { label, next: next.state, ...wrong, ...(next.wrong === undefined ? {} : { wrong: next.wrong }) };
  }

  #settle(state: State, key: string): State {
    const doubts = state.inDoubt.get(key);
    if (doubts === undefined) return state;
    const inDoubt = new Map(state.inDoubt);
    inDoubt.delete(key);
    let next: State = { ...state, inDoubt };
    if (this.world.bug === 'in-doubt-ignored') return next;
    for (const { step, error } of doubts) {
      const write = sendable(step);
      const { answer } = this.#serve(next, { verb: 'get', ...targetOf(write) });
      const { learned } = judgeLive(write, error, answer.ok ? answer.object : undefined);
      next = withEchoes(this.#learn(next, learned));
    }
    return next;
  }

  #report(
    state: State,
    key: string,
    running: Running,
    arrivals: readonly string[],
    seen: string,
    found: Transition[],
  ): void {
    const { state: next, wrong } = this.#reported(state, key, running);
    const label = (): string => `the operator looks again at ${key} (${seen}) and reports`;
    found.push({
      label,
      next,
      fair: [`report ${key}`, ...arrivals],
      ...(wrong === undefined ? {} : { wrong }),
    });
  }

  #reported(state: State, key: string, running: Running): { readonly state: State; readonly wrong?: string } {
    if (
      this.world.bug !== 'status-of-older-spec' &&
      uidAndGeneration(this.#parent(state, key)) !== running.parent
    ) {
      const dirty = new Set(state.dirty).add(key);
      return { state: withoutRunning({ ...state, dirty }, key) };
    }
    const local = this.canonical.content(state.caches.known, state.unsynced);
    const status = this.#reportFor(local, state, key, running);
    if (status === 'gone') return { state: withoutRunning(state, key) };
    const steps = inState(status, local);
    const next: Running = { ...running, phase: 'status', steps, results: [], planned: running.results };
    if (steps.length === 0) return { state: this.#finished(state, key, next) };
    return withRunning(state, key, next);
  }

  #finished(state: State, key: string, running: Running): State {
    const results = [...running.planned, ...running.results].map(asResult);
    const end = endOf({ results }, running.plan.plan, state.now);
    const next = withoutRunning(state, key);
    const timers = new Map(next.timers);
    timers.delete(key);
    if (end.end === 'settled') {
      if (end.afterMs !== undefined) timers.set(key, state.now + end.afterMs);
      return { ...next, timers };
    }
    if (this.world.bug === 'no-requeue') return { ...next, timers };
    return { ...next, timers, dirty: new Set(next.dirty).add(key) };
  }

  #steps(state: State, key: string, running: Running, found: Transition[]): void {
    if (running.phase === 'report') return;
    const step = running.steps[running.results.length];
    if (step === undefined) return;
    const fair = [`step ${key}`];
    const obstacle = this.#obstacle(state, running, step);
    if (obstacle !== undefined) {
      const label = (): string =>
        obstacle.did === 'skipped' ? `a step is dropped: ${obstacle.because}` : 'an event is recorded';
      found.push({ label, next: this.#advanced(state, key, running, obstacle), fair });
      return;
    }
    found.push({ ...this.#send(state, key, running, step), fair });
    if ((state.left.get('fault') ?? 0) === 0) return;
    const left = new Map(state.left).set('fault', (state.left.get('fault') ?? 0) - 1);
    for (const fault of this.world.faults) {
      const transition = this.#faulty({ ...state, left }, key, running, step, fault);
      found.push({ ...transition, extra: 'budget' });
    }
  }

  #obstacle(state: State, running: Running, planned: PlannedStep): ShortResult | undefined {
    const { step } = planned;
    if (step.do === 'event') return { did: 'done', adopted: false };
    const failed = running.results.some((result) => result.did !== 'done');
    if (planned.afterSuccess && failed) return { did: 'skipped', because: 'earlier-stage-failed' };
    if (
      this.world.bug === 'stop-at-first-error' &&
      running.results.some((result) => result.did === 'failed')
    ) {
      return { did: 'skipped', because: 'earlier-stage-failed' };
    }
    const { guard } = running.plan.plan;
    if (guard === undefined || running.phase === 'status' || this.world.bug === 'guard-ignored')
      return undefined;
    const held = state.caches.known.get(slotOf(guard.resource, guard.key));
    const allowed = allowedBy(guard, held === undefined ? undefined : storedOf(held));
    return mayStillRun(step, allowed) ? undefined : { did: 'skipped', because: 'plan-outdated' };
  }

  #send(state: State, key: string, running: Running, step: PlannedStep): Transition {
    const write = sendable(step);
    const request = this.#requestFor(write);
    const served = this.#serve(state, request);
    const verdict = judge(write, served.answer);
    let settled = verdict;
    if (!('settled' in settled)) {
      const read = serve(served.store, { verb: 'get', ...targetOf(write) }, this.#around(state));
      settled = judgeLive(write, settled.error, read.answer.ok ? read.answer.object : undefined);
      if (this.world.bug === 'taken-name-is-success')
        settled = { ...settled, settled: { step: write, did: 'done' } };
    }
    const learned = this.world.bug === 'no-write-through' ? [] : settled.learned;
    const taken = this.#appended(this.#learn(this.#stored(state, served), learned), served.events);
    const result = short(settled.settled);
    const wrong = this.#wrongEffect(state, served, request, false) ?? this.#wasted(state, served, write);
    return {
      label: () => `${describeRequest(request)} → ${describeResult(result, served)}`,
      next: this.#advanced(taken, key, running, result),
      effect: served.events.length > 0,
      ...(wrong === undefined ? {} : { wrong }),
    };
  }

  #faulty(state: State, key: string, running: Running, step: PlannedStep, fault: Fault): Transition {
    const write = sendable(step);
    const request = this.#requestFor(write);
    const what = (): string => describeRequest(request);
    switch (fault) {
      case 'crash-before':
        return {
          label: () => `${what()}: the operator dies before sending`,
          next: this.#restarted(state, []),
        };
      case 'crash-unsynced': {
        const [first = ''] = this.#caches.keys();
        const resources = [...this.#caches.keys()].filter(
          (name) => name !== slotOf(this.#controller.resource, { name: '' }).slice(0, -1),
        );
        return {
          label: () => `the operator dies; its successor has not read ${resources[0] ?? first}`,
          next: this.#restarted(state, [resources[0] ?? first]),
        };
      }
      case 'crash-late': {
        const next = this.#restarted(state, []);
        return {
          label: () => `${what()}: the operator dies with the request under way`,
          next: { ...next, late: [...next.late, step] },
        };
      }
      case 'refused':
      case 'lost-before': {
        const error = fault === 'refused' ? overloaded : noAnswer;
        const doubtful = fault === 'refused' ? state : withDoubt(state, key, { step, error });
        const label = (): string =>
          fault === 'refused' ? `${what()} → 503` : `${what()}: lost on the way, no answer`;
        return { label, next: this.#advanced(doubtful, key, running, { did: 'failed', error }) };
      }
      case 'lost-after':
      case 'crash-after': {
        const served = this.#serve(state, request);
        const stored = this.#appended(this.#stored(state, served), served.events);
        const wrong = this.#wrongEffect(state, served, request, false);
        const oracle = { effect: served.events.length > 0, ...(wrong === undefined ? {} : { wrong }) };
        if (fault === 'crash-after') {
          return {
            label: () => `${what()}: the operator dies after it took effect`,
            next: this.#restarted(stored, []),
            ...oracle,
          };
        }
        const next = this.#advanced(withDoubt(stored, key, { step, error: noAnswer }), key, running, {
          did: 'failed',
          error: noAnswer,
        });
        return { label: () => `${what()}: took effect, the response is lost`, next, ...oracle };
      }
    }
  }

  #advanced(state: State, key: string, running: Running, result: ShortResult): State {
    const next: Running = { ...running, results: [...running.results, result] };
    if (next.results.length < next.steps.length) return withRunning(state, key, next).state;
    if (next.phase === 'status') return this.#finished(state, key, next);
    return withRunning(state, key, { ...next, phase: 'report', steps: [] }).state;
  }

  #neighbours(state: State, found: Transition[]): void {
    for (const neighbour of this.world.neighbours) {
      const budget = neighbour.spends;
      const left = budget === undefined ? 1 : (state.left.get(budget) ?? 0);
      if (left === 0) continue;
      for (const move of neighbour.moves(state.store)) {
        const served = this.#serve(state, move.operation);
        if (served.events.length === 0) continue;
        let next = this.#appended(this.#stored(state, served), served.events);
        if (budget !== undefined) next = { ...next, left: new Map(next.left).set(budget, left - 1) };
        found.push({
          label: () => describeMove(neighbour.name, move.label),
          next,
          ...(budget === undefined ? { fair: [`${neighbour.name} ${move.label}`] } : { extra: 'budget' }),
          ...this.#wrongState(next.store),
        });
      }
    }
  }

  #late(state: State, step: PlannedStep, index: number): Transition {
    const request = this.#requestFor(sendable(step));
    const served = this.#serve(state, request);
    const next = this.#appended(
      this.#stored({ ...state, late: state.late.toSpliced(index, 1) }, served),
      served.events,
    );
    const wrong = this.#wrongEffect(state, served, request, true);
    const label = (): string =>
      `the dead operator's ${describeRequest(request)} arrives late → ${served.answer.ok ? 'done' : served.answer.error.reason}`;
    return {
      label,
      next,
      fair: ['late'],
      effect: served.events.length > 0,
      ...(wrong === undefined ? {} : { wrong }),
    };
  }

  #timers(state: State, found: Transition[]): void {
    const [first] = [...state.timers].sort(([, a], [, b]) => a - b);
    if (first === undefined) return;
    const [key, at] = first;
    const timers = new Map(state.timers);
    timers.delete(key);
    const next = { ...state, timers, now: Math.max(state.now, at), dirty: new Set(state.dirty).add(key) };
    found.push({
      label: () => `time passes until ${new Date(next.now).toISOString()}`,
      next,
      fair: ['time'],
    });
  }

  /** A fresh process: caches as the store is now (W5), every key to be looked at. */
  #restarted(state: State, unsynced: readonly string[]): State {
    const known = new Map(
      [...state.store.objects]
        .filter(([slot]) => this.#caches.has(resourceOfSlot(slot)))
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
      inDoubt: new Map(),
    };
  }

  #requestFor(step: WriteStep): Request {
    const request = requestFor(step);
    if (this.world.bug === 'delete-by-name' && request.verb === 'delete') {
      const { uid: _, resourceVersion: _version, ...options } = request.options;
      return { ...request, options };
    }
    if (this.world.bug === 'apply-without-uid' && request.verb === 'apply') {
      const { uid: _, ...metadata } = request.object.metadata;
      return { ...request, object: { ...request.object, metadata } };
    }
    return request;
  }

  #around(state: State) {
    return {
      newUid: (slot: string): string =>
        `uid-${slot.slice(slot.indexOf('|') + 1)}-${(state.made.get(slot) ?? 0) + 1}`,
      newSuffix: (prefix: string): string =>
        String([...state.made.keys()].filter((slot) => slot.startsWith(prefix)).length + 1),
      now: new Date(state.now).toISOString().replace('.000Z', 'Z'),
      ...(this.world.refuse === undefined ? {} : { refuse: this.world.refuse }),
    };
  }

  #serve(state: State, operation: Operation): Served {
    return serve(state.store, operation, this.#around(state));
  }

  #stored(state: State, served: Served): State {
    if (served.events.length === 0) return state;
    let made = state.made;
    const objects = new Map(served.store.objects);
    for (const event of served.events) {
      if (event.type === 'ADDED') made = new Map(made).set(event.slot, (made.get(event.slot) ?? 0) + 1);
      const held = objects.get(event.slot);
      if (held !== undefined) objects.set(event.slot, { ...held, object: this.interner.of(held.object) });
    }
    const store: Store = { objects, version: served.store.version };
    const memory = this.#remembered(state.memory, store);
    return { ...state, store, made, memory };
  }

  #remembered(memory: object | undefined, store: Store): object | undefined {
    const { memory: rule } = this.world;
    return rule === undefined || memory === undefined
      ? undefined
      : this.interner.of(rule.next(memory, store));
  }

  /** New events wait to be delivered; where too many wait, the oldest arrives. */
  #appended(state: State, events: readonly WatchEvent[]): State {
    let next = state;
    for (const event of events) {
      const resource = resourceOfSlot(event.slot);
      if (!this.#caches.has(resource)) continue;
      const interned = { ...event, object: this.interner.of(event.object) };
      next = withEchoes({
        ...next,
        pending: new Map(next.pending).set(resource, [...(next.pending.get(resource) ?? []), interned]),
      });
      while ((next.pending.get(resource)?.length ?? 0) > this.world.lag)
        next = this.#deliverOldest(next, resource);
    }
    return next;
  }

  #learn(state: State, learned: readonly Learned[]): State {
    let { caches } = state;
    const announced = new Map(state.announced);
    for (const fact of learned) {
      if (!this.#caches.has(slotOf(fact.resource, { name: '' }).slice(0, -1))) continue;
      if ('gone' in fact) {
        caches = wroteDeletion(caches, slotOf(fact.resource, fact.gone.key), fact.gone.uid);
        continue;
      }
      const { resourceVersion, ...metadata } = fact.present.metadata;
      const bare = this.interner.of({ ...fact.present, metadata } as KubeObject);
      const slot = slotOf(fact.resource, parseKey(formatKey(fact.present.metadata)));
      const before = caches.known.get(slot);
      caches = wrote(caches, slot, bare, Number(resourceVersion));
      const changed =
        before !== undefined && before.object !== bare && caches.known.get(slot)?.object === bare;
      if (changed && !announced.has(slot)) announced.set(slot, before.object);
    }
    return { ...state, caches, announced };
  }

  #parent(state: State, key: string): KubeObject | undefined {
    return state.caches.known.get(slotOf(this.#controller.resource, parseKey(key)))?.object;
  }

  #show(local: LocalContent, state: State): void {
    this.#shown.content = { known: local.known, tombstones: new Set() } satisfies CacheContent;
    this.#shown.unsynced = state.unsynced;
  }

  #planFor(local: LocalContent, state: State, key: string): InternedPlan | 'gone' {
    const memo = `${key} ${state.now} ${local.text}`;
    const known = this.#plans.get(memo);
    if (known !== undefined) return known;
    this.#show(local, state);
    const snapshot = this.#controller.observe(parseKey(key));
    if (snapshot === undefined) {
      this.#plans.set(memo, 'gone');
      return 'gone';
    }
    const parent = this.#caches
      .get(slotOf(this.#controller.resource, { name: '' }).slice(0, -1))
      ?.get(parseKey(key));
    const decide = (): Plan => guarded(this.#controller.plan(snapshot, state.now), this.#controller, parent);
    const plan = decide();
    const text = canonicalText(plan);
    if (canonicalText(decide()) !== text) this.#wrongPlan = 'P: the plan is not a function of the snapshot';
    const steps = plan.stages.flatMap((stage) => stage.steps);
    if (steps.some((step) => step.why.message === '')) this.#wrongPlan = 'P: a step has no reason';
    const wrong = this.world.wrongPlan?.(plan);
    if (wrong !== undefined) this.#wrongPlan = `P: ${wrong}`;
    const interned: InternedPlan = {
      id: this.interner.id({ text }),
      plan,
      steps: plannedSteps(plan, this.interner),
    };
    this.plans.push(plan);
    this.#plans.set(memo, interned);
    return interned;
  }

  #reportFor(
    local: LocalContent,
    state: State,
    key: string,
    running: Running,
  ): readonly PlannedStep[] | 'gone' {
    const memo = `${key} ${state.now} ${local.text} ${running.plan.id} ${running.results.map(shortText).join()}`;
    const known = this.#reports.get(memo);
    if (known !== undefined) return known;
    this.#show(local, state);
    const snapshot = this.#controller.observe(parseKey(key));
    const { plan } = running.plan;
    const steps = plan.stages.flatMap((stage) => stage.steps);
    const outcome: Outcome = {
      results: running.results.map((result, index) => ({
        ...asResult(result),
        step: steps[index] as WriteStep,
      })),
    };
    const status =
      snapshot === undefined
        ? 'gone'
        : plannedSteps(
            statusPlan(this.#controller.report(snapshot, plan, outcome, state.now)),
            this.interner,
          );
    this.#reports.set(memo, status);
    return status;
  }

  #takeWrongPlan(): { readonly wrong?: string } {
    const wrong = this.#wrongPlan;
    this.#wrongPlan = undefined;
    return wrong === undefined ? {} : { wrong };
  }

  #wrongEffect(state: State, served: Served, request: Request, late: boolean): string | undefined {
    if (request.verb === 'delete' && request.options.uid === undefined) return 'E: a delete without the uid';
    if (served.events.length === 0) return undefined;
    if (served.events.some((event) => event.type === 'ADDED') && !request.verb.startsWith('create')) {
      return `E: ${request.verb} made an object`;
    }
    const effect = {
      before: state.store,
      after: served.store,
      request,
      late,
      cached: state.caches,
      memory: state.memory,
    };
    const wrong = this.world.wrongEffect?.(effect);
    return wrong === undefined ? this.#wrongState(served.store).wrong : `E: ${wrong}`;
  }

  /** On a path without faults and rivals nothing is asked for in vain. */
  #wasted(state: State, served: Served, step: WriteStep): string | undefined {
    if (this.world.effort === false || served.events.length > 0) return undefined;
    const used = ['fault', 'rival'].some(
      (name) => (state.left.get(name) ?? 0) < (this.world.budgets[name] ?? 0),
    );
    if (used) return undefined;
    if (served.answer.ok) return `W: ${step.do} changed nothing`;
    return served.answer.error.reason === 'AlreadyExists' ? `W: ${step.do} of what is there` : undefined;
  }

  #wrongState(store: Store): { readonly wrong?: string } {
    const wrong = this.world.wrongState?.(store);
    return wrong === undefined ? {} : { wrong: `S: ${wrong}` };
  }
}

function* prefixes(state: State, resources: readonly string[]): Generator<readonly number[]> {
  const limits = resources.map((resource) => all(state, resource));
  const counts = limits.map(() => 0);
  for (;;) {
    yield [...counts];
    let at = 0;
    while (at < counts.length && counts[at] === limits[at]) counts[at++] = 0;
    if (at === counts.length) return;
    counts[at] = (counts[at] ?? 0) + 1;
  }
}

/** The fair deliveries that a choice of prefixes takes. */
function arrivalsOf(
  state: State,
  resources: readonly string[],
  counts: readonly number[],
): readonly string[] {
  return deliveriesDue(state).filter((due) => {
    const resource = due.slice(due.indexOf(' ') + 1);
    const count = counts[resources.indexOf(resource)] ?? 0;
    return due.startsWith('echo') ? count === all(state, resource) : count > 0;
  });
}

/** The count that stands for everything of a resource, its echoes included. */
function all(state: State, resource: string): number {
  const waiting = state.pending.get(resource)?.length ?? 0;
  const echoes = [...state.echoes.keys()].some((slot) => resourceOfSlot(slot) === resource);
  return waiting + (echoes ? 1 : 0);
}

function withRunning(
  state: State,
  key: string,
  running: Running,
): { readonly state: State; readonly wrong?: string } {
  return { state: { ...state, running: new Map(state.running).set(key, running) } };
}

function withoutRunning(state: State, key: string): State {
  const running = new Map(state.running);
  running.delete(key);
  return { ...state, running };
}

function withDoubt(
  state: State,
  key: string,
  doubt: { readonly step: PlannedStep; readonly error: ApiError },
): State {
  return { ...state, inDoubt: new Map(state.inDoubt).set(key, [...(state.inDoubt.get(key) ?? []), doubt]) };
}

function short(result: StepResult): ShortResult {
  if (result.did === 'done') return { did: 'done', adopted: result.adopted === true };
  if (result.did === 'failed') return { did: 'failed', error: result.error };
  return { did: 'skipped', because: result.because };
}

function asResult(result: ShortResult): StepResult {
  const step = nobody;
  if (result.did === 'done') return { step, did: 'done', ...(result.adopted ? { adopted: true } : {}) };
  if (result.did === 'failed') return { step, did: 'failed', error: result.error };
  return { step, did: 'skipped', because: result.because };
}

const noAnswer = new ApiError({
  fate: 'in-doubt',
  code: 0,
  reason: 'Timeout',
  attempted: 'a write',
  message: 'no answer',
});

const overloaded = new ApiError({
  fate: 'refused',
  code: 503,
  reason: 'ServiceUnavailable',
  attempted: 'a write',
  message: 'overloaded',
});

/** Stands where a result needs a step and nobody looks at it. */
const nobody: WriteStep = {
  do: 'create',
  why: { word: 'RollingOut', message: '-' },
  resource: {
    group: '',
    version: 'v1',
    kind: '',
    plural: '',
    namespaced: false,
  } satisfies Resource<KubeObject>,
  object: { metadata: { name: '' } },
  managed: 'once',
};

function seenText(resources: readonly string[], counts: readonly number[]): string {
  const seen = resources.map((resource, at) => `${counts[at] ?? 0} news of ${resource}`);
  return seen.length === 0 ? 'nothing new' : seen.join(', ');
}

function describeResult(result: ShortResult, served: Served): string {
  if (result.did === 'done')
    return result.adopted ? 'it was there and is ours' : served.events.length === 0 ? 'unchanged' : 'done';
  return result.did === 'failed' ? `${result.error.reason}: ${result.error.message}` : result.because;
}

export type { Answer };
