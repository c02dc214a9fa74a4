import type { ApiError } from '@atoll/kube';
import { isLasting } from './executor/answers/refusals.ts';
import type { Outcome, Step, StepResult } from './step.ts';

/** What the API server answered, and in which turn first; undefined: its step names none. */
export interface RefusedTrial {
  readonly answer: ApiError;
  readonly turn?: number | undefined;
}

/** What the API server refused when it was only tried (`try`), or was to be made or deleted and is remembered, by the name of the trial. */
export type RefusedTrials = ReadonlyMap<string, RefusedTrial>;

export const nothingRefused: RefusedTrials = new Map();

/**
 * What is refused after the steps of a plan. A trial that was not answered, or not sent, changes nothing. What the plan does not go by is forgotten.
 */
export function refusedAfter(
  before: RefusedTrials,
  { results }: Outcome,
  remembers?: readonly string[],
): RefusedTrials {
  const tried = triedIn(results);
  const goesBy = whatIsGoneBy(tried, remembers);
  const after = new Map([...before].filter(([trial]) => tried.has(trial) || goesBy(trial)));
  for (const result of results) {
    const trial = trialOf(result.step);
    if (trial === undefined) continue;
    if (result.did === 'done') after.delete(trial);
    if (isRefusal(result)) {
      const { turn } = before.get(trial) ?? turnOf(result.step);
      after.set(trial, { answer: result.error, turn });
    }
  }
  if (after.size === 0) return nothingRefused;
  const isSame =
    after.size === before.size &&
    [...after].every(([trial, { answer }]) => before.get(trial)?.answer.message === answer.message);
  return isSame ? before : after;
}

/** One of several whose trial was refused. */
export interface RefusedOne<T> extends RefusedTrial {
  readonly of: T;
  readonly trial: string;
}

/** Those that were refused under the name of their trial; undefined: one has none. */
export function refusedAmong<T>(
  all: readonly T[],
  refused: RefusedTrials,
  trialName: (each: T) => string | undefined,
): readonly RefusedOne<T>[] {
  if (refused.size === 0) return [];
  return all.flatMap((of): readonly RefusedOne<T>[] => {
    const trial = trialName(of);
    const found = trial === undefined ? undefined : refused.get(trial);
    return trial === undefined || found === undefined ? [] : [{ of, trial, ...found }];
  });
}

/** The trials among the steps, whatever became of them. */
export function triedIn(results: readonly StepResult[]): ReadonlySet<string> {
  return new Set(results.flatMap(({ step }) => trialOf(step) ?? []));
}

/** Of trials that a plan did not try, those that it goes by: all that it names; where it names none, all of them, unless it tries nothing. */
export function whatIsGoneBy(
  tried: ReadonlySet<string>,
  remembers: readonly string[] | undefined,
): (trial: string) => boolean {
  if (remembers === undefined) return () => tried.size > 0;
  const named = new Set(remembers);
  return (trial) => named.has(trial);
}

/** Under which name it is remembered that a step was refused; undefined: it is not. */
export function trialOf(step: Step): string | undefined {
  return step.do === 'try' || step.do === 'create' || step.do === 'delete' ? step.trial : undefined;
}

function turnOf(step: Step): { readonly turn?: number } {
  return step.do === 'try' || step.do === 'create' ? step : {};
}

/** Whether a trial had another answer than its plan was made for: the next plan differs. What is deleted is as planned. */
export function isUnexpected(result: StepResult): boolean {
  const { step } = result;
  if (step.do !== 'try' && (step.do !== 'delete' || step.trial === undefined)) return false;
  if (step.isRetry !== true) return isRefusal(result);
  return step.do === 'try' && result.did === 'done';
}

function isRefusal(result: StepResult): result is Extract<StepResult, { readonly did: 'failed' }> {
  return result.did === 'failed' && isLasting(result.error) && !result.error.retryable;
}
