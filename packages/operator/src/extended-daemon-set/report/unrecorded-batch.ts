import { answerIn, inOtherWords } from '../../engine/executor/answers/in-other-words.ts';
import type { FailedStep } from '../../engine/problems/failures.ts';

/** The failure, with what stays because of it where it is that of the record of a batch: the write of a status does not show that to people. */
export function withWhatStays(failed: FailedStep): FailedStep {
  if (failed.step.why.word !== 'BatchRecorded') return failed;
  const what = 'outdated pods stay until the time of their deletion can be recorded';
  return { ...failed, error: inOtherWords(failed.error, `${what}: ${answerIn(failed.error)}`) };
}
