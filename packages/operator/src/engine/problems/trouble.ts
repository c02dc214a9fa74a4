import { reasonsUntilAChange } from '@atoll/api';
import type { Instant } from '@atoll/kube';
import { describeHold, nameTargets } from './describe-hold.ts';
import type { Trouble } from '../status/conditions.ts';
import type { Failure } from './failures.ts';
import type { Hold } from '../hold.ts';

/** What is wrong, if anything: refusals before holds, because they name the field. `since`: when it began. */
export function troubleOf(
  holds: readonly Hold[],
  failures: readonly Failure[],
  since: Instant,
): Trouble | undefined {
  if (failures.length > 0) {
    const { reason } = failures[0] as Failure;
    return { reason, message: failureMessage(failures), since, stalls: stallsOf(failures) };
  }
  const allBad = holds.filter((hold) => hold.bad);
  const [bad] = allBad;
  if (bad === undefined) return undefined;
  const lasting = allBad.every(({ mayPass }) => mayPass === true) ? 'never' : 'if-it-lasts';
  const stalls = reasonsUntilAChange.includes(bad.reason) ? 'now' : lasting;
  const began = Math.min(since, bad.since ?? since);
  return { reason: bad.reason, message: describeHold(bad), since: began, stalls };
}

/**
 * Which targets, and the message of the API server about the first, with the path of the field. One about the object itself, as where its
 * revision is refused, stands alone: it is of no target, whatever else failed.
 */
export function failureMessage(failures: readonly Failure[]): string {
  const [first] = failures;
  const message = first?.error.message ?? '';
  if (first?.target === undefined) return message;
  const targets = new Set(failures.flatMap(({ target }) => target ?? []));
  const differ = targets.size > 1 && failures.some(({ error }) => error.message !== message);
  return `${nameTargets([...targets], differ ? first.target : undefined)}: ${message}`;
}

/** One that nothing but a change can help decides; what will pass by itself does so only where it is all there is. */
function stallsOf(failures: readonly Failure[]): Trouble['stalls'] {
  if (failures.some((each) => each.stalls === 'now')) return 'now';
  return failures.every((each) => each.stalls === 'never') ? 'never' : 'if-it-lasts';
}
