import { fieldsOf } from '@atoll/kube';
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
    if (health?.observed !== true) return asItIs(child.object.spec, revision?.template.spec);
    if (health.updated) return undefined;
  }
  const missing = replicas - (health?.readyReplicas ?? 0) + judgement.updateTimedOutPods;
  // 0 beside a surge of 0 is refused, and no rollout could go on with it.
  return Math.min(Math.max(1, missing), Math.max(1, replicas));
}

/** The number that was written for a rollout; undefined: as in the template. */
function asItIs(live: object | undefined, template: object | undefined): number | undefined {
  const found = maxUnavailableIn(live);
  return typeof found === 'number' && found !== maxUnavailableIn(template) ? found : undefined;
}

/** Of a Deployment, or of a CloneSet. */
function maxUnavailableIn(spec: object | undefined): unknown {
  const { strategy, updateStrategy } = fieldsOf(spec);
  return (
    fieldsOf(fieldsOf(strategy)['rollingUpdate'])['maxUnavailable'] ??
    fieldsOf(updateStrategy)['maxUnavailable']
  );
}
