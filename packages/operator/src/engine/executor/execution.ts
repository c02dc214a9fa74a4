import { groupResourceOf, type ApiError } from '@atoll/kube';
import type { Plan, Stage } from '../plan.ts';
import type { Outcome, SkipReason, Step, StepResult } from '../step.ts';
import type { ExecutionCommand, ExecutionEvent, Memory } from './commands.ts';
import { answerToConfirmation, commandOf, confirmationsOf, namespaceOf } from './confirmation.ts';
import type { Confirmation } from './confirmation.ts';
import type { Facts, Turn } from './facts.ts';
import { answered, cacheOf, nothingSent, placed, readLive } from './open-step.ts';
import type { Advanced, OpenStep } from './open-step.ts';
import type { RefusedSteps } from './answers/refusals.ts';
import { inPlanOrder } from './results.ts';
import type { Results } from './results.ts';
import type { ExecutionRules } from './rules.ts';
import { firstWave, withResult, withStarted } from './request-waves.ts';
import type { RequestWaves } from './request-waves.ts';
import { requestClassOf, stepId } from './step-id.ts';

/** What carrying out a plan is given. */
export interface ExecutionOf {
  readonly plan: Plan;
  /** Requests of one key that are under way at once, in a stage that starts slowly. */
  readonly bound: number;
  readonly memory: Memory;
  /** Steps that were refused and are not due yet: they fail with the answer that they got, unsent. */
  readonly heldBack: RefusedSteps | undefined;
}

/**
 * A plan that is being carried out. Steps are named by their index in the plan, so that this is small: what grows with the plan
 * are the results, and they share all but the last with the state before.
 */
export interface Execution extends ExecutionOf {
  /** The steps of all stages. */
  readonly steps: readonly Step[];
  /** The index of the live read or list that confirms the plan; undefined: it is confirmed. */
  readonly confirming: number | undefined;
  /** The stage that runs; as many as there are: it is over. */
  readonly stage: number;
  /** Steps of the stage in the order in which they are started, and how many of them have been. */
  readonly queue: readonly number[];
  readonly taken: number;
  /** Absent where all steps of the stage may be under way at once. */
  readonly pace: RequestWaves | undefined;
  readonly open: readonly OpenStep[];
  readonly results: Results | undefined;
  /** Every step so far is done. */
  readonly allDone: boolean;
}

/**
 * A stage without slow start keeps so many times the bound waiting for places: more than are ever under way, and few enough to
 * share with other keys.
 */
const stagesAtOnce = 4;

/** Collects what one event leads to. */
interface Draft {
  state: Execution;
  readonly commands: ExecutionCommand[];
  readonly facts: Facts;
  readonly rules: ExecutionRules;
}

/**
 * Begins a plan: its parent is read live before the first request, so that nothing is sent for a spec that is no more, however old
 * the cache is (decision 14).
 */
export function beginExecution(
  of: ExecutionOf,
  facts: Facts,
  rules: ExecutionRules,
): Turn<Execution, ExecutionCommand> {
  const steps = of.plan.stages.flatMap((stage) => stage.steps);
  const first: Execution = {
    ...of,
    steps,
    confirming: undefined,
    stage: -1,
    queue: [],
    taken: 0,
    pace: undefined,
    open: [],
    results: undefined,
    allDone: true,
  };
  const draft: Draft = { state: first, commands: [], facts, rules };
  const [check] = confirmationsOf(of.plan, rules);
  if (check !== undefined && firstToSend(first) !== undefined) {
    draft.state = { ...first, confirming: 0 };
    const resource = `${groupResourceOf(check.resource)} read`;
    draft.commands.push({
      command: 'place',
      of: 'plan',
      class: { resource, namespace: namespaceOf(check) },
    });
  } else goOn(draft);
  return { state: draft.state, commands: draft.commands };
}

/** What an event leads to. */
export function continueExecution(
  execution: Execution,
  event: ExecutionEvent,
  facts: Facts,
  rules: ExecutionRules,
): Turn<Execution, ExecutionCommand> {
  const draft: Draft = { state: execution, commands: [], facts, rules };
  if (event.of === 'plan') confirm(draft, event);
  else {
    const open = execution.open.find(({ index }) => index === event.of);
    if (open === undefined) throw new Error(`no step ${event.of} is under way`);
    advance(draft, open, advanced(draft, open, event));
  }
  return { state: draft.state, commands: draft.commands };
}

/** What each step of the plan did, once all is over. */
export function outcomeOf({ stage, plan, results }: Execution): Outcome | undefined {
  return stage < plan.stages.length ? undefined : { results: inPlanOrder(results) };
}

