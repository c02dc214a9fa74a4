import { isIntOrPercent, scaleIntOrPercent } from '@atoll/kube';
import type { ChildWorkload, OwnedChild } from '../../children/child.ts';
import { effectiveMaxUnavailable, maxUnavailableIn } from '../../children/max-unavailable-in.ts';
import type { ObservedSubset, Judgement } from '../scheduling/judge-subset.ts';
import { hasNode } from '../scheduling/subset-pods.ts';
import { isAtWanted } from '../../engine/rollout/target.ts';

/**
 * How many pods a child may miss while it rolls: in reservation those that wait for room, so that a rollout does not wait for them
 * (`reference/uniteddeployment.md` 3.11), and of the others as many as its template allows. Kruise counts all that are not ready and all whose update
 * takes long: each pod that starts lets another one go, until none serves.
 * undefined: as in the template. At rest that holds too, so that a subset without room is not written again and again. Before its controller
 * has seen what was written last nobody knows whether a child rolls, and it stays as it is.
 */
export function maxUnavailableOf(
  {
    child,
    health,
    target,
    revision,
    pods,
  }: Pick<ObservedSubset, 'child' | 'health' | 'target' | 'revision' | 'pods'>,
  { mode, judgement }: Judgement,
  replicas: number,
): number | undefined {
  if (mode !== 'reservation' || judgement?.unschedulable !== true || child === undefined) return undefined;
  const template = revision?.template.spec;
  if (isAtWanted(target)) {
    if (health?.observed !== true) return asItIs(child, template);
    if (health.updated) return undefined;
  }
  if (judgement.stuckPods === 0) return undefined;
  const withoutNode = Math.max(0, replicas - pods.filter(hasNode).length);
  const waiting = Math.min(judgement.stuckPods, withoutNode);
  return Math.min(waiting + allowedIn(child, template, replicas - waiting), Math.max(1, replicas));
}

/** At least 1: a new pod that is made beside the old ones may be the one that waits for room, and 0 beside a surge of 0 is refused. */
function allowedIn({ kind }: OwnedChild, template: ChildWorkload['spec'], replicas: number): number {
  const limit = effectiveMaxUnavailable(kind, template);
  return isIntOrPercent(limit) ? Math.max(1, scaleIntOrPercent(limit, replicas, 'down')) : 1;
}

/** The number that was written for a rollout; undefined: as in the template. */
function asItIs({ kind, object }: OwnedChild, template: ChildWorkload['spec']): number | undefined {
  const found = maxUnavailableIn(kind, object.spec);
  return typeof found === 'number' && found !== maxUnavailableIn(kind, template) ? found : undefined;
}
