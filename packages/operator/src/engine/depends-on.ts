import type { Step, StepResult } from './step.ts';

/**
 * Whether a step has to wait because one that it depends on did not happen. A write that the API server refused for good does not
 * hold it back: that would make one object that cannot be written stop all the others. What was only tried does: that is what it is tried for.
 */
export function isBlockedByFailure({ dependsOn = [] }: Step, earlier: readonly StepResult[]): boolean {
  if (dependsOn.length === 0) return false;
  return earlier.some((result) => {
    const { step } = result;
    const name = step.do === 'create' || step.do === 'try' ? step.object.metadata.name : undefined;
    const written = 'uid' in step ? step.uid : name;
    if (written === undefined || !dependsOn.includes(written)) return false;
    if (step.do === 'try') return result.did !== 'done';
    return result.did === 'skipped' || (result.did === 'failed' && result.error.retryable);
  });
}
