import type { Reconcile } from '../../src/engine/reconcile/machine.ts';
import type { Outcome, StepResult } from '../../src/engine/step.ts';
import type { Served } from '../model/api-server.ts';
import { waitingStep } from './drive.ts';
import type { Drive, Driven } from './drive.ts';
import type { Mishap } from './run.ts';
import type { Effects } from './effects.ts';
import type { Explored } from './explored.ts';
import type { Oracles } from './oracles.ts';
import type { Running, State } from './state.ts';
import { describePlan, describeRequest } from '../describe.ts';
import { ifWrong } from './transition.ts';
import type { Transition } from './transition.ts';
import type { Fault } from '../world.ts';

/** What a process sends that should be silent is under way when its successor begins. */
const silenced = { deposed: true, fault: 'crash-late' } as const;

/** What can become of the reconciles of a state, as transitions that people can read. */
export class Reconciles {
  readonly #explored: Explored;
  readonly #effects: Effects;
  readonly #drive: Drive;
  readonly #oracles: Oracles;

  constructor(explored: Explored, effects: Effects, drive: Drive, oracles: Oracles) {
    this.#explored = explored;
    this.#effects = effects;
    this.#drive = drive;
    this.#oracles = oracles;
  }

  /** Observe and plan. `seen`: which events have arrived, for people. */
  begin(state: State, key: string, seen: () => string): readonly Transition[] {
    const dirty = new Set(state.dirty);
    dirty.delete(key);
    return this.#orHeld({ ...state, dirty }, (from, mishap) => {
      const driven = this.#drive.begin(from, key, mishap);
      const label = (): string => {
        const head = `the operator reconciles ${key} (${seen()})`;
        if (driven.plan === undefined) return `${head}: it is gone`;
        const text = `${head}:${describePlan(driven.plan.plan)}`;
        return isUnconfirmed(driven)
          ? `${text}\n     what it is for is another one by now: nothing is sent`
          : text;
      };
      return { driven, label };
    });
  }

  /** Observe again and report. */
  report(state: State, key: string, running: Running, seen: () => string): readonly Transition[] {
    return this.#orHeld(state, (from, mishap) => {
      const driven = this.#drive.observeAgain(from, key, running, mishap);
      const label = (): string => `the operator observes ${key} again (${seen()}) and reports`;
      return { driven, label };
    });
  }

  /** What the status writes begin with, and the same where the pace holds them back. */
  #orHeld(
    state: State,
    drive: (from: State, mishap: Mishap) => { readonly driven: Driven; readonly label: () => string },
  ): readonly Transition[] {
    const { driven, label } = drive(state, {});
    const usual: Transition = { label, next: driven.state, ...ifWrong(driven.wrong) };
    const left = state.left.get('hold') ?? 0;
    if (left === 0 || driven.machine.phase !== 'writing-status') return [usual];
    const held = drive({ ...state, left: new Map(state.left).set('hold', left - 1) }, { held: true });
    const heldLabel = (): string => `${held.label()}; the status is held back`;
    return [usual, { label: heldLabel, next: held.driven.state, extra: 'budget' }];
  }

  /** What can become of the next step of a reconcile, or of what it has under way. */
  steps(state: State, key: string, running: Running): readonly Transition[] {
    const { atOnce = 1 } = this.#explored.world;
    if (atOnce === 1) return this.#nextStep(state, key, running);
    const leaving = running.underWay.length < atOnce ? this.#leaving(state, key, running) : [];
    return [
      ...leaving,
      ...running.underWay.flatMap(({ index }) => this.#arriving(state, key, running, index)),
    ];
  }

  /** Dropped, or its request leaves. */
  #leaving(state: State, key: string, running: Running): readonly Transition[] {
    const driven = this.#drive.leave(state, key, running);
    const index = waitingStep(running.machine);
    if (driven === undefined || index === undefined) return [];
    const { sent } = driven;
    const label = (): string =>
      sent === undefined
        ? `a step is dropped: ${describeResult(resultIn(driven, running.machine, index))}`
        : `${describeRequest(sent.request)} leaves`;
    return [{ label, next: driven.state, fair: [`step ${key}`], ...ifWrong(driven.wrong) }];
  }

  /** Served, or any of the world's faults. */
  #arriving(state: State, key: string, running: Running, index: number): readonly Transition[] {
    const driven = this.#drive.arrive(state, key, running, index);
    const { sent } = driven;
    if (sent?.served === undefined) throw new Error(`nothing was under way for step ${index}`);
    const { request, served } = sent;
    const result = resultIn(driven, running.machine, index);
    const answered: Transition = {
      label: () => `${describeRequest(request)} → ${describeResult(result, served)}`,
      next: driven.state,
      fair: [`answer ${key} ${index}`],
      effect: served.events.length > 0,
      ...ifWrong(driven.wrong),
    };
    return [
      answered,
      ...this.#faults(state, (spent, fault) => this.#drive.arrive(spent, key, running, index, { fault })),
    ];
  }

  /** Dropped, sent and answered, or any of the world's faults. */
  #nextStep(state: State, key: string, running: Running): readonly Transition[] {
    const driven = this.#drive.step(state, key, running);
    const index = waitingStep(running.machine);
    if (driven === undefined || index === undefined) return [];
    const fair = [`step ${key}`];
    const { sent } = driven;
    const result = resultIn(driven, running.machine, index);
    if (sent?.served === undefined) {
      return [{ label: () => `a step is dropped: ${describeResult(result)}`, next: driven.state, fair }];
    }
    const { request, served } = sent;
    const answered: Transition = {
      label: () => `${describeRequest(request)} → ${describeResult(result, served)}`,
      next: driven.state,
      fair,
      effect: served.events.length > 0,
      ...ifWrong(driven.wrong),
    };
    return [
      answered,
      ...this.#faults(state, (spent, fault) => this.#drive.step(spent, key, running, { fault })),
    ];
  }

  #faults(state: State, drive: (spent: State, fault: Fault) => Driven | undefined): readonly Transition[] {
    const left = state.left.get('fault') ?? 0;
    if (left === 0) return [];
    const spent = { ...state, left: new Map(state.left).set('fault', left - 1) };
    return this.#explored.world.faults.map((fault) => this.#faulty(fault, drive(spent, fault)));
  }

  /**
   * Leadership ends while a reconcile runs, and another process leads. What the old one sends all the same arrives at any later
   * moment.
   */
  deposed(state: State, key: string, running: Running): Transition {
    let driven = this.#drive.step(state, key, running, silenced);
    for (let still = running; driven?.died === false;) {
      const next = driven.state.running.get(key);
      if (next === undefined || next === still) break;
      still = next;
      driven = this.#drive.step(driven.state, key, still, silenced);
    }
    const { sent, state: after, died = false } = driven ?? { sent: undefined, state };
    const what = sent === undefined ? '' : `, and ${describeRequest(sent.request)} leaves all the same`;
    return {
      label: () => `the leader is deposed in mid plan${what}`,
      next: died ? after : this.#explored.restarted(state, []),
      extra: 'budget',
    };
  }

  /** A request of a dead process arrives. */
  late(state: State, index: number): Transition | undefined {
    const step = state.late[index];
    if (step === undefined) return undefined;
    const request = this.#effects.requestFor(step);
    const served = this.#effects.serve(state, request);
    const { answer } = served;
    const arrived = this.#effects.stored({ ...state, late: state.late.toSpliced(index, 1) }, served);
    return {
      label: () =>
        `the dead operator's ${describeRequest(request)} arrives late → ${answer.ok ? 'done' : answer.error.reason}`,
      next: this.#effects.appended(arrived, served.events),
      fair: ['late'],
      effect: served.events.length > 0,
      ...ifWrong(this.#oracles.effect(state, served, request, undefined)),
    };
  }

  #faulty(fault: Fault, driven: Driven | undefined): Transition {
    if (driven?.sent === undefined) throw new Error(`nothing was sent that could be ${fault}`);
    const { request, served } = driven.sent;
    return {
      label: () =>
        fault === 'crash-unsynced'
          ? `the operator dies; its successor has not read ${this.#explored.unread}`
          : `${describeRequest(request)}${whatHappens[fault]}`,
      next: driven.state,
      extra: 'budget',
      ...(served === undefined ? {} : { effect: served.events.length > 0 }),
      ...ifWrong(driven.wrong),
    };
  }
}

