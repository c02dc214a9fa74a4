import { judgeLive, seenLive } from '../src/engine/executor/judge.ts';
import { isAsPlanned } from '../src/engine/plan.ts';
import { targetOf } from '../src/engine/executor/request.ts';
import { endOf } from '../src/engine/reconcile/pass-result.ts';
import type { Decisions } from './decisions.ts';
import { withEchoes } from './echoes.ts';
import type { Effects } from './effects.ts';
import type { Explored } from './explored.ts';
import { inState, sendable } from './planned-step.ts';
import { stepResult } from './short-result.ts';
import type { ShortResult } from './short-result.ts';
import { uidAndGeneration, withRunning, withoutRunning } from './state.ts';
import type { Running, State } from './state.ts';
import { describePlan } from './tell.ts';
import { ifWrong } from './transition.ts';
import type { Transition } from './transition.ts';

/** What comes of a report, and what is wrong with it. */
type Afterwards = Pick<Transition, 'next' | 'wrong'>;

/** How a pass begins, goes on from its plan to its report, and ends: as the engine runs it. */
export class Passes {
  readonly #explored: Explored;
  readonly #decisions: Decisions;
  readonly #effects: Effects;

  constructor(explored: Explored, decisions: Decisions, effects: Effects) {
    this.#explored = explored;
    this.#decisions = decisions;
    this.#effects = effects;
  }

  /** Observe and plan. `seen`: what of the news has arrived, for people. */
  begin(state: State, key: string, seen: () => string): Transition {
    const dirty = new Set(state.dirty);
    dirty.delete(key);
    const settled = this.#settle({ ...state, dirty }, key);
    const local = this.#explored.canonical.content(settled.caches.known, settled.unsynced);
    const { plan, wrong } = this.#decisions.planFor(local, settled, key);
    const head = (): string => `the operator looks at ${key} (${seen()})`;
    if (plan === 'gone') return { label: () => `${head()}: it is gone`, next: settled, ...ifWrong(wrong) };
    const steps = inState(plan.steps, local);
    const parent = uidAndGeneration(this.#explored.parentIn(settled, key));
    const running: Running = { phase: 'plan', plan, parent, steps, results: [], planned: [] };
    const label = (): string => `${head()}:${describePlan(plan.plan)}`;
    const confirmed = this.#confirm(settled, running);
    if (confirmed !== undefined) {
      return {
        label: () => `${label()}\n     what it is for is another one by now: nothing is sent`,
        next: withRunning(confirmed, key, nothingSent(running)),
        ...ifWrong(wrong),
      };
    }
    if (steps.length > 0) return { label, next: withRunning(settled, key, running), ...ifWrong(wrong) };
    const reported = this.#reported(settled, key, running);
    return { label, next: reported.next, ...ifWrong(wrong ?? reported.wrong) };
  }

  /** Observe again and report. */
  report(state: State, key: string, running: Running, seen: () => string): Transition {
    const label = (): string => `the operator looks again at ${key} (${seen()}) and reports`;
    const { next, wrong } = this.#reported(state, key, running);
    return { label, next, ...ifWrong(wrong) };
  }

  /** One step is done with. */
  advanced(state: State, key: string, running: Running, result: ShortResult): State {
    const next: Running = { ...running, results: [...running.results, result] };
    if (next.results.length < next.steps.length) return withRunning(state, key, next);
    if (next.phase === 'status') return this.#finished(state, key, next);
    return withRunning(state, key, { ...next, phase: 'report', steps: [] });
  }

  /**
   * The live read before the first request of a plan (decision 14), at the moment of the plan: what happens between the two is
   * no other than a cache that is behind by so much more. Yields what was learned where the plan is for something that is no more.
   */
  #confirm(state: State, { plan: { plan }, steps }: Running): State | undefined {
    const { guard } = plan;
    const writes = steps.some(({ step }) => step.do !== 'event');
    const { bug } = this.#explored.world;
    const isBlind = bug === 'plans-unconfirmed' || bug === 'nothing-read-live';
    if (guard === undefined || !writes || isBlind) return undefined;
    const { resource, key, uid } = guard;
    const { answer } = this.#effects.serve(state, { verb: 'get', resource, key });
    const live = answer.ok ? answer.object : undefined;
    if (isAsPlanned(guard, live)) return undefined;
    return withEchoes(this.#effects.learn(state, seenLive(resource, key, uid, live)));
  }

  /** What is in doubt is read before its key is planned again. */
  #settle(state: State, key: string): State {
    const doubts = state.inDoubt.get(key);
    if (doubts === undefined) return state;
    const inDoubt = new Map(state.inDoubt);
    inDoubt.delete(key);
    let next: State = { ...state, inDoubt };
    if (this.#explored.world.bug === 'in-doubt-ignored') return next;
    for (const { step, error } of doubts) {
      const write = sendable(step);
      const { answer } = this.#effects.serve(next, { verb: 'get', ...targetOf(write) });
      const { learned } = judgeLive(write, error, answer.ok ? answer.object : undefined);
      next = withEchoes(this.#effects.learn(next, learned));
    }
    return next;
  }

  #reported(state: State, key: string, running: Running): Afterwards {
    const outdated = uidAndGeneration(this.#explored.parentIn(state, key)) !== running.parent;
    if (outdated && this.#explored.world.bug !== 'status-of-older-spec') {
      const dirty = new Set(state.dirty).add(key);
      return { next: withoutRunning({ ...state, dirty }, key) };
    }
    const local = this.#explored.canonical.content(state.caches.known, state.unsynced);
    const { steps: status, wrong } = this.#decisions.reportFor(local, state, key, running);
    if (status === 'gone') return { next: withoutRunning(state, key) };
    const steps = inState(status, local);
    const writing: Running = { ...running, phase: 'status', steps, results: [], planned: running.results };
    const next = steps.length === 0 ? this.#finished(state, key, writing) : withRunning(state, key, writing);
    return { next, ...ifWrong(wrong) };
  }

  #finished(state: State, key: string, running: Running): State {
    const results = [...running.planned, ...running.results].map((result) => stepResult(result));
    const end = endOf({ results }, running.plan.plan, state.now);
    const next = withoutRunning(state, key);
    const timers = new Map(next.timers);
    if (this.#explored.world.bug !== 'timers-outlive-passes') timers.delete(key);
    if (end.end === 'settled') {
      if (end.afterMs !== undefined) timers.set(key, state.now + end.afterMs);
      return { ...next, timers };
    }
    if (this.#explored.world.bug === 'no-requeue') return { ...next, timers };
    return { ...next, timers, dirty: new Set(next.dirty).add(key) };
  }
}

function nothingSent(running: Running): Running {
  const results = running.steps.map((): ShortResult => ({ did: 'skipped', because: 'plan-outdated' }));
  return { ...running, phase: 'report', steps: [], results };
}
