import type { ChildWorkload, OwnedChild } from '../../children/child.ts';
import { maxUnavailableIn } from '../../children/max-unavailable-in.ts';
import type { ObservedSubset, Judgement } from '../scheduling/judge-subset.ts';
import { isAtWanted } from '../../engine/rollout/target.ts';

/**
 * How many pods a child may miss while it rolls: in reservation those that are not ready anyhow and those whose update is
 * overdue, so that a rollout does not wait for pods that wait for room (`reference/uniteddeployment.md` 3.11).
 * undefined: as in the template. At rest that holds too, so that a subset without room is not written again and again. Before its controller
 * has seen what was written last nobody knows whether a child rolls, and it stays as it is.
 */
export function maxUnavailableOf(
  { child, health, target, revision }: Pick<ObservedSubset, 'child' | 'health' | 'target' | 'revision'>,
  { mode, judgement }: Judgement,
  replicas: number,
): number | undefined {
  if (mode !== 'reservation' || judgement?.unschedulable !== true || child === undefined) return undefined;
  if (isAtWanted(target)) {
    if (health?.observed !== true) return asItIs(child, revision?.template.spec);
    if (health.updated) return undefined;
  }
  const missing = replicas - (health?.readyReplicas ?? 0) + judgement.updateTimedOutPods;
  // 0 beside a surge of 0 is refused, and no rollout could go on with it.
  return Math.min(Math.max(1, missing), Math.max(1, replicas));
}

/** The number that was written for a rollout; undefined: as in the template. */
function asItIs({ kind, object }: OwnedChild, template: ChildWorkload['spec']): number | undefined {
  const found = maxUnavailableIn(kind, object.spec);
  return typeof found === 'number' && found !== maxUnavailableIn(kind, template) ? found : undefined;
}
