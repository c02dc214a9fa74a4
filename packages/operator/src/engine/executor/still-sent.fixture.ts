import { nodes, type Instant, type Node, type Stored } from '@atoll/kube';
import type { Plan } from '../plan.ts';
import { executionRules } from './rules.ts';

/** Whether the first write of a plan for that reason is still sent where the cache has its node like that by then; of all else it knows nothing. */
export function isStillSent(plan: Plan, why: string, node: Stored<Node> | undefined, now: Instant): boolean {
  const step = plan.stages.flatMap(({ steps }) => steps).find((each) => each.why.word === why);
  if (step === undefined || step.do === 'event') throw new Error(`nothing is planned for ${why}`);
  return !executionRules.isOutdated(step, plan, {
    leads: true,
    stopping: false,
    now,
    cached: (resource) => ((resource as unknown) === nodes ? node : 'uncached'),
  });
}
