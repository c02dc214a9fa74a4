import { annotations } from '@atoll/api';
import { hold, type Hold } from '../engine/hold.ts';

/** A child that stays as an old operator left it. `difference`: from its template, in words. */
function keptHold(place: string, difference: string): Hold {
  const problem = `${difference}, as an older operator left the child. Edit the template there, or set the annotation ${annotations.applyTemplate}: "true" on this object to apply it, which may replace pods`;
  return hold('OldTemplateKept', 'person', [place], { problem }, true);
}

/**
 * The same where its pods are not available. Why they are not comes first where it is wrong by itself, and says that the child is kept; otherwise
 * the hold of the child says why. So a person reads both, whichever of the two the conditions show.
 */
export function keptHolds(
  place: string,
  differences: readonly string[],
  pods: Hold | undefined,
): readonly Hold[] {
  if (differences.length === 0) return pods === undefined ? [] : [pods];
  const difference = differences.join(', ');
  if (pods?.problem === undefined)
    return [keptHold(place, difference), ...(pods === undefined ? [] : [pods])];
  const cause = pods.problem.replace(/\.$/, '');
  if (!pods.bad) return [keptHold(place, `${cause}. ${difference}`), pods];
  const problem = `${cause}. The child stays as an older operator left it (OldTemplateKept)`;
  return [{ ...pods, problem }, keptHold(place, difference)];
}
