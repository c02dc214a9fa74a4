import { ApiError } from '@atoll/kube';
import { failuresOf, type Failure } from '../../engine/failures.ts';
import type { RefusedTrials } from '../../engine/refused-trials.ts';
import type { Outcome } from '../../engine/step.ts';
import type { RolledFleet } from '../rolling/roll-fleet.ts';
import { trialName } from '../rolling/trial-name.ts';

/**
 * The failed writes of an outcome. One pod is tried for many nodes, so a trial that was refused is a failure of each node whose pod stays. Of many that
 * were refused some are tried at a time: the others have the answer of before, so that what is reported does not depend on whose turn it is.
 */
export function failuresByNode(
  outcome: Outcome,
  { active, canary }: Pick<RolledFleet, 'active' | 'canary'>,
  refused: RefusedTrials,
): readonly Failure[] {
  const failures = failuresOf(outcome);
  if (!failures.some(isTrial)) return failures;
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
  const tried = failures.flatMap((failure) => {
    const nodes = failure.step.do === 'try' ? nodesOf.get(failure.step.trial) : undefined;
    return nodes?.sort().map((target) => ({ ...failure, target })) ?? [failure];
  });
  const later = triedLater(outcome, failures, nodesOf, refused);
  if (later.length === 0) return tried;
  return [
    ...[...tried.filter(isTrial), ...later].sort(byTarget),
    ...tried.filter((failure) => !isTrial(failure)),
  ];
}

function triedLater(
  { results }: Outcome,
  failures: readonly Failure[],
  nodesOf: ReadonlyMap<string, readonly string[]>,
  refused: RefusedTrials,
): readonly Failure[] {
  const like = failures.find((failure) => isTrial(failure) && !failure.error.retryable);
  if (like === undefined) return [];
  const tried = new Set(results.flatMap(({ step }) => (step.do === 'try' ? [step.trial] : [])));
  return [...nodesOf].flatMap(([trial, nodes]) => {
    const answer = refused.get(trial);
    if (tried.has(trial) || answer === undefined) return [];
    return nodes.map((target) => ({ ...like, target, error: answered(like.error, answer) }));
  });
}

/** The refusal of another pod: `answer` begins with what was attempted. */
function answered({ fate, code, reason }: ApiError, answer: string): ApiError {
  const [attempted = '', ...message] = answer.split(': ');
  return new ApiError({ fate, code, reason, attempted, message: message.join(': ') });
}

function isTrial({ step }: Failure): boolean {
  return step.do === 'try';
}

function byTarget({ target: a = '' }: Failure, { target: b = '' }: Failure): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
