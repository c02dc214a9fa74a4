import type { ReasonWord } from '@atoll/api';
import type { ApiError } from '@atoll/kube';
import type { Outcome, Step } from '../step.ts';
import { failureWord } from './failure-word.ts';
import { isPolicyDenial } from './policy-denial.ts';

/** What failed in a way that people should know. */
export interface Failure {
  readonly target: string | undefined;
  readonly error: ApiError;
  readonly reason: ReasonWord;
  /** As `Trouble.stalls`: what would have to happen before the same request can succeed. */
  readonly stalls: 'now' | 'if-it-lasts' | 'never';
}

export interface FailedStep extends Failure {
  readonly step: Step;
}

/** The failed writes of an outcome. What was skipped because the world moved is none: the next plan sees it as it is. */
export function failuresOf(outcome: Outcome): readonly FailedStep[] {
  const failures: FailedStep[] = [];
  for (const result of outcome.results) {
    if (result.did !== 'failed' || result.step.do === 'event') continue;
    const { step, error } = result;
    failures.push({ step, ...failureOf(step.target, error, failureWord(result)) });
  }
  return failures;
}

/** That the API server gave this answer, for a target or for the object itself. */
export function failureOf(target: string | undefined, error: ApiError, reason: ReasonWord): Failure {
  return { target, error, reason, stalls: stallsBy(error) };
}

function stallsBy(error: ApiError): Failure['stalls'] {
  if (error.retryable) return 'never';
  if (isPolicyDenial(error)) return 'if-it-lasts';
  return error.reason === 'Invalid' || error.reason === 'BadRequest' ? 'now' : 'if-it-lasts';
}
