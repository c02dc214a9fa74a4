import type { Step, StepResult } from './step.ts';

/**
 * Whether a step has to wait because one that it depends on did not happen. What the API server refused for good does not
 * hold it back: that would make one object that cannot be written stop all the others.
 */
export function isBlockedByFailure({ dependsOn = [] }: Step, earlier: readonly StepResult[]): boolean {
  if (dependsOn.length === 0) return false;
  return earlier.some((result) => {
    const { step } = result;
    const written = 'uid' in step ? step.uid : step.do === 'create' ? step.object.metadata.name : undefined;
    if (written === undefined || !dependsOn.includes(written)) return false;
    return result.did === 'skipped' || (result.did === 'failed' && result.error.retryable);
  });
}