function advanced({ state: { plan }, facts, rules }: Draft, open: OpenStep, event: ExecutionEvent): Advanced {
  switch (event.event) {
    case 'placed':
      return placed(open, plan, facts, rules);
    case 'read':
      return readLive(open, event.read, plan, facts, rules);
    case 'listed':
      throw new Error('a step is never listed for');
    case 'answered':
      return answered(open, event.answer, rules);
  }
}

function advance(draft: Draft, open: OpenStep, { commands, next }: Advanced): void {
  draft.commands.push(...commands);
  const { state } = draft;
  if ('waitsFor' in next) {
    const following = { ...open, waitsFor: next.waitsFor };
    draft.state = { ...state, open: state.open.map((each) => (each === open ? following : each)) };
    return;
  }
  draft.commands.push({ command: 'leave', of: open.index });
  draft.state = { ...state, open: state.open.filter((each) => each !== open) };
  if (next.inDoubt !== undefined) {
    const { memory } = draft.state;
    remember(draft, { ...memory, inDoubt: [...memory.inDoubt, next.inDoubt] });
  }
  finish(draft, open.index, next.result);
  goOn(draft);
}

/** A place for the live reads and lists that confirm the plan, or the answer to one. */
function confirm(draft: Draft, event: ExecutionEvent): void {
  const { state, facts, rules } = draft;
  const confirmations = confirmationsOf(state.plan, rules);
  const { confirming = 0 } = state;
  const confirmation = confirmations[confirming];
  const because = event.event === 'placed' ? rules.mayNotWrite(facts) : undefined;
  const unconfirmed = because === undefined ? undefined : skipAll(state.steps, because);
  if (confirmation === undefined || unconfirmed !== undefined) return confirmed(draft, unconfirmed);
  const answer = answerToConfirmation(confirmation, event, facts);
  if (answer === undefined) return void draft.commands.push(commandOf(confirmation));
  if ('error' in answer) return confirmed(draft, failFirst(state, confirmation, answer.error));
  draft.commands.push(...cacheOf(rules.cached(answer.updates)));
  if (!answer.holds) return confirmed(draft, skipAll(state.steps, 'plan-outdated'));
  const next = confirmations[confirming + 1];
  if (next === undefined) return confirmed(draft, undefined);
  draft.state = { ...state, confirming: confirming + 1 };
  draft.commands.push(commandOf(next));
}

/** `instead`: results of all steps, none of which is sent. */
function confirmed(draft: Draft, instead: readonly StepResult[] | undefined): void {
  draft.commands.push({ command: 'leave', of: 'plan' });
  draft.state = { ...draft.state, confirming: undefined };
  if (instead === undefined) return goOn(draft);
  instead.forEach((result, index) => finish(draft, index, result));
  draft.state = { ...draft.state, stage: draft.state.plan.stages.length };
}

/** Starts what may be started: of this stage, and where that is over, of the next. */
function goOn(draft: Draft): void {
  for (;;) {
    startSteps(draft);
    const { state } = draft;
    if (state.open.length > 0) return;
    endStage(draft);
    const index = state.stage + 1;
    const stage = state.plan.stages[index];
    draft.state = { ...draft.state, stage: index, queue: [], taken: 0, pace: undefined };
    if (stage === undefined) return;
    beginStage(draft, stage);
  }
}

function beginStage(draft: Draft, stage: Stage): void {
  const { state, rules } = draft;
  const first = firstOf(state.plan, state.stage);
  const earlier = stage.steps.some(({ dependsOn = [] }) => dependsOn.length > 0)
    ? inPlanOrder(state.results)
    : [];
  const isStageBlocked = rules.isStageBlocked(stage, state.allDone);
  const queue: number[] = [];
  stage.steps.forEach((step, at) => {
    const index = first + at;
    const waits = isStageBlocked || rules.isBlocked(step, earlier);
    if (waits) finish(draft, index, { step, did: 'skipped', because: 'earlier-stage-failed' });
    else queue.push(index);
  });
  const isSlow = rules.startsSlowly(stage);
  draft.state = {
    ...draft.state,
    queue: isSlow ? rules.inOrder(queue, state) : queue,
    pace: isSlow ? paceOf(stage, state.heldBack === undefined) : undefined,
  };
}

function paceOf({ endsAfter = firstWave.endsAfter, pace }: Stage, isAllDue: boolean): RequestWaves {
  return { ...firstWave, endsAfter, ...(isAllDue ? {} : pace) };
}

