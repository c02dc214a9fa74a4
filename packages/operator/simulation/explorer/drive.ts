import { ApiError, groupResourceOf, parseKey } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import type { KubeObject, ObjectKey, Resource } from '@atoll/kube';
import { emptyMemory } from '../../src/engine/executor/commands.ts';
import type { ExecutionCommand, Live } from '../../src/engine/executor/commands.ts';
import type { Facts, Turn } from '../../src/engine/executor/facts.ts';
import { beginReconcile, nextOf } from '../../src/engine/reconcile/machine.ts';
import type {
  Ended,
  Reconcile,
  ReconcileCommand,
  ReconcileEvent,
} from '../../src/engine/reconcile/machine.ts';
import type { Request, WriteStep } from '../../src/engine/executor/requests/request.ts';
import type { Rules } from '../../src/engine/reconcile/rules.ts';
import { statusPlan } from '../../src/engine/reconcile/status-plan.ts';
import type { Outcome } from '../../src/engine/step.ts';
import type { Served } from '../model/api-server.ts';
import type { Decisions } from './decisions.ts';
import type { Effects } from './effects.ts';
import type { Explored } from './explored.ts';
import type { Oracles } from './oracles.ts';
import { begunWith, plannedIn, runOf, withMemory } from './run.ts';
import type { Mishap, Run } from './run.ts';
import { answeredWrites, sortWrites } from './paced.ts';
import { inState, restingInState, sendable } from './planned-step.ts';
import { withRunning, withoutRunning } from './state.ts';
import type { InternedPlan, Running, State } from './state.ts';
import { listed } from '../model/listing.ts';
import { slotOf, storedOf } from '../model/store.ts';

/** Requests of one key for which the machine may ask for places at once, as in production. */
const bound = 16;

/** How long a status is held back; every pace is the same where it is open when time passes. */
const heldMs = 5_000;

/** Where the machine came to by one event. */
export interface Driven {
  readonly state: State;
  /** The request that was sent, and what was served to it; not yet, where it is under way. */
  readonly sent: { readonly request: Request; readonly served: Served | undefined } | undefined;
  /** What was done for the plan, and for the status, where that became known. */
  readonly announced: Partial<Record<'plan' | 'status', Outcome>>;
  readonly machine: Reconcile;
  readonly plan: InternedPlan | undefined;
  /** The process died. */
  readonly died: boolean;
  readonly wrong: string | undefined;
}

/**
 * Drives the shipped machine of a reconcile in an explored state: its commands are carried out by the model of the API server and
 * the shipped controller. A request is served as it is sent, or later where it is let go.
 */
export class Drive {
  readonly #explored: Explored;
  readonly #decisions: Decisions;
  readonly #effects: Effects;
  readonly #oracles: Oracles;
  readonly #gets = new Map<string, Request>();

  constructor(explored: Explored, decisions: Decisions, effects: Effects, oracles: Oracles) {
    this.#explored = explored;
    this.#decisions = decisions;
    this.#effects = effects;
    this.#oracles = oracles;
  }

  begin(state: State, key: string, mishap: Mishap = {}): Driven {
    const memory = state.remembered.get(key) ?? emptyMemory;
    const { resource } = this.#explored.controller;
    const turn = beginReconcile({ resource, key: parseKey(key), bound, memory }, this.#explored.rules);
    const run = runOf(state, key, begunWith(turn.state), mishap);
    this.#carryOutAll(run, turn);
    return this.#done(run);
  }

  /** A place for the first step that waits for one, whose request is served at once; undefined: none does. */
  step(state: State, key: string, running: Running, mishap: Mishap = {}): Driven | undefined {
    const of = waitingStep(running.machine);
    return of === undefined ? undefined : this.#advance(state, key, running, { event: 'placed', of }, mishap);
  }

  /** The same, and its request is under way. */
  leave(state: State, key: string, running: Running): Driven | undefined {
    const of = waitingStep(running.machine);
    if (of === undefined) return undefined;
    return this.#advance(state, key, running, { event: 'placed', of }, {}, true);
  }

  /** What becomes of a request that is under way. */
  arrive(state: State, key: string, running: Running, index: number, mishap: Mishap = {}): Driven {
    const underWay = running.underWay.filter((each) => each.index !== index);
    const left = { ...running, underWay };
    const run = runOf(withRunning(state, key, left), key, left, mishap);
    run.cached = running.underWay.find((each) => each.index === index)?.cached;
    this.#send(run, index);
    run.cached = undefined;
    if (!run.died) this.#carryOutAll(run, undefined);
    return this.#done(run);
  }

  observeAgain(state: State, key: string, running: Running, mishap: Mishap = {}): Driven {
    const event = { event: 'observed', there: this.#isThere(state, key) } as const;
    return this.#advance(state, key, running, event, mishap);
  }

  #advance(
    state: State,
    key: string,
    running: Running,
    event: ReconcileEvent,
    mishap: Mishap,
    leaves = false,
  ): Driven {
    const run = runOf(state, key, running, mishap, leaves);
    this.#carryOutAll(run, nextOf(run.machine, event, this.#facts(run), this.#rules(run)));
    return this.#done(run);
  }

  /** undefined: only what has been answered already. */
  #carryOutAll(run: Run, turn: Turn<Reconcile, ReconcileCommand> | undefined): void {
    let next = turn;
    for (;;) {
      if (next !== undefined) run.machine = next.state;
      for (const command of next?.commands ?? []) {
        this.#carryOut(run, command);
        if (run.died) return;
      }
      const event = run.events.shift();
      if (event === undefined) return;
      next = nextOf(run.machine, event, this.#facts(run), this.#rules(run));
    }
  }

  /** What steps rest on was planned with the versions of the cache content, and is compared with those of the store. */
  #rules({ steps }: Run): Rules {
    const { rules } = this.#explored;
    if (steps.every(({ restsOn }) => restsOn === undefined)) return rules;
    const plannedAs = (step: WriteStep) => steps.find((each) => each.step === step);
    return {
      ...rules,
      checksBeforeStep: (step, plan) => rules.checksBeforeStep(restingInState(step, plannedAs(step)), plan),
    };
  }

