import { annotations, type ReasonWord } from '@atoll/api';
import { hold, type Hold } from '../engine/hold.ts';

/** Why a child stays as it is, which waits for a person. */
export interface Left {
  readonly reason: ReasonWord;
  readonly problem: string;
  /** The same in a few words, beside a cause of its own. */
  readonly inShort: string;
}

/**
 * A child that stays as it is, and why its pods are not available. That comes first where it is wrong by itself, and says that the child stays; otherwise
 * the hold of the child says why. So a person reads both, whichever of the two the conditions show.
 */
export function leftHolds(place: string, left: Left, pods: Hold | undefined): readonly Hold[] {
  const stays = (problem: string): Hold => hold(left.reason, 'person', [place], { problem }, true);
  if (pods === undefined) return [stays(left.problem)];
  if (pods.problem === undefined) return [stays(left.problem), pods];
  const cause = pods.problem.replace(/\.$/, '');
  if (!pods.bad) return [stays(`${cause}. ${left.problem}`), pods];
  return [{ ...pods, problem: `${cause}. ${left.inShort} (${left.reason})` }, stays(left.problem)];
}

/** The same of a child that stays as an older operator left it. `differences`: from its template, in words; none: the child is not kept so. */
export function keptHolds(
  place: string,
  differences: readonly string[],
  pods: Hold | undefined,
): readonly Hold[] {
  if (differences.length === 0) return pods === undefined ? [] : [pods];
  const difference = differences.join(', ');
  const problem = `${difference}, as an older operator left the child. Edit the template there, or set the annotation ${annotations.applyTemplate}: "true" on this object to apply it, which may replace pods`;
  const inShort = 'The child stays as an older operator left it';
  return leftHolds(place, { reason: 'OldTemplateKept', problem, inShort }, pods);
}
