import { isBlockedByFailure } from './depends-on.ts';
import { isAsPlanned } from '../plan.ts';
import type { Guard, Listing, Plan, Stage } from '../plan.ts';
import { sameJson } from '../same-meaning.ts';
import { isAsSeen, nodeSeenAs } from '../steps/seen.ts';
import type { SkipReason, Step, StepResult } from '../step.ts';
import type { InDoubt } from './commands.ts';
import type { Facts } from './facts.ts';
import { inOrder } from './in-order.ts';
import { judge, judgeLive } from './answers/judge.ts';
import type { CacheUpdate, Verdict } from './answers/judge.ts';
import { mayStillRun } from './may-still-run.ts';
import { requestFor, targetOf } from './requests/request.ts';
import type { WriteStep } from './requests/request.ts';
import { roomIn } from './request-waves.ts';
import { formatKey, isReady, nodes } from '@atoll/kube';
import type { KubeObject, Node, ObjectKey, Resource, Stored } from '@atoll/kube';

/** An object that is read live before something is sent. */
export interface LiveCheck {
  readonly resource: Resource<KubeObject>;
  readonly key: ObjectKey;
  readonly uid: string | undefined;
  readonly holds: (live: Stored<KubeObject> | undefined) => boolean;
}

/**
 * Every rule of the sequence in which a plan is carried out, each a pure function. The machine composes them and decides nothing
 * by itself, so that a test can break one and see whether the exploration finds it.
 */
export interface ExecutionRules {
  /** Why nothing may be sent now; asked directly before each send. */
  readonly mayNotWrite: (facts: Facts) => SkipReason | undefined;
  /** What is read live before the first request of a plan (decision 14). */
  readonly checksBeforePlan: (plan: Plan) => readonly LiveCheck[];
  /** What is listed live after that. */
  readonly listsBeforePlan: (plan: Plan) => readonly Listing[];
  /**
   * Whether the rest of the plan is dropped, because its guards do not hold in the cache, or because a write of the plan to one of them is in
   * doubt; asked before steps are started.
   */
  readonly isLeft: (plan: Plan, facts: Facts, inDoubt: readonly InDoubt[]) => boolean;
  /** Whether the plan's guards, compared with the cache, rule the step out; asked directly before each send. */
  readonly isOutdated: (step: WriteStep, plan: Plan, facts: Facts) => boolean;
  /** What is read live directly before the step is sent. */
  readonly checksBeforeStep: (step: WriteStep, plan: Plan) => readonly LiveCheck[];
  /** Whether nothing of a stage is sent. */
  readonly isStageBlocked: (stage: Stage, allDone: boolean) => boolean;
  /** Whether a step waits for the next plan because of what became of an earlier one. */
  readonly isBlocked: (step: Step, earlier: readonly StepResult[]) => boolean;
  readonly startsSlowly: (stage: Stage) => boolean;
  /** How many more steps of a stage that starts slowly are started, and in which order. */
  readonly roomIn: typeof roomIn;
  readonly inOrder: typeof inOrder;
  /** Asked by what carries out the command `send`, and not by the machine. */
  readonly requestFor: typeof requestFor;
  readonly judge: typeof judge;
  readonly judgeLive: typeof judgeLive;
  /** Whether the object is read live before the key is planned again. */
  readonly readsBack: (verdict: Extract<Verdict, { readonly result: StepResult }>) => boolean;
  /** What goes into the caches of what answers and live reads show. */
  readonly cached: (updates: readonly CacheUpdate[]) => readonly CacheUpdate[];
}

export const executionRules: ExecutionRules = {
  mayNotWrite: ({ stopping, leads }) => (stopping ? 'stopping' : leads ? undefined : 'not-leader'),
  checksBeforePlan: ({ guards = [] }) =>
    guards.map((guard): LiveCheck => ({ ...guard, holds: (live) => isAsPlanned(guard, live) })),
  listsBeforePlan: ({ unseen = [] }) => unseen,
  isLeft: ({ stages, guards = [] }, facts, inDoubt) =>
    guards.some(
      (guard) =>
        isKnownAs(guard, facts, (found) => !isAsPlanned(guard, found)) ||
        inDoubt.some(
          ({ step }) => isWriteOf(step, guard) && stages.some(({ steps }) => steps.includes(step)),
        ),
    ),
  isOutdated: (step, { guards = [] }, facts) =>
    guards.some((guard) => isKnownAs(guard, facts, (found) => !mayStillRun(step, guard, found))) ||
    isOfChangedNode(step, facts),
  checksBeforeStep: (step, { guards = [] }) => {
    const { restsOn = [], irreversible } = step;
    const seen = restsOn.map((each): LiveCheck => ({ ...each, holds: (live) => isAsSeen(each, live) }));
    if (irreversible !== true) return seen;
    return [
      ...seen,
      ...guards.map((guard): LiveCheck => ({ ...guard, holds: (live) => mayStillRun(step, guard, live) })),
    ];
  },
  isStageBlocked: ({ onlyAfterSuccess = false }, allDone) => onlyAfterSuccess && !allDone,
  isBlocked: isBlockedByFailure,
  startsSlowly: ({ slowStart }) => slowStart === true,
  roomIn,
  inOrder,
  requestFor,
  judge,
  judgeLive,
  readsBack: ({ readBack }) => readBack === true,
  cached: (updates) => updates,
};

/** Its node is away, is gone, or is not as it was seen. */
function isOfChangedNode({ whileReady, nodeSeen }: WriteStep, { cached }: Facts): boolean {
  const key = whileReady ?? nodeSeen?.key;
  if (key === undefined) return false;
  const found = cached(nodes as Resource<KubeObject>, key);
  if (found === 'uncached') return false;
  const node = found as Stored<Node> | undefined;
  if (node === undefined) return true;
  if (whileReady !== undefined && !isReady(node)) return true;
  return nodeSeen !== undefined && !sameJson(nodeSeenAs(node, nodeSeen.annotations?.prefix), nodeSeen);
}

function isWriteOf(step: WriteStep, { resource, key }: Guard): boolean {
  const target = targetOf(step);
  return target.resource === resource && formatKey(target.key) === formatKey(key);
}

/** Whether the guard's object is so in the cache; where nobody reads it, nothing is known. */
function isKnownAs(
  { resource, key }: Guard,
  facts: Facts,
  is: (found: Stored<KubeObject> | undefined) => boolean,
): boolean {
  const cached = facts.cached(resource, key);
  return cached !== 'uncached' && is(cached);
}
