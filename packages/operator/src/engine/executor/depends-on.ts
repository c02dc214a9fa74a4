import { formatKey, isApiError, keyOf, type ApiError } from '@atoll/kube';
import type { Step, StepResult } from '../step.ts';
import { saysNothing } from './answers/judge-trial.ts';

/**
 * Whether a step has to wait because one that it depends on did not happen. A write that the API server refused for good does not
 * hold it back: one object that cannot be written must not stop all the others. The exceptions:
 *
 * - What could not be deleted keeps its name, so nothing can be made under it.
 * - A deletion waits where a write that it depends on was refused, unless by a quota: the deletion makes room for that.
 * - A trial that was refused holds back what depends on it. Of several objects that were tried to be made one must have succeeded, of those
 *   that were tried to be changed all.
 */
export function isBlockedByFailure(step: Step, earlier: readonly StepResult[]): boolean {
  const { dependsOn = [] } = step;
  if (dependsOn.length === 0) return false;
  const needed = earlier.filter(({ step: before }) => {
    const name = before.do === 'create' || before.do === 'try' ? before.object.metadata.name : undefined;
    const written = 'uid' in before ? before.uid : name;
    return written !== undefined && dependsOn.includes(written);
  });
  const tried = needed.filter(({ step: before }) => isTried(before));
  if (tried.length > 0 && tried.every(({ did }) => did !== 'done')) return true;
  if (tried.some(({ step: before, did }) => isTriedChange(before) && did !== 'done')) return true;
  if (needed.some(({ step: before, did }) => did === 'failed' && isInPlaceOf(step, before))) return true;
  if (step.do === 'delete' && needed.some(isNotWritten)) return true;
  return needed.some(
    (result) =>
      !isTried(result.step) &&
      (result.did === 'failed'
        ? mayPass(result.error)
        : result.did === 'skipped' || result.step.isPreliminary === true),
  );
}

/** Of two creations at once a quota refuses one, with a conflict, and takes it when it is sent again. */
function mayPass(error: ApiError): boolean {
  return error.retryable || isApiError(error, 'Conflict');
}

function isNotWritten(result: StepResult): boolean {
  const { step, did } = result;
  const isMeant = step.do === 'create' || step.do === 'apply' || step.do === 'patch';
  return isMeant && did === 'failed' && !saysNothing(result.error);
}

function isTried(step: Step): boolean {
  return step.do === 'try' || (step.do === 'delete' && step.isRetry === true);
}

function isTriedChange(step: Step): boolean {
  return step.do === 'try' && step.uid !== undefined;
}

/** Whether it makes an object under the name of the one that is deleted before. */
function isInPlaceOf(step: Step, before: Step): boolean {
  if (step.do !== 'create' || before.do !== 'delete' || step.resource !== before.resource) return false;
  return formatKey(keyOf(step.object)) === formatKey(before.key);
}