  #facts({ state, mishap }: Run): Facts {
    return {
      leads: mishap.deposed !== true,
      stopping: false,
      now: state.now,
      cached: (resource, key) => {
        // A cache that was not read yet holds nothing.
        if (state.unsynced.has(groupResourceOf(resource))) return undefined;
        const held = state.caches.known.get(slotOf(resource, key));
        return held === undefined ? undefined : storedOf(held);
      },
    };
  }

  #carryOut(run: Run, command: ReconcileCommand): void {
    switch (command.command) {
      case 'place':
        // Steps wait until it is their turn.
        if (command.of === 'plan') run.events.push({ event: 'placed', of: 'plan' });
        return;
      case 'read':
        run.events.push({ event: 'read', of: command.of, read: this.#read(run, command) });
        return;
      case 'list': {
        const { of, listing } = command;
        run.events.push({ event: 'listed', of, listed: { listed: listed(run.state.store, listing) } });
        return;
      }
      case 'send':
        if (run.leaves) return this.#leave(run, command.of);
        return this.#send(run, command.of);
      case 'cache':
        run.state = this.#effects.updateCaches(run.state, command.updates);
        return;
      case 'remember':
        run.state = withMemory(run.state, run.key, command.memory);
        return;
      case 'observe':
        // What arrives meanwhile is seen, unless nothing was to be done.
        if (run.plan !== undefined && run.plan.steps.length > 0) return;
        run.events.push({ event: 'observed', there: this.#isThere(run.state, run.key) });
        return;
      case 'plan':
        return this.#plan(run);
      case 'report':
        return this.#report(run, command.outcome);
      case 'announce':
        run.announced[command.of] = command.outcome;
        if (command.of === 'status') this.#answered(run, command.outcome);
        return;
      case 'leave':
      case 'record':
    }
  }

  #isThere(state: State, key: string): boolean {
    return this.#decisions.isThere(this.#contentOf(state), state, key);
  }

  #plan(run: Run): void {
    const content = this.#contentOf(run.state);
    const { plan, wrong } = this.#decisions.planFor(content, run.state, run.key);
    run.plan = plan;
    run.steps = inState(plan.steps, content);
    run.wrong ??= wrong;
    const { othersWait = false } = this.#explored.world;
    run.events.push({ event: 'planned', plan: plan.unversioned, heldBack: undefined, othersWait });
  }

  #report(run: Run, outcome: Outcome): void {
    if (run.plan === undefined) throw new Error('a report without a plan');
    const content = this.#contentOf(run.state);
    const reported = this.#decisions.reportFor(content, run.state, run.key, run.plan, outcome);
    run.steps = inState(reported.steps, content);
    run.wrong ??= reported.wrong;
    const { pace } = this.#explored.world;
    if (pace !== undefined && run.state.paced !== undefined) {
      const { now } = run.state;
      const { now: going, nextAt, paced } = sortWrites(run.state.paced, pace, reported.wanted, now);
      const { writes, steps } = this.#decisions.writesOf(going);
      run.state = { ...run.state, paced };
      run.going = going.map((write) => this.#explored.interner.of(write));
      run.steps = inState(steps, content);
      run.events.push({ event: 'reported', writes, nextAt });
    } else if (run.mishap.held === true) {
      run.steps = [];
      run.events.push({ event: 'reported', writes: statusPlan([]), nextAt: run.state.now + heldMs });
    } else run.events.push({ event: 'reported', writes: reported.writes, nextAt: undefined });
  }

  #answered(run: Run, outcome: Outcome): void {
    const { pace } = this.#explored.world;
    const { paced, now } = run.state;
    if (pace === undefined || paced === undefined) return;
    run.state = { ...run.state, paced: answeredWrites(paced, pace, run.going, outcome, now) };
    run.going = [];
  }

  #contentOf({ caches, unsynced }: State) {
    return this.#explored.canonical.content(caches.known, unsynced);
  }

  #read(run: Run, { of, resource, key }: Extract<ExecutionCommand, { readonly command: 'read' }>): Live {
    const { fault } = run.mishap;
    // Who cannot get an answer to a write may not get one to what is asked next either.
    const isCut = run.sent !== undefined && (fault === 'lost-before' || fault === 'lost-after');
    if (isCut && typeof of === 'number') return { error: noAnswer };
    const { answer } = this.#effects.serve(run.state, this.#getting(resource, key));
    return { live: answer.ok ? answer.object : undefined };
  }

  /** The same request each time, so that its answer is known wherever the store is the same. */
  #getting(resource: Resource<KubeObject>, key: ObjectKey): Request {
    const slot = slotOf(resource, key);
    const request = this.#gets.get(slot) ?? { verb: 'get', resource, key };
    this.#gets.set(slot, request);
    return request;
  }

  #leave(run: Run, index: number): void {
    run.underWay = [...run.underWay, { index, cached: run.state.caches }];
    run.sent = { request: this.#effects.requestFor(plannedIn(run, index)), served: undefined };
  }

  #send(run: Run, index: number): void {
    const planned = plannedIn(run, index);
    const request = this.#effects.requestFor(planned);
    const { fault } = run.mishap;
    if (fault !== undefined) run.sent = { request, served: undefined };
    const answer = (error: ApiError): void =>
      void run.events.push({ event: 'answered', of: index, answer: { ok: false, error } });
    switch (fault) {
      case 'crash-before':
        return this.#die(run, []);
      case 'crash-unsynced':
        return this.#die(run, [this.#explored.unread]);
      case 'crash-late':
        this.#die(run, []);
        run.state = { ...run.state, late: [...run.state.late, planned] };
        return;
      case 'refused':
        return answer(overloaded);
      case 'lost-before':
      case 'lost-before-read-back':
        return answer(noAnswer);
      case 'lost-after':
      case 'lost-after-read-back':
        this.#serve(run, request);
        return answer(noAnswer);
      case 'crash-after':
        this.#serve(run, request);
        run.state = this.#effects.appended(run.state, run.news);
        return this.#die(run, []);
      case undefined: {
        const before = run.state;
        const served = this.#serve(run, request);
        run.wrong ??= this.#oracles.wasted(before, served, sendable(planned));
        run.events.push({ event: 'answered', of: index, answer: served.answer });
      }
    }
  }

  #serve(run: Run, request: Request): Served {
    const served = this.#effects.serve(run.state, request);
    run.wrong ??= this.#oracles.effect(run.state, served, request, run.key, run.cached);
    run.state = this.#effects.stored(run.state, served);
    run.news = [...run.news, ...served.events];
    run.sent = { request, served };
    return served;
  }

  #die(run: Run, unsynced: readonly string[]): void {
    run.died = true;
    run.state = this.#explored.restarted(run.state, unsynced);
  }

  #done(run: Run): Driven {
    const { key, machine, plan, steps, going, underWay, sent, announced, died, wrong } = run;
    let state = run.state;
    if (!died) {
      state = this.#effects.appended(state, run.news);
      if (machine.phase === 'ended') state = this.#ended(state, key, machine);
      else state = withRunning(state, key, { machine, plan, steps, going, underWay });
    }
    return { state, sent, announced, machine, plan, died, wrong };
  }

  #ended(state: State, key: string, { result }: Ended): State {
    const next = withoutRunning(state, key);
    const timers = new Map(next.timers);
    if (this.#explored.world.queueBug !== 'timers-outlive-reconciles') timers.delete(key);
    if (result.end === 'done' && result.afterMs !== 0) {
      if (result.afterMs !== undefined) timers.set(key, state.now + result.afterMs);
      return { ...next, timers };
    }
    return { ...next, timers, dirty: new Set(next.dirty).add(key) };
  }
}

/** The first step that waits for a place. */
export function waitingStep(machine: Reconcile): number | undefined {
  if (!('execution' in machine)) return undefined;
  return machine.execution.open.find(({ waitsFor }) => waitsFor.for === 'place')?.index;
}

const noAnswer = new ApiError({
  fate: 'in-doubt',
  code: 0,
  reason: 'Timeout',
  attempted: 'a write',
  message: 'no answer',
});

const overloaded = refusalOf(503, 'a write', 'overloaded');
