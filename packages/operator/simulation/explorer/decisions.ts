import { parseKey } from '@atoll/kube';
import type { StatusWrite } from '../../src/engine/controller.ts';
import type { Plan } from '../../src/engine/plan.ts';
import { guarded } from '../../src/engine/reconcile/guarded.ts';
import { statusPlan } from '../../src/engine/reconcile/status-plan.ts';
import { nothingRefused, type RefusedTrials } from '../../src/engine/refused-trials.ts';
import type { Outcome, Step } from '../../src/engine/step.ts';
import type { LocalContent } from './canonical.ts';
import type { Explored } from './explored.ts';
import { canonicalText } from '../model/json.ts';
import { planOf } from './planned.ts';
import { plannedSteps, unversioned } from './planned-step.ts';
import type { PlannedStep } from './planned-step.ts';
import { resultText } from './result-text.ts';
import type { InternedPlan, State } from './state.ts';

/** A decision, and the plan oracle's finding. */
export interface Decided {
  readonly plan: InternedPlan;
  readonly wrong: string | undefined;
}

/** The status writes at the end of a reconcile, and the plan oracle's finding. */
export interface ReportDecided {
  readonly wanted: readonly StatusWrite[];
  readonly writes: Plan;
  readonly steps: readonly PlannedStep[];
  readonly wrong: string | undefined;
}

/** What the shipped controller decides, asked once for each distinct content of its caches. */
export class Decisions {
  /** Distinct plans: a corpus for plan oracles. */
  readonly plans: Plan[] = [];
  readonly #explored: Explored;
  readonly #plans = new Map<string, Decided>();
  readonly #reports = new Map<string, ReportDecided>();
  readonly #there = new Map<string, boolean>();

  constructor(explored: Explored) {
    this.#explored = explored;
  }

  planFor(local: LocalContent, state: State, key: string): Decided {
    const memo = `${key} ${state.now} ${local.id} ${refusedText(state, key)}`;
    let decided = this.#plans.get(memo);
    if (decided === undefined) {
      this.#explored.show(local.known, state.unsynced);
      this.#plans.set(memo, (decided = this.#decide(local, state, key)));
    }
    return decided;
  }

  reportFor(
    local: LocalContent,
    state: State,
    key: string,
    plan: InternedPlan,
    outcome: Outcome,
  ): ReportDecided {
    const results = outcome.results.map(resultText).join();
    const memo = `${key} ${state.now} ${local.id} ${refusedText(state, key)} ${plan.id} ${results}`;
    let decided = this.#reports.get(memo);
    if (decided === undefined) {
      this.#explored.show(local.known, state.unsynced);
      this.#reports.set(memo, (decided = this.#report(local, state, key, plan.plan, outcome)));
    }
    return decided;
  }

  /** Whether there is anything to be reconciled. */
  isThere(local: LocalContent, state: State, key: string): boolean {
    const memo = `${key} ${local.id}`;
    let isThere = this.#there.get(memo);
    if (isThere === undefined) {
      this.#explored.show(local.known, state.unsynced);
      this.#there.set(memo, (isThere = this.#explored.controller.observe(parseKey(key)) !== undefined));
    }
    return isThere;
  }

  #decide({ known }: LocalContent, state: State, key: string): Decided {
    const { controller, caches, interner, parent, world } = this.#explored;
    const snapshot = controller.observe(parseKey(key), refusedIn(state, key));
    if (snapshot === undefined) throw new Error(`nothing to plan for ${key}`);
    const object = caches.get(parent)?.get(parseKey(key));
    const decide = (): Plan =>
      guarded(planOf(controller, snapshot, state.now), controller.resource, parseKey(key), object);
    const plan = decide();
    const text = canonicalText(plan);
    const steps = plan.stages.flatMap((stage) => stage.steps);
    let wrong = world.wrongPlan?.({ plan, key, known, unread: state.unsynced, now: state.now });
    if (object?.metadata.deletionTimestamp !== undefined) wrong ??= wrongForOneThatGoes(steps, key);
    if (steps.some((step) => step.why.message === '')) wrong = 'a step has no reason';
    if (canonicalText(decide()) !== text) wrong = 'the plan is not a function of the snapshot';
    this.plans.push(plan);
    const planned = plannedSteps(plan, interner);
    const id = interner.id({ text });
    const interned = { id, plan, unversioned: unversioned(plan, planned), steps: planned };
    return { plan: interned, wrong: wrong === undefined ? undefined : `P: ${wrong}` };
  }

  #report({ known }: LocalContent, state: State, key: string, plan: Plan, outcome: Outcome): ReportDecided {
    const { controller, world } = this.#explored;
    const snapshot = controller.observe(parseKey(key), refusedIn(state, key));
    if (snapshot === undefined) throw new Error(`nothing to report of ${key}`);
    const decision = controller.decide(snapshot, state.now);
    const wanted = controller.report(snapshot, decision, ofSteps(plan, outcome), state.now);
    const wrong = world.wrongReport?.({ writes: wanted, key, known, unread: state.unsynced });
    return { wanted, ...this.writesOf(wanted), wrong: wrong === undefined ? undefined : `P: ${wrong}` };
  }

  /** The status writes as steps. */
  writesOf(wanted: readonly StatusWrite[]): Pick<ReportDecided, 'writes' | 'steps'> {
    const writes = statusPlan(wanted);
    const steps = plannedSteps(writes, this.#explored.interner);
    return { writes: unversioned(writes, steps), steps };
  }
}

/** What the process remembers of trials. */
function refusedIn({ remembered }: State, key: string): RefusedTrials {
  return remembered.get(key)?.refusedTrials ?? nothingRefused;
}

function refusedText(state: State, key: string): string {
  return [...refusedIn(state, key)]
    .map(([trial, { answer, turn }]) => `${trial} ${turn} ${answer.message}`)
    .join();
}

/** C7: the garbage collector takes what is owned; nothing is made, applied or deleted. */
function wrongForOneThatGoes(steps: readonly Step[], key: string): string | undefined {
  const does = steps.map((step) => step.do);
  if (does.includes('create')) return `something is to be made for ${key}, which is going`;
  if (does.includes('apply')) return `something is to be applied for ${key}, which is going`;
  return does.includes('delete') ? `something is to be deleted for ${key}, which is going` : undefined;
}

/** The outcome with the steps as they were planned, their versions included. */
function ofSteps(plan: Plan, { results }: Outcome): Outcome {
  const steps = plan.stages.flatMap((stage) => stage.steps);
  return { results: results.map((result, index) => ({ ...result, step: steps[index] ?? result.step })) };
}
