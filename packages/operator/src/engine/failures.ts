import type { ReasonWord } from '@atoll/api';
import type { ApiError } from '@atoll/kube';
import { failureWord } from './announce.ts';
import type { Outcome, Step } from './step.ts';

/** A step that failed in a way that people should know. */
export interface Failure {
  readonly step: Step;
  readonly target: string | undefined;
  readonly error: ApiError;
  readonly reason: ReasonWord;
  /** As `Trouble.stalls`: what would have to happen before the same request can succeed. */
  readonly stalls: 'now' | 'if-it-lasts' | 'never';
}

/** The failed writes of an outcome. What was skipped because the world moved is none: the next plan sees it as it is. */
export function failuresOf(outcome: Outcome): readonly Failure[] {
  const failures: Failure[] = [];
  for (const result of outcome.results) {
    if (result.did !== 'failed' || result.step.do === 'event') continue;
    const { step, error } = result;
    const reason = failureWord(result);
    failures.push({ step, target: step.target, error, reason, stalls: stallsBy(error) });
  }
  return failures;
}

function stallsBy(error: ApiError): Failure['stalls'] {
  if (error.retryable) return 'never';
  return error.reason === 'Invalid' || error.reason === 'BadRequest' ? 'now' : 'if-it-lasts';
}
