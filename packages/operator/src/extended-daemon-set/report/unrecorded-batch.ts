import { ApiError } from '@atoll/kube';
import type { FailedStep } from '../../engine/problems/failures.ts';

/** The failure, with what stays because of it where it is that of the record of a batch: the write of a status does not show that to people. */
export function withWhatStays(failed: FailedStep): FailedStep {
  if (failed.step.why.word !== 'BatchRecorded') return failed;
  const { fate, code, reason, attempted, status, retryAfterMs, message } = failed.error;
  const answered = status?.message ?? message.replace(`${attempted}: `, '');
  const error = new ApiError({
    fate,
    code,
    reason,
    attempted,
    status,
    retryAfterMs,
    message: `outdated pods stay until the time of their deletion can be recorded: ${answered}`,
    cause: failed.error,
  });
  return { ...failed, error };
}
