import type { Statement } from './conditions.ts';
import { describeHold } from '../problems/describe-hold.ts';
import type { Failure } from '../problems/failures.ts';
import type { Hold } from '../hold.ts';
import { failureMessage } from '../problems/trouble.ts';

/**
 * Conditions under the names that older operators of a kind gave them. Their reason is empty, or this one. Unlike with those
 * operators, a failure shows.
 */
const error = 'Error';

/** That something holds, unless what would make it so fails. */
export function oldStatement(type: string, holds: boolean, failures: readonly Failure[]): Statement {
  if (failures.length > 0) {
    return { type, status: 'False', reason: error, message: failureMessage(failures) };
  }
  return { type, status: holds ? 'True' : 'False', reason: '', message: '' };
}

/** That something fails, or is held by what is bad. */
export function oldFailureStatement(
  type: string,
  failures: readonly Failure[],
  holds: readonly Hold[],
): Statement {
  const held = holds.find(({ bad }) => bad);
  const message =
    failures.length > 0 ? failureMessage(failures) : held === undefined ? undefined : describeHold(held);
  if (message === undefined) return { type, status: 'False', reason: '', message: '' };
  return { type, status: 'True', reason: error, message };
}
