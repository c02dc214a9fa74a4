import { ApiError } from '@atoll/kube';
import type { KubeObject, Stored } from '@atoll/kube';
import { mayStillRun } from '../src/engine/executor/may-still-run.ts';
import { isForsaken } from '../src/engine/follows.ts';
import { judge, judgeLive, seenLive } from '../src/engine/executor/judge.ts';
import { allowedBy } from '../src/engine/plan.ts';
import type { Guard } from '../src/engine/plan.ts';
import { targetOf } from '../src/engine/executor/request.ts';
import { isAsSeen } from '../src/engine/seen.ts';
import type { Step, StepResult } from '../src/engine/step.ts';
import type { Served } from './api-server.ts';
import type { Effects } from './effects.ts';
import type { Explored } from './explored.ts';
import type { Oracles } from './oracles.ts';
import type { Passes } from './passes.ts';
import { sendable } from './planned-step.ts';
import type { PlannedStep } from './planned-step.ts';
import { shortResult, stepResult } from './short-result.ts';
import type { ShortResult } from './short-result.ts';
import { withDoubt } from './state.ts';
import type { Running, State } from './state.ts';
import { slotOf, storedOf } from './store.ts';
import { describeRequest } from './tell.ts';
import { ifWrong } from './transition.ts';
import type { Transition } from './transition.ts';
import type { Fault } from './world.ts';

/** What can become of the next step of a running pass: dropped, sent, or any of the world's faults. */
export class Sending {
  readonly #explored: Explored;
  readonly #effects: Effects;
  readonly #passes: Passes;
  readonly #oracles: Oracles;

  constructor(explored: Explored, effects: Effects, passes: Passes, oracles: Oracles) {
    this.#explored = explored;
    this.#effects = effects;
    this.#passes = passes;
    this.#oracles = oracles;
  }

  next(state: State, key: string, running: Running): readonly Transition[] {
    const step = running.phase === 'report' ? undefined : running.steps[running.results.length];
    if (step === undefined) return [];
    const fair = [`step ${key}`];
    const obstacle = this.#obstacle(state, running, step);
    if (obstacle !== undefined) {
      const label = (): string =>
        obstacle.did === 'skipped' ? `a step is dropped: ${obstacle.because}` : 'an event is recorded';
      return [{ label, next: this.#passes.advanced(state, key, running, obstacle), fair }];
    }
    const sent: Transition = { ...this.#send(state, key, running, step), fair };
    const faultsLeft = state.left.get('fault') ?? 0;
    if (faultsLeft === 0) return [sent];
    const spent = { ...state, left: new Map(state.left).set('fault', faultsLeft - 1) };
    const faulty = this.#explored.world.faults.map((fault): Transition => ({
      ...this.#faulty(spent, key, running, step, fault),
      extra: 'budget',
    }));
    return [sent, ...faulty];
  }

  /** A request of a dead process arrives. */
  late(state: State, index: number): Transition | undefined {
    const step = state.late[index];
    if (step === undefined) return undefined;
    const request = this.#effects.requestFor(step);
    const served = this.#effects.serve(state, request);
    const { answer } = served;
    return {
      label: () =>
        `the dead operator's ${describeRequest(request)} arrives late → ${answer.ok ? 'done' : answer.error.reason}`,
      next: this.#effects.taken({ ...state, late: state.late.toSpliced(index, 1) }, served),
      fair: ['late'],
      effect: served.events.length > 0,
      ...ifWrong(this.#oracles.effect(state, served, request, undefined)),
    };
  }

  #obstacle(state: State, running: Running, planned: PlannedStep): ShortResult | undefined {
    const { step } = planned;
    const { bug } = this.#explored.world;
    if (step.do === 'event') return { did: 'done', adopted: false };
    const unfinished = running.results.some((result) => result.did !== 'done');
    const failed = running.results.some((result) => result.did === 'failed');
    const blocked = (planned.afterSuccess && unfinished) || isForsaken(step, earlierResults(running, step));
    if (blocked || (bug === 'stop-at-first-error' && failed)) {
      return { did: 'skipped', because: 'earlier-stage-failed' };
    }
    const { guard } = running.plan.plan;
    if (guard === undefined || running.phase === 'status' || bug === 'guard-ignored') return undefined;
    const slot = slotOf(guard.resource, guard.key);
    const held = state.caches.known.get(slot);
    const allowed = allowedBy(guard, held === undefined ? undefined : storedOf(held));
    if (!mayStillRun(step, allowed)) return { did: 'skipped', because: 'plan-outdated' };
    const isBlind = bug === 'irreversible-from-cache' || bug === 'nothing-read-live';
    if (isBlind) return undefined;
    const live = (of: Pick<Guard, 'resource' | 'key'>): Stored<KubeObject> | undefined => {
      const found = state.store.objects.get(slotOf(of.resource, of.key));
      return found === undefined ? undefined : storedOf(found);
    };
    const { irreversible, restsOn = [] } = step;
    const confirmed =
      restsOn.every((seen) => isAsSeen(seen, live(seen))) &&
      (irreversible !== true || allowedBy(guard, live(guard)) === 'everything');
    return confirmed ? undefined : { did: 'skipped', because: 'plan-outdated' };
  }