const whatHappens: Readonly<Record<Exclude<Fault, 'crash-unsynced'>, string>> = {
  'crash-before': ': the operator dies before sending',
  'crash-after': ': the operator dies after it took effect',
  'crash-late': ': the operator dies with the request under way',
  refused: ' → 503',
  'lost-before': ': lost on the way, no answer',
  'lost-after': ': took effect, the response is lost',
  'lost-before-read-back': ': lost on the way, no answer; what there is can be read',
  'lost-after-read-back': ': took effect, the response is lost; what there is can be read',
};

/** Nothing was sent, because the plan was for something that is no more. */
function isUnconfirmed({ announced: { plan }, sent }: Driven): boolean {
  const results = plan?.results ?? [];
  const isOutdated = (result: StepResult): boolean =>
    result.did === 'skipped' && result.because === 'plan-outdated';
  return sent === undefined && results.length > 0 && results.every(isOutdated);
}

/** What a step did that was under way in the machine before. */
function resultIn(
  { announced, machine }: Driven,
  { phase }: Reconcile,
  index: number,
): StepResult | undefined {
  const outcome: Outcome | undefined = announced[phase === 'executing' ? 'plan' : 'status'];
  if (outcome !== undefined) return outcome.results[index];
  if (!('execution' in machine)) return undefined;
  let results = machine.execution.results;
  while (results !== undefined && results.index !== index) results = results.before;
  return results?.result;
}

function describeResult(result: StepResult | undefined, served?: Served): string {
  if (result?.did === 'failed') return `${result.error.reason}: ${result.error.message}`;
  if (result?.did === 'skipped') return result.because;
  if (result?.adopted === true) return 'it was there and is ours';
  return served?.events.length === 0 ? 'unchanged' : 'done';
}
