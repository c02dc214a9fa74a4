import type { Hold } from '../hold.ts';
import type { Target } from './target.ts';

export interface ChosenTargets {
  /** Ids of the targets that may move now, in the order in which they should. */
  readonly move: readonly string[];
  readonly holds: readonly Hold[];
}

/**
 * Which of the targets that are not where they should be may move now. Every kind's plan asks here; today's answer
 * is "all that the kind's own limits allow", in a stable order.
 */
export function chooseTargets(targets: readonly Target[]): ChosenTargets {
  const move = targets.filter((target) => target.revision !== target.wanted).map((target) => target.id);
  return { move: move.sort(), holds: [] };
}