  #send(state: State, key: string, running: Running, step: PlannedStep): Transition {
    const { bug } = this.#explored.world;
    const write = sendable(step);
    const request = this.#effects.requestFor(step);
    const served = this.#effects.serve(state, request);
    let settled = judge(write, served.answer);
    if (!('settled' in settled)) {
      const { answer } = this.#effects.serve(state, { verb: 'get', ...targetOf(write) }, served);
      settled = judgeLive(write, settled.error, answer.ok ? answer.object : undefined);
      if (bug === 'taken-name-is-success') settled = { ...settled, settled: { step: write, did: 'done' } };
    }
    if ('readBack' in settled) {
      const { resource, key: target } = targetOf(write);
      const { answer } = this.#effects.serve(state, { verb: 'get', resource, key: target }, served);
      const uid = 'uid' in write ? write.uid : undefined;
      settled = {
        ...settled,
        learned: seenLive(resource, target, uid, answer.ok ? answer.object : undefined),
      };
    }
    const learned = bug === 'no-write-through' ? [] : settled.learned;
    const result = shortResult(settled.settled);
    const { effect, wasted } = {
      effect: this.#oracles.effect(state, served, request, key),
      wasted: this.#oracles.wasted(state, served, write),
    };
    return {
      label: () => `${describeRequest(request)} → ${describeResult(result, served)}`,
      next: this.#passes.advanced(this.#effects.taken(state, served, learned), key, running, result),
      effect: served.events.length > 0,
      ...ifWrong(effect ?? wasted),
    };
  }

  #faulty(state: State, key: string, running: Running, step: PlannedStep, fault: Fault): Transition {
    const request = this.#effects.requestFor(step);
    const told = (what: string) => (): string => `${describeRequest(request)}${what}`;
    const failed = (from: State, error: ApiError): State =>
      this.#passes.advanced(from, key, running, { did: 'failed', error });
    switch (fault) {
      case 'crash-before':
        return {
          label: told(': the operator dies before sending'),
          next: this.#explored.restarted(state, []),
        };
      case 'crash-unsynced': {
        const { caches, parent, world } = this.#explored;
        const [first = ''] = [...caches.keys()].filter((name) => name !== parent);
        const { unread = first } = world;
        return {
          label: () => `the operator dies; its successor has not read ${unread}`,
          next: this.#explored.restarted(state, [unread]),
        };
      }
      case 'crash-late': {
        const next = this.#explored.restarted(state, []);
        return {
          label: told(': the operator dies with the request under way'),
          next: { ...next, late: [...next.late, step] },
        };
      }
      case 'refused':
        return { label: told(' → 503'), next: failed(state, overloaded) };
      case 'lost-before': {
        const doubtful = withDoubt(state, key, { step, error: noAnswer });
        return { label: told(': lost on the way, no answer'), next: failed(doubtful, noAnswer) };
      }
      case 'lost-after':
      case 'crash-after': {
        const served = this.#effects.serve(state, request);
        const taken = this.#effects.taken(state, served);
        const oracle = {
          effect: served.events.length > 0,
          ...ifWrong(this.#oracles.effect(state, served, request, key)),
        };
        if (fault === 'crash-after') {
          const next = this.#explored.restarted(taken, []);
          return { label: told(': the operator dies after it took effect'), next, ...oracle };
        }
        const doubtful = withDoubt(taken, key, { step, error: noAnswer });
        const next = failed(doubtful, noAnswer);
        return { label: told(': took effect, the response is lost'), next, ...oracle };
      }
    }
  }
}

/** What became of the plan's steps so far; only for a step that asks. */
function earlierResults({ steps, results }: Running, { follows }: Step): readonly StepResult[] {
  if (follows === undefined) return [];
  return results.flatMap((result, index) => {
    const step = steps[index]?.step;
    return step === undefined || step.do === 'event' ? [] : [stepResult(result, step)];
  });
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

function describeResult(result: ShortResult, served: Served): string {
  if (result.did === 'failed') return `${result.error.reason}: ${result.error.message}`;
  if (result.did === 'skipped') return result.because;
  if (result.adopted) return 'it was there and is ours';
  return served.events.length === 0 ? 'unchanged' : 'done';
}
