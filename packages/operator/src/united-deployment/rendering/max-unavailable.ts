import type { ObservedSubset, Judgement } from '../scheduling/judge-subset.ts';
import { isAtWanted } from '../../engine/rollout/target.ts';

/**
 * How many pods a child may miss while it rolls: in reservation those that are not ready anyhow and those whose update is
 * overdue, so that a rollout does not wait for pods that wait for room (`reference/uniteddeployment.md` 3.11).
 * undefined: as in the template. At rest that holds too, so that a subset without room is not written again and again.
 */
export function maxUnavailableOf(
  { child, health, target }: Pick<ObservedSubset, 'child' | 'health' | 'target'>,
  { mode, judgement }: Judgement,
  replicas: number,
): number | undefined {
  if (mode !== 'reservation' || judgement?.unschedulable !== true || child === undefined) return undefined;
  const rolls = !isAtWanted(target) || health?.updated !== true;
  if (!rolls) return undefined;
  const missing = replicas - (health?.readyReplicas ?? 0) + judgement.updateTimedOutPods;
  // 0 beside a surge of 0 is refused, and no rollout could go on with it.
  return Math.min(Math.max(1, missing), Math.max(1, replicas));
}
