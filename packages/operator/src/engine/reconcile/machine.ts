import type { Instant, KubeObject, ObjectKey, Resource, Stored } from '@atoll/kube';
import type { ExecutionCommand, ExecutionEvent, Live, Memory } from '../executor/commands.ts';
import { beginExecution, continueExecution, outcomeOf } from '../executor/execution.ts';
import type { Execution } from '../executor/execution.ts';
import type { Facts, Turn } from '../executor/facts.ts';
import { cacheOf } from '../executor/open-step.ts';
import type { RefusedSteps } from '../executor/answers/refusals.ts';
import { targetOf } from '../executor/requests/request.ts';
import type { Plan } from '../plan.ts';
import { refusedAfter, type RefusedTrials } from '../refused-trials.ts';
import type { Outcome } from '../step.ts';
import type { ReconcileEnd } from './reconcile-end.ts';
import type { ParentSeen, Rules } from './rules.ts';

/** What a reconcile is for, and what it was given. */
interface Given {
  readonly resource: Resource<KubeObject>;
  readonly key: ObjectKey;
  /** Requests under way at once in a stage that starts slowly. */
  readonly bound: number;
  readonly memory: Memory;
}

interface Observed extends Given {
  /** The object as it was when it was observed. */
  readonly parent: ParentSeen;
  /** The status was, or could not be, written before the plan. */
  readonly acknowledged: boolean;
}

interface Planned extends Observed {
  readonly plan: Plan;
}

interface Executed extends Planned {
  readonly outcome: Outcome;
}

/** Where a reconcile is. */
export type Reconcile =
  | (Given & { readonly phase: 'resolving'; readonly doubt: number })
  | (Given & { readonly phase: 'observing' })
  | (Observed & { readonly phase: 'planning' })
  /** The status is worked out before anything is done: many objects wait, and their users are to see that the spec was seen. */
  | (Observed & { readonly phase: 'acknowledging' })
  | (Observed & { readonly phase: 'writing-acknowledgement'; readonly execution: Execution })
  | (Planned & { readonly phase: 'executing'; readonly execution: Execution })
  | (Executed & { readonly phase: 'observing-again' })
  | (Executed & { readonly phase: 'reporting' })
  | (Executed & {
      readonly phase: 'writing-status';
      readonly reportedAt: Instant;
      /** When what the pace holds back of the status is due. */
      readonly nextAt: Instant | undefined;
      readonly execution: Execution;
    })
  | Ended;

/** A reconcile that is over. */
export interface Ended extends Given {
  readonly phase: 'ended';
  readonly result: ReconcileEnd;
  /** The object is gone: nothing is to be remembered of it. */
  readonly gone: boolean;
  /** What steps and status writes did; undefined: nothing was reported. */
  readonly outcome: Outcome | undefined;
}

/** What a reconcile needs of its driver, besides what carrying out a plan needs. */
export type ControllerCommand =
  /** Look at the world; answered by `observed`. `refused`: what is known of trials. */
  | { readonly command: 'observe'; readonly refused: RefusedTrials }
  /** Plan for what was observed; answered by `planned`. */
  | { readonly command: 'plan' }
  /** Say what was done. */
  | { readonly command: 'announce'; readonly of: 'plan' | 'status'; readonly outcome: Outcome }
  /** Work out the status of what was observed last; answered by `reported`. */
  | { readonly command: 'report'; readonly outcome: Outcome };

export type ReconcileCommand = ExecutionCommand | ControllerCommand;

export type ControllerEvent =
  | { readonly event: 'observed'; readonly there: boolean }
  | {
      readonly event: 'planned';
      readonly plan: Plan;
      readonly heldBack: RefusedSteps | undefined;
      /** Keys of this controller wait for a worker. */
      readonly othersWait: boolean;
    }
  /** `writes`: those that go now. */
  | { readonly event: 'reported'; readonly writes: Plan; readonly nextAt: Instant | undefined };

export type ReconcileEvent = ExecutionEvent | ControllerEvent;

type ReconcileTurn = Turn<Reconcile, ReconcileCommand>;

type In<Phase extends Reconcile['phase']> = Extract<Reconcile, { readonly phase: Phase }>;

type EventOf<Name extends ReconcileEvent['event']> = Extract<ReconcileEvent, { readonly event: Name }>;

/** Begins a reconcile: what is in doubt for the key is read back before it is planned. */
export function beginReconcile(given: Given, rules: Rules): ReconcileTurn {
  return resolve({ ...given, phase: 'resolving', doubt: 0 }, rules);
}

/**
 * The sequence of a reconcile: what is in doubt, observe, plan, the stages of the plan, observe again, report, write the status.
 * Pure: production, exploration and stories carry out its commands, each in its own way.
 */
