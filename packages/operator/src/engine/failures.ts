import type { ApiError } from '@atoll/kube';
import type { Outcome, Step } from './step.ts';

/** A step that failed in a way that people should hear of. */
export interface Failure {
  readonly step: Step;
  readonly target: string | undefined;
  readonly error: ApiError;
  /** As `Trouble.stalls`: what would have to happen before the same request can succeed. */
  readonly stalls: 'now' | 'if-it-lasts' | 'never';
}

/**
 * The failures of an outcome. A conflict is none, nor an object that went away meanwhile: both mean that the plan was
 * made of something old, and the next one is made of something newer.
 */
export function failuresOf(outcome: Outcome): readonly Failure[] {
  const failures: Failure[] = [];
  for (const result of outcome.results) {
    if (result.did !== 'failed' || result.step.do === 'event') continue;
    const { step, error } = result;
    if (error.reason === 'Conflict') continue;
    if (error.reason === 'NotFound' && step.do !== 'create') continue;
    failures.push({ step, target: step.target, error, stalls: stallsBy(error) });
  }
  return failures;
}

function stallsBy(error: ApiError): Failure['stalls'] {
  if (error.retryable) return 'never';
  return error.reason === 'Invalid' || error.reason === 'BadRequest' ? 'now' : 'if-it-lasts';
}
