import type { StepResult } from '../step.ts';

/**
 * Results of steps, the last one first: another one is added in constant time, and what was there stays as it was. A reconcile
 * of a thousand steps gets a thousand answers, one by one.
 */
export interface Results {
  /** The index of the step in the plan. */
  readonly index: number;
  readonly result: StepResult;
  readonly before: Results | undefined;
}

/** In the order of the plan. */
export function inPlanOrder(results: Results | undefined): readonly StepResult[] {
  const ordered: StepResult[] = [];
  for (let each = results; each !== undefined; each = each.before) ordered[each.index] = each.result;
  return ordered;
}