function startSteps(draft: Draft): void {
  if (isLeft(draft)) return leave(draft);
  for (;;) {
    const { queue, taken, pace, bound, open } = draft.state;
    const room = pace === undefined ? bound * stagesAtOnce - open.length : draft.rules.roomIn(pace, bound);
    const starting = queue.slice(taken, taken + Math.max(0, room));
    if (starting.length === 0) return;
    const after = pace === undefined ? undefined : withStarted(pace, starting.length, bound);
    draft.state = { ...draft.state, taken: taken + starting.length, pace: after };
    for (const index of starting) start(draft, index);
  }
}

/** Something more urgent has happened than what is not started yet: another spec, a pause. The key is reconciled again at once. */
function isLeft({ state, facts, rules }: Draft): boolean {
  const { plan, queue, taken, stage, memory } = state;
  const isAllStarted = taken === queue.length && stage + 1 >= plan.stages.length;
  return !isAllStarted && rules.isLeft(plan, facts, memory.inDoubt);
}

function leave(draft: Draft): void {
  const { steps, queue, taken, stage, plan } = draft.state;
  const later = firstOf(plan, stage + 1);
  draft.state = { ...draft.state, taken: queue.length, pace: undefined, stage: plan.stages.length - 1 };
  const left = [...queue.slice(taken), ...steps.keys().filter((index) => index >= later)];
  for (const index of left) {
    const step = steps[index];
    if (step !== undefined) finish(draft, index, { step, did: 'skipped', because: 'plan-outdated' });
  }
}

function start(draft: Draft, index: number): void {
  const { steps, heldBack, open } = draft.state;
  const step = steps[index];
  if (step === undefined) return;
  if (step.do === 'event') {
    draft.commands.push({ command: 'record', event: step.event });
    return finish(draft, index, { step, did: 'done' });
  }
  const refusal = heldBack?.get(stepId(step));
  if (refusal !== undefined)
    return finish(draft, index, { step, did: 'failed', error: refusal, heldBack: true });
  draft.commands.push({ command: 'place', of: index, class: requestClassOf(step) });
  draft.state = { ...draft.state, open: [...open, { index, step, waitsFor: { for: 'place' } }] };
}

/** A step has its result. */
function finish(draft: Draft, index: number, result: StepResult): void {
  const { state } = draft;
  const { pace, bound, results, allDone } = state;
  draft.state = {
    ...state,
    results: { index, result, before: results },
    allDone: allDone && result.did === 'done',
    pace: pace === undefined ? undefined : withResult(pace, result.did === 'failed', bound),
  };
}

/** Nothing of the stage is under way any more: what was not started is not started by this plan. */
function endStage(draft: Draft): void {
  const { pace, queue, taken, steps } = draft.state;
  if (pace === undefined) return;
  draft.state = { ...draft.state, pace: undefined, taken: queue.length };
  const { memory } = draft.state;
  const failedLast = new Set(memory.failedLast);
  const skippedLast = new Set(memory.skippedLast);
  for (const index of queue.slice(taken)) {
    const step = steps[index];
    if (step === undefined) continue;
    finish(draft, index, { step, did: 'skipped', because: 'too-many-failures' });
    skippedLast.add(stepId(step));
  }
  const { results } = draft.state;
  const mine = new Set(queue.slice(0, taken));
  for (let each = results; each !== undefined; each = each.before) {
    if (!mine.has(each.index)) continue;
    const id = stepId(each.result.step);
    skippedLast.delete(id);
    if (each.result.did === 'failed') failedLast.add(id);
    else failedLast.delete(id);
  }
  const before = memory.failedLast.size + memory.skippedLast.size;
  const isSame = failedLast.size + skippedLast.size + before === 0;
  if (!isSame) remember(draft, { ...memory, failedLast, skippedLast });
}

function remember(draft: Draft, memory: Memory): void {
  draft.state = { ...draft.state, memory };
  draft.commands.push({ command: 'remember', memory });
}

/** The first step that asks the API server for anything. */
function firstToSend({ steps, heldBack }: Execution): Step | undefined {
  return steps.find((step) => step.do !== 'event' && heldBack?.has(stepId(step)) !== true);
}

function firstOf({ stages }: Plan, stage: number): number {
  return stages.slice(0, stage).reduce((sum, { steps }) => sum + steps.length, 0);
}

function skipAll(steps: readonly Step[], because: SkipReason): readonly StepResult[] {
  return steps.map((step) => ({ step, did: 'skipped', because }));
}

/** One step has the reason why nothing is sent, for all. */
function failFirst(execution: Execution, { resource }: Confirmation, read: ApiError): readonly StepResult[] {
  const first = firstToSend(execution);
  const error = nothingSent(read, { resource });
  return execution.steps.map((step) =>
    step === first
      ? { step, did: 'failed', error }
      : { step, did: 'skipped', because: 'earlier-stage-failed' },
  );
}
