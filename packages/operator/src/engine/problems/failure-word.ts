import type { ReasonWord } from '@atoll/api';
import { changedBack } from '../executor/answers/changed-back.ts';
import { nameTaken } from '../executor/answers/judge.ts';
import type { StepResult } from '../step.ts';

/** The catalogue's word for a failed step: the same in condition, event, metric and log. */
export function failureWord({ error, step }: Extract<StepResult, { readonly did: 'failed' }>): ReasonWord {
  if (error.reason === nameTaken) return 'NameTaken';
  if (error.reason === changedBack) return 'ChangedBack';
  if (step.do === 'delete' && step.evict === true && error.code === 429) return 'DisruptionBudget';
  // Whether the API server refused what was asked, as opposed to: no answer, later, or a failure of its own.
  const refused = error.fate === 'refused' && error.code !== 429;
  return refused ? (step.ifRefused ?? 'ChildRefused') : 'ServerUnavailable';
}
