import type { Plan } from '../../src/engine/plan.ts';
import { Arrivals } from './arrivals.ts';
import { Decisions } from './decisions.ts';
import { withEchoes } from './echoes.ts';
import { Effects } from './effects.ts';
import { Explored } from './explored.ts';
import { Oracles } from './oracles.ts';
import { Drive } from './drive.ts';
import { Reconciles } from './reconciles.ts';
import type { State } from './state.ts';
import { describeMove } from '../describe.ts';
import { ifWrong } from './transition.ts';
import type { Transition } from './transition.ts';
import { allOf, arrivalsOf, deliveriesDue, pendingResources, prefixes } from './waiting.ts';
import type { Move, Neighbour, World } from '../world.ts';

/** Everything that can happen in a world, state by state. */
export class Transitions {
  readonly #explored: Explored;
  readonly #arrivals: Arrivals;
  readonly #decisions: Decisions;
  readonly #effects: Effects;
  readonly #oracles: Oracles;
  readonly #reconciles: Reconciles;
  readonly #moves = new WeakMap<object, Map<Neighbour, readonly Move[]>>();

  constructor(world: World) {
    this.#explored = new Explored(world);
    this.#arrivals = new Arrivals(this.#explored);
    this.#decisions = new Decisions(this.#explored);
    this.#effects = new Effects(this.#explored, this.#arrivals);
    this.#oracles = new Oracles(this.#explored);
    const drive = new Drive(this.#explored, this.#decisions, this.#effects, this.#oracles);
    this.#reconciles = new Reconciles(this.#explored, this.#effects, drive, this.#oracles);
  }

  get plans(): readonly Plan[] {
    return this.#decisions.plans;
  }

  begin(): State {
    return this.#explored.begin();
  }

  /** One text for all states that behave alike. */
  text(state: State): string {
    return this.#explored.canonical.text(state);
  }

  /** All that can happen in the state, in a fixed order, so that a trace can be repeated. */
  from(state: State): readonly Transition[] {
    return this.#found(state).map((transition) => ({
      ...transition,
      next: this.#explored.canonical.form(withEchoes(transition.next)),
    }));
  }

  #found(state: State): readonly Transition[] {
    const found: Transition[] = [];
    this.#neighbours(state, found, ({ prompt = false }) => prompt);
    if (found.length > 0) return found;
    this.#syncs(state, found);
    this.#deliveriesAndReconciles(state, found);
    this.#parentDuringPlan(state, found);
    for (const [key, running] of state.running) found.push(...this.#reconciles.steps(state, key, running));
    this.#neighbours(state, found, ({ prompt = false }) => !prompt);
    this.#failOver(state, found);
    this.#deposed(state, found);
    for (const index of state.late.keys()) {
      const late = this.#reconciles.late(state, index);
      if (late !== undefined) found.push(late);
    }
    const busy = found.some(({ extra }) => extra === undefined);
    if (this.#explored.world.patient !== true || !busy) {
      this.#timers(state, found);
      this.#ticks(state, found);
    }
    return found;
  }

  #syncs(state: State, found: Transition[]): void {
    for (const resource of state.unsynced) {
      const unsynced = new Set(state.unsynced);
      unsynced.delete(resource);
      const dirty = new Set([...state.dirty, ...this.#explored.enqueuedBy(resource)]);
      found.push({
        label: () => `the operator has read ${resource}`,
        next: { ...state, unsynced, dirty },
        fair: [`sync ${resource}`],
      });
    }
  }

  #deliveriesAndReconciles(state: State, found: Transition[]): void {
    const { keys, spurious } = this.#explored.world;
    const resources = pendingResources(state);
    const limits = resources.map((resource) => allOf(state, resource));
    const deliveries = deliveriesDue(state);
    for (const counts of prefixes(limits)) {
      const full = counts.every((count, at) => count === limits[at]);
      const arrivals = arrivalsOf(deliveries, resources, counts, limits);
      const delivered = this.#arrivals.deliver(state, resources, counts);
      const seen = (): string => seenText(resources, counts);
      for (const key of keys) {
        const running = state.running.get(key);
        if (running?.machine.phase === 'observing-again') {
          const reports = this.#reconciles.report(delivered, key, running, seen);
          found.push(...reports.map(fairly([`report ${key}`, ...arrivals])));
        }
        if (running !== undefined) continue;
        if (delivered.dirty.has(key)) {
          const begun = this.#reconciles.begin(delivered, key, seen);
          found.push(...begun.map(fairly([`reconcile ${key}`, ...arrivals])));
        } else if (spurious !== false && (full || counts.every((count) => count === 0))) {
          const causeless = (): string => `${seen()}, for no reason`;
          const [begun] = this.#reconciles.begin(delivered, key, causeless);
          if (begun !== undefined) found.push({ ...begun, extra: 'spurious' });
        }
      }
      const nothingElse = [...delivered.dirty].every((key) => state.running.has(key));
      if (full && resources.length > 0 && nothingElse && state.running.size === 0) {
        found.push({ label: () => `the operator's caches catch up`, next: delivered, fair: arrivals });
      }
    }
  }

  /** The one delivery that matters inside a plan: the executor asks for the parent in its cache before each send (F8). */
  #parentDuringPlan(state: State, found: Transition[]): void {
    const { parent } = this.#explored;
    const waiting = state.pending.get(parent)?.length ?? 0;
    const inPlan = [...state.running.values()].some(({ machine }) => machine.phase === 'executing');
    if (waiting === 0 || !inPlan) return;
    const next = this.#arrivals.deliver(state, [parent], [waiting]);
    found.push({ label: () => `the cache of ${parent} gets the change in mid plan`, next });
  }

  #neighbours(state: State, found: Transition[], whose: (neighbour: Neighbour) => boolean): void {
    for (const neighbour of this.#explored.world.neighbours.filter(whose)) {
      const budget = neighbour.spends;
      const left = budget === undefined ? 1 : (state.left.get(budget) ?? 0);
      if (left === 0) continue;
      for (const move of this.#movesOf(neighbour, state)) {
        const served = this.#effects.serve(state, move.operation);
        if (served.events.length === 0) continue;
        let next = this.#effects.taken(state, served);
        if (budget !== undefined) next = { ...next, left: new Map(next.left).set(budget, left - 1) };
        found.push({
          label: () => describeMove(neighbour.name, move.label),
          next,
          ...(budget === undefined ? { fair: [`${neighbour.name} ${move.label}`] } : { extra: 'budget' }),
          ...ifWrong(this.#oracles.state(next.store, next.memory)),
        });
      }
    }
  }

  #failOver(state: State, found: Transition[]): void {
    const left = state.left.get('fail-over') ?? 0;
    if (left === 0) return;
    const spent = { ...state, left: new Map(state.left).set('fail-over', left - 1) };
    const { standStill = [this.#explored.parent] } = this.#explored.world;
    found.push({
      label: () => `the leader dies; its successor's watch of ${standStill.join(', ')} has stood still`,
      next: this.#explored.succeeded(spent),
      extra: 'budget',
    });
  }

  #deposed(state: State, found: Transition[]): void {
    const left = state.left.get('depose') ?? 0;
    if (left === 0) return;
    const spent = { ...state, left: new Map(state.left).set('depose', left - 1) };
    for (const [key, running] of state.running) found.push(this.#reconciles.deposed(spent, key, running));
  }

  /** They look at the store and at nothing else. */
  #movesOf(neighbour: Neighbour, { store }: State): readonly Move[] {
    const known = this.#moves.get(store.objects) ?? new Map<Neighbour, readonly Move[]>();
    this.#moves.set(store.objects, known);
    const moves = known.get(neighbour) ?? neighbour.moves(store);
    known.set(neighbour, moves);
    return moves;
  }

  #timers(state: State, found: Transition[]): void {
    const [first] = [...state.timers].sort(([, a], [, b]) => a - b);
    const left = state.left.get('time');
    if (first === undefined || left === 0) return;
    const [key, at] = first;
    const timers = new Map(state.timers);
    timers.delete(key);
    const next = {
      ...state,
      timers,
      now: Math.max(state.now, at),
      dirty: new Set(state.dirty).add(key),
      left: left === undefined ? state.left : new Map(state.left).set('time', left - 1),
    };
    found.push({
      label: () => `time passes until ${new Date(next.now).toISOString()}`,
      next,
      fair: ['time'],
    });
  }

  #ticks(state: State, found: Transition[]): void {
    const left = state.left.get('tick') ?? 0;
    if (left === 0) return;
    const { tickMs = 1_000 } = this.#explored.world;
    const next = { ...state, now: state.now + tickMs, left: new Map(state.left).set('tick', left - 1) };
    found.push({ label: () => `${tickMs / 1_000} s pass`, next, extra: 'budget' });
  }
}

/** What spends a budget is no part of what happens for ever. */
function fairly(fair: readonly string[]): (transition: Transition) => Transition {
  return (transition) => (transition.extra === undefined ? { ...transition, fair } : transition);
}

function seenText(resources: readonly string[], counts: readonly number[]): string {
  const seen = resources.map((resource, at) => {
    const count = counts[at] ?? 0;
    return `${count} event${count === 1 ? '' : 's'} of ${resource}`;
  });
  return seen.length === 0 ? 'no events' : seen.join(', ');
}
