import { parseKey } from '@atoll/kube';
import type { Plan } from '../src/engine/plan.ts';
import type { WriteStep } from '../src/engine/request.ts';
import { guarded, statusPlan } from '../src/engine/run-pass.ts';
import type { Outcome } from '../src/engine/step.ts';
import type { LocalContent } from './canonical.ts';
import type { Explored } from './explored.ts';
import { canonicalText } from './json.ts';
import { plannedSteps } from './planned-step.ts';
import type { PlannedStep } from './planned-step.ts';
import { shortText, stepResult } from './short-result.ts';
import type { InternedPlan, Running, State } from './state.ts';

/** A decision, and what the plan oracle says where it was made for the first time. */
export interface Decided {
  readonly plan: InternedPlan | 'gone';
  readonly wrong: string | undefined;
}

/** What the shipped controller decides, asked once for each distinct content of its caches. */
export class Decisions {
  /** Distinct plans: a corpus for plan oracles. */
  readonly plans: Plan[] = [];
  readonly #explored: Explored;
  readonly #plans = new Map<string, Decided>();
  readonly #reports = new Map<string, readonly PlannedStep[] | 'gone'>();

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

  /** The status writes at the end of a pass. */
  reportFor(
    local: LocalContent,
    state: State,
    key: string,
    running: Running,
  ): readonly PlannedStep[] | 'gone' {
    const memo = `${key} ${state.now} ${local.id} ${running.plan.id} ${running.results.map(shortText).join()}`;
    let steps = this.#reports.get(memo);
    if (steps === undefined) {
      this.#explored.show(local.known, state.unsynced);
      this.#reports.set(memo, (steps = this.#report(state, key, running)));
    }
    return steps;
  }

  #decide({ known }: LocalContent, state: State, key: string): Decided {
    const { controller, caches, interner, parent, world } = this.#explored;
    const snapshot = controller.observe(parseKey(key));
    if (snapshot === undefined) return { plan: 'gone', wrong: undefined };
    const object = caches.get(parent)?.get(parseKey(key));
    const decide = (): Plan => guarded(controller.plan(snapshot, state.now), controller, object);
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

  #report(state: State, key: string, { plan: { plan }, results }: Running): readonly PlannedStep[] | 'gone' {
    const { controller, interner } = this.#explored;
    const snapshot = controller.observe(parseKey(key));
    if (snapshot === undefined) return 'gone';
    const steps = plan.stages.flatMap((stage) => stage.steps);
    const outcome: Outcome = {
      results: results.map((result, index) => stepResult(result, steps[index] as WriteStep)),
    };
    return plannedSteps(statusPlan(controller.report(snapshot, plan, outcome, state.now)), interner);
  }
}
