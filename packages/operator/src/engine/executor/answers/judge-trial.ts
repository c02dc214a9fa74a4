import type { ApiError, KubeObject } from '@atoll/kube';
import type { Step, StepResult } from '../../step.ts';
import type { Answer } from '../requests/request.ts';
import { answerIn, inOtherWords } from './in-other-words.ts';
import { loweredError, loweredReplicas } from './lowered-replicas.ts';
import { isOverdrawn } from './overdrawn-quota.ts';

type Trial = Extract<Step, { readonly do: 'try' }>;

/** What the answer to a dry run means: whether such an object would be made, where nothing is in its way, or changed. Nothing was changed by it. */
export function judgeTrial(step: Trial, answer: Answer): StepResult {
  const lowered = answer.ok ? loweredBy(step, answer.object) : undefined;
  if (lowered !== undefined) return { step, did: 'failed', error: lowered };
  if (answer.ok || makesRoom(step, answer.error)) return { step, did: 'done' };
  // What was not answered is asked again.
  if (answer.error.retryable) return { step, did: 'failed', error: answer.error };
  const { resource, object, uid } = step;
  const answered = answerIn(answer.error);
  const message =
    uid === undefined
      ? `the API server would refuse a new ${resource.kind}, so the old one stays: ${answered}`
      : `the API server would refuse the change of ${resource.kind} ${object.metadata.name}, so no other one shrinks or is deleted for it: ${answered}`;
  return { step, did: 'failed', error: inOtherWords(answer.error, message) };
}

/** Whether what is replaced is all that is in the way. */
function makesRoom({ asksTheSame = false }: Trial, error: ApiError): boolean {
  return saysNothing(error) && !isOverdrawn(error.message, asksTheSame);
}

/** A mutating webhook, or a policy, would leave a child that is there with fewer replicas than are asked for: as good as refused. */
function loweredBy({ resource, object, uid }: Trial, answer: KubeObject | undefined): ApiError | undefined {
  const lowered = uid === undefined ? undefined : loweredReplicas(object, answer);
  if (lowered === undefined) return undefined;
  const { asked, left } = lowered;
  return loweredError(
    'apply',
    `the change of ${resource.kind} ${object.metadata.name} to ${asked} replicas would leave it with ${left}, so no other one shrinks or is deleted for it`,
  );
}

/**
 * A refusal that is none of the object. The name is looked up after all else was found good, and is that of the object which is to be replaced. Quotas
 * come last, and what is replaced makes room. A webhook with side effects is not asked by dry run, and the API server does not ask the others then.
 */
export function saysNothing(error: ApiError): boolean {
  const isOfOthers = isQuotaFull(error.message) || error.message.includes('does not support dry run');
  return error.reason === 'AlreadyExists' || isOfOthers;
}

/** Whether the API server's words are that a quota has no room. */
export function isQuotaFull(message: string): boolean {
  return message.includes('exceeded quota: ');
}