export function nextOf(state: Reconcile, event: ReconcileEvent, facts: Facts, rules: Rules): ReconcileTurn {
  switch (state.phase) {
    case 'resolving':
      return event.event === 'read' ? resolved(state, event.read, rules) : unexpected(state, event);
    case 'observing':
      if (event.event !== 'observed') return unexpected(state, event);
      if (!event.there) return ended(state, { end: 'done' }, true);
      return turn(
        { ...state, phase: 'planning', parent: parentIn(state, facts), acknowledged: false },
        { command: 'plan' },
      );
    case 'planning':
      return event.event === 'planned' ? planned(state, event, facts, rules) : unexpected(state, event);
    case 'acknowledging':
      return event.event === 'reported' ? acknowledged(state, event, facts, rules) : unexpected(state, event);
    case 'writing-acknowledgement': {
      if (!isOfExecution(event)) return unexpected(state, event);
      const { state: execution, commands } = continueExecution(state.execution, event, facts, rules);
      return acknowledging({ ...state, execution }, commands, rules);
    }
    case 'executing': {
      if (!isOfExecution(event)) return unexpected(state, event);
      const { state: execution, commands } = continueExecution(state.execution, event, facts, rules);
      return executing({ ...state, execution }, commands);
    }
    case 'observing-again':
      if (event.event !== 'observed') return unexpected(state, event);
      if (!event.there) return ended(state, { end: 'done' }, true);
      // The plan was for another spec: a status made of both would claim more than was done.
      if (!rules.isSameSpec(state.parent, parentIn(state, facts))) {
        return ended(state, { end: 'retry', because: 'the spec changed while the plan was executed' });
      }
      return turn({ ...state, phase: 'reporting' }, { command: 'report', outcome: state.outcome });
    case 'reporting':
      return event.event === 'reported' ? reported(state, event, facts, rules) : unexpected(state, event);
    case 'writing-status': {
      if (!isOfExecution(event)) return unexpected(state, event);
      const { state: execution, commands } = continueExecution(state.execution, event, facts, rules);
      return writing({ ...state, execution }, commands, rules);
    }
    case 'ended':
      return unexpected(state, event);
  }
}

function resolve(state: In<'resolving'>, rules: Rules): ReconcileTurn {
  const doubts = rules.resolvedFirst(state.memory.inDoubt);
  const doubt = doubts[state.doubt];
  if (doubt !== undefined) return turn(state, { command: 'read', of: 'doubt', ...targetOf(doubt.step) });
  if (doubts.length > 0) {
    return ended(state, { end: 'retry', because: 'a write is in doubt and its object cannot be read' });
  }
  const { doubt: _, ...given } = state;
  const refused = state.memory.refusedTrials;
  return turn({ ...given, phase: 'observing' }, { command: 'observe', refused });
}

function resolved(state: In<'resolving'>, read: Live, rules: Rules): ReconcileTurn {
  const { memory } = state;
  const doubt = rules.resolvedFirst(memory.inDoubt)[state.doubt];
  const isServed = !('error' in read && read.error.reason === 'NotServed');
  if (doubt === undefined || ('error' in read && isServed))
    return resolve({ ...state, doubt: state.doubt + 1 }, rules);
  // Of a kind that is not served nothing is known, and nothing is left to find out.
  const updates = 'error' in read ? [] : rules.judgeLive(doubt.step, doubt.error, read.live).updates;
  const left: Memory = { ...memory, inDoubt: memory.inDoubt.filter((each) => each !== doubt) };
  const { state: next, commands } = resolve({ ...state, memory: left }, rules);
  const remember = { command: 'remember', memory: left } as const;
  return { state: next, commands: [...cacheOf(rules.cached(updates)), remember, ...commands] };
}

function planned(
  state: In<'planning'>,
  { plan, heldBack, othersWait }: EventOf<'planned'>,
  facts: Facts,
  rules: Rules,
): ReconcileTurn {
  // An acknowledgement that failed took its time: the plan may be for a spec that is no more, and would get a guard of the one that is.
  if (state.acknowledged && !rules.isSameSpec(state.parent, parentIn(state, facts))) {
    return ended(state, { end: 'retry', because: 'the spec changed while its status was acknowledged' });
  }
  if (othersWait && !state.acknowledged && rules.acknowledgesFirst(plan, parentObject(state, facts))) {
    return turn({ ...state, phase: 'acknowledging' }, { command: 'report', outcome: nothingYet(plan) });
  }
  const { bound, memory } = state;
  const begun = beginExecution({ plan, bound, memory, heldBack }, facts, rules);
  return executing({ ...state, plan, phase: 'executing', execution: begun.state }, begun.commands);
}

/** Nothing is written ahead of the plan where the status shows the new generation already, or cannot show it. */
function acknowledged(
  state: In<'acknowledging'>,
  { writes }: EventOf<'reported'>,
  facts: Facts,
  rules: Rules,
): ReconcileTurn {
  if (!rules.showsGeneration(writes, parentObject(state, facts))) return plannedAgain(state);
  const begun = beginWrites(state, writes, facts, rules);
  const next = { ...state, phase: 'writing-acknowledgement', execution: begun.state } as const;
  return acknowledging(next, begun.commands, rules);
}

