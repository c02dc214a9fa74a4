import type { Step, StepResult } from './step.ts';

/**
 * Whether a step has to wait because one that it depends on did not happen. A write that the API server refused for good does not
 * hold it back: that would make one object that cannot be written stop all the others. What was only tried does: that is what it is tried for;
 * of several one must have been found good.
 */
export function isBlockedByFailure({ dependsOn = [] }: Step, earlier: readonly StepResult[]): boolean {
  if (dependsOn.length === 0) return false;
  const needed = earlier.filter(({ step }) => {
    const name = step.do === 'create' || step.do === 'try' ? step.object.metadata.name : undefined;
    const written = 'uid' in step ? step.uid : name;
    return written !== undefined && dependsOn.includes(written);
  });
  const tried = needed.filter(({ step }) => step.do === 'try');
  if (tried.length > 0 && tried.every(({ did }) => did !== 'done')) return true;
  return needed.some(
    (result) =>
      result.step.do !== 'try' &&
      (result.did === 'skipped' || (result.did === 'failed' && result.error.retryable)),
  );
}
