import { isForsaken } from '../follows.ts';
import { allowedBy, isAsPlanned } from '../plan.ts';
import type { Guard, Plan, Stage } from '../plan.ts';
import { isAsSeen } from '../seen.ts';
import type { SkipReason, Step, StepResult } from '../step.ts';
import type { Facts } from './facts.ts';
import { inOrder } from './in-order.ts';
import { judge, judgeLive } from './judge.ts';
import type { Learned, Verdict } from './judge.ts';
import { mayStillRun } from './may-still-run.ts';
import { requestFor } from './request.ts';
import type { WriteStep } from './request.ts';
import { roomIn } from './slow-start.ts';
import type { KubeObject, ObjectKey, Resource, Stored } from '@atoll/kube';

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
  /** Whether the plan's guard, compared with the cache, rules the step out; asked directly before each send. */
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
  readonly requestFor: typeof requestFor;
  readonly judge: typeof judge;
  readonly judgeLive: typeof judgeLive;
  /** Whether the object is read live before the key is planned again. */
  readonly readsBack: (verdict: Extract<Verdict, { readonly settled: StepResult }>) => boolean;
  /** What goes into the caches of what answers and live reads say. */
  readonly cached: (learned: readonly Learned[]) => readonly Learned[];
}

export const executionRules: ExecutionRules = {
  mayNotWrite: ({ stopping, leads }) => (stopping ? 'stopping' : leads ? undefined : 'not-leader'),
  checksBeforePlan: ({ guard }) => (guard === undefined ? [] : [asPlanned(guard)]),
  isOutdated: (step, { guard }, facts) => {
    if (guard === undefined) return false;
    const cached = facts.cached(guard.resource, guard.key);
    return cached !== 'uncached' && !mayStillRun(step, allowedBy(guard, cached));
  },
  checksBeforeStep: ({ restsOn = [], irreversible }, { guard }) => {
    const seen = restsOn.map((each): LiveCheck => ({ ...each, holds: (live) => isAsSeen(each, live) }));
    if (irreversible !== true || guard === undefined) return seen;
    return [...seen, { ...guard, holds: (live) => allowedBy(guard, live) === 'everything' }];
  },
  isStageBlocked: ({ runs }, allDone) => runs === 'after-success' && !allDone,
  isBlocked: isForsaken,
  startsSlowly: ({ slowStart }) => slowStart === true,
  roomIn,
  inOrder,
  requestFor,
  judge,
  judgeLive,
  readsBack: ({ readBack }) => readBack === true,
  cached: (learned) => learned,
};

function asPlanned(guard: Guard): LiveCheck {
  return { ...guard, holds: (live) => isAsPlanned(guard, live) };
}
