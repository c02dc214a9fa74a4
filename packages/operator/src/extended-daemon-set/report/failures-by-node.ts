import { failuresOf, type Failure } from '../../engine/failures.ts';
import type { Outcome } from '../../engine/step.ts';
import type { RolledFleet } from '../rolling/roll-fleet.ts';
import { trialName } from '../rolling/trial-name.ts';

/** The failed writes of an outcome. One pod is tried for many nodes, so a trial that was refused is a failure of each node whose pod stays. */
export function failuresByNode(
  outcome: Outcome,
  { active, canary }: Pick<RolledFleet, 'active' | 'canary'>,
): readonly Failure[] {
  const failures = failuresOf(outcome);
  if (!failures.some(({ step }) => step.do === 'try')) return failures;
  const nodesOf = new Map<string, string[]>();
  for (const rolling of [canary, active]) {
    if (rolling === undefined) continue;
    for (const each of rolling.refused) {
      const trial = trialName(rolling.replicaSet, each);
      const nodes = nodesOf.get(trial);
      if (nodes === undefined) nodesOf.set(trial, [each.target.id]);
      else nodes.push(each.target.id);
    }
  }
  return failures.flatMap((failure) => {
    const nodes = failure.step.do === 'try' ? nodesOf.get(failure.step.trial) : undefined;
    return nodes?.sort().map((target) => ({ ...failure, target })) ?? [failure];
  });
}