/** Behind the keys that wait, when the status was written; where that failed the plan does not wait for it. */
function acknowledging(
  state: In<'writing-acknowledgement'>,
  commands: readonly ExecutionCommand[],
  rules: Rules,
): ReconcileTurn {
  const outcome = outcomeOf(state.execution);
  if (outcome === undefined) return { state, commands };
  const { execution, ...observed } = state;
  const remembered = { ...observed, memory: execution.memory };
  const announce = { command: 'announce', of: 'status', outcome } as const;
  const isWritten = outcome.results.every(({ did }) => did === 'done');
  const next = isWritten ? ended(remembered, rules.afterAcknowledgement) : plannedAgain(remembered);
  return { state: next.state, commands: [...commands, announce, ...next.commands] };
}

function plannedAgain({
  resource,
  key,
  bound,
  memory,
  parent,
}: Omit<Observed, 'acknowledged'>): ReconcileTurn {
  const given = { resource, key, bound, memory };
  return turn({ ...given, phase: 'planning', parent, acknowledged: true }, { command: 'plan' });
}

function executing(state: In<'executing'>, commands: readonly ExecutionCommand[]): ReconcileTurn {
  const outcome = outcomeOf(state.execution);
  if (outcome === undefined) return { state, commands };
  const { execution, ...given } = state;
  const refused = refusedAfter(execution.memory.refusedTrials, outcome, state.plan.remembers);
  const isKnown = refused === execution.memory.refusedTrials;
  const memory = isKnown ? execution.memory : { ...execution.memory, refusedTrials: refused };
  const executed = { ...given, memory, outcome };
  const announce = { command: 'announce', of: 'plan', outcome } as const;
  // Where nothing was to be done the world is still the one that was observed.
  const next: ReconcileTurn =
    state.plan.stages.length === 0
      ? turn({ ...executed, phase: 'reporting' }, { command: 'report', outcome })
      : turn({ ...executed, phase: 'observing-again' }, { command: 'observe', refused });
  const remember = isKnown ? [] : [{ command: 'remember', memory } as const];
  return { state: next.state, commands: [...commands, ...remember, announce, ...next.commands] };
}

function reported(
  state: In<'reporting'>,
  { writes, nextAt }: EventOf<'reported'>,
  facts: Facts,
  rules: Rules,
): ReconcileTurn {
  const begun = beginWrites(state, writes, facts, rules);
  const next = { phase: 'writing-status', reportedAt: facts.now, nextAt, execution: begun.state } as const;
  return writing({ ...state, ...next }, begun.commands, rules);
}

/** Writes of the status, which nothing holds back. */
function beginWrites(
  { bound, memory }: Given,
  plan: Plan,
  facts: Facts,
  rules: Rules,
): ReturnType<typeof beginExecution> {
  return beginExecution({ plan, bound, memory, heldBack: undefined }, facts, rules);
}

function writing(
  state: In<'writing-status'>,
  commands: readonly ExecutionCommand[],
  rules: Rules,
): ReconcileTurn {
  const status = outcomeOf(state.execution);
  if (status === undefined) return { state, commands };
  const { plan, reportedAt, nextAt, execution } = state;
  const outcome = { results: [...state.outcome.results, ...status.results] };
  const result = rules.noLaterThan(nextAt, reportedAt, rules.endOf(outcome, plan, reportedAt));
  const over = ended({ ...state, memory: execution.memory }, result, false, outcome);
  const announce = { command: 'announce', of: 'status', outcome: status } as const;
  return { state: over.state, commands: [...commands, announce] };
}

function ended(
  { resource, key, bound, memory }: Given,
  result: ReconcileEnd,
  gone = false,
  outcome?: Outcome,
): ReconcileTurn {
  return { state: { resource, key, bound, memory, phase: 'ended', result, gone, outcome }, commands: [] };
}

function parentIn(given: Given, facts: Facts): ParentSeen {
  const { uid, generation } = parentObject(given, facts)?.metadata ?? {};
  return { uid, generation };
}

/** undefined: it is gone, or nobody caches it. */
function parentObject({ resource, key }: Given, facts: Facts): Stored<KubeObject> | undefined {
  const cached = facts.cached(resource, key);
  return cached === 'uncached' ? undefined : cached;
}

function nothingYet({ stages }: Plan): Outcome {
  const steps = stages.flatMap((stage) => stage.steps);
  return { results: steps.map((step) => ({ step, did: 'skipped', because: 'not-yet' })) };
}

function isOfExecution(event: ReconcileEvent): event is ExecutionEvent {
  return ['placed', 'read', 'listed', 'answered'].includes(event.event);
}

function turn(state: Reconcile, command: ReconcileCommand): ReconcileTurn {
  return { state, commands: [command] };
}

function unexpected({ phase }: Reconcile, { event }: ReconcileEvent): never {
  throw new Error(`a reconcile that is ${phase} does not expect the event ${event}`);
}
