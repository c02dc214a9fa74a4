import { parseKey } from '@atoll/kube';
import type { Plan } from '../src/engine/plan.ts';
import type { WriteStep } from '../src/engine/executor/request.ts';
import { guarded } from '../src/engine/reconcile/guarded.ts';
import { statusPlan } from '../src/engine/reconcile/status-plan.ts';
import type { Outcome } from '../src/engine/step.ts';
import type { LocalContent } from './canonical.ts';
import type { Explored } from './explored.ts';
import { canonicalText } from './json.ts';
import { planOf } from './planned.ts';
import { plannedSteps } from './planned-step.ts';
import type { PlannedStep } from './planned-step.ts';
import { shortText, stepResult } from './short-result.ts';
import type { InternedPlan, Running, State } from './state.ts';

/** A decision, and what the plan oracle says of it. */
export interface Decided {
  readonly plan: InternedPlan | 'gone';
  readonly wrong: string | undefined;
}

/** The status writes at the end of a pass, and what the plan oracle says of them. */
export interface ReportDecided {
  readonly steps: readonly PlannedStep[] | 'gone';
  readonly wrong: string | undefined;
}

/** What the shipped controller decides, asked once for each distinct content of its caches. */
export class Decisions {
  /** Distinct plans: a corpus for plan oracles. */
  readonly plans: Plan[] = [];
  readonly #explored: Explored;
  readonly #plans = new Map<string, Decided>();
  readonly #reports = new Map<string, ReportDecided>();

  constructor(explored: Explored) {
    this.#explored = explored;
  }

  planFor(local: LocalContent, state: State, key: string): Decided {
    const memo = `${key} ${state.now} ${local.id}`;
    let decided = this.#plans.get(memo);
    if (decided === undefined) {
      this.#explored.show(local.known, state.unsynced);
      this.#plans.set(memo, (decided = this.#decide(local, state, key)));
    }
    return decided;
  }

  reportFor(local: LocalContent, state: State, key: string, running: Running): ReportDecided {
    const memo = `${key} ${state.now} ${local.id} ${running.plan.id} ${running.results.map(shortText).join()}`;
    let decided = this.#reports.get(memo);
    if (decided === undefined) {
      this.#explored.show(local.known, state.unsynced);
      this.#reports.set(memo, (decided = this.#report(local, state, key, running)));
    }
    return decided;
  }

  #decide({ known }: LocalContent, state: State, key: string): Decided {
    const { controller, caches, interner, parent, world } = this.#explored;
    const snapshot = controller.observe(parseKey(key));
    if (snapshot === undefined) return { plan: 'gone', wrong: undefined };
    const object = caches.get(parent)?.get(parseKey(key));
    const decide = (): Plan =>
      guarded(planOf(controller, snapshot, state.now), controller.resource, parseKey(key), object);
    const plan = decide();
    const text = canonicalText(plan);
    const steps = plan.stages.flatMap((stage) => stage.steps);
    let wrong = world.wrongPlan?.({ plan, key, known, unread: state.unsynced });
    if (object?.metadata.deletionTimestamp !== undefined && steps.some((step) => step.do === 'create'))
      wrong = `something is to be made for ${key}, which is going`;
    if (steps.some((step) => step.why.message === '')) wrong = 'a step has no reason';
    if (canonicalText(decide()) !== text) wrong = 'the plan is not a function of the snapshot';
    this.plans.push(plan);
    const interned = { id: interner.id({ text }), plan, steps: plannedSteps(plan, interner) };
    return { plan: interned, wrong: wrong === undefined ? undefined : `P: ${wrong}` };
  }

  #report({ known }: LocalContent, state: State, key: string, running: Running): ReportDecided {
    const { controller, interner, world } = this.#explored;
    const { results } = running;
    const { plan } = running.plan;
    const snapshot = controller.observe(parseKey(key));
    if (snapshot === undefined) return { steps: 'gone', wrong: undefined };
    const steps = plan.stages.flatMap((stage) => stage.steps);
    const outcome: Outcome = {
      results: results.map((result, index) => stepResult(result, steps[index] as WriteStep)),
    };
    const decision = controller.decide(snapshot, state.now);
    const writes = controller.report(snapshot, decision, plan, outcome, state.now);
    const wrong = world.wrongReport?.({ writes, key, known, unread: state.unsynced });
    return {
      steps: plannedSteps(statusPlan(writes), interner),
      wrong: wrong === undefined ? undefined : `P: ${wrong}`,
    };
  }
}
