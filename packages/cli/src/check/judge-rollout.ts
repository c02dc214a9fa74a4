import type { ExtendedDaemonSet } from '@atoll/api';
import type { Stored } from '@atoll/kube';
import { canaryIn, isSpecSeen, whyUnknown } from '../eds/objects.ts';

/** What counts as complete (`reference/extendeddaemonset.md` 4.2). */
export interface Completion {
  /** Percent of the pods that must be up to date. */
  readonly percent: number;
  /** Complete as well when fewer than so many are missing. */
  readonly fewerThan: number;
}

export type Verdict =
  | { readonly is: 'complete'; readonly message: string }
  | { readonly is: 'waiting'; readonly message: string }
  | { readonly is: 'failed'; readonly message: string };

/**
 * How a rollout stands. `activeSince`: when the active replica set was made.
 */
export function judgeRollout(
  object: Stored<ExtendedDaemonSet>,
  activeSince: number | undefined,
  { percent, fewerThan }: Completion,
): Verdict {
  const { metadata, status } = object;
  const { name } = metadata;
  if (status === undefined) return { is: 'waiting', message: `${name} has no status yet` };
  if (!isSpecSeen(object))
    return { is: 'waiting', message: `the operator has not seen the current spec of ${name} yet` };
  const unknown = whyUnknown(object);
  if (unknown !== undefined)
    return { is: 'failed', message: `the active replica set of ${name} is not known: ${unknown}` };
  const failed = status.conditions?.find(({ type }) => type === 'Canary-Failed');
  const failedAt = Date.parse(failed?.lastTransitionTime ?? '');
  const canary = canaryIn(object);
  // It turns False when the template goes back; beside a canary it is about the one before.
  const isAboutThis = canary === '' || failed?.status === 'True';
  if (isAboutThis && activeSince !== undefined && activeSince < failedAt)
    return { is: 'failed', message: `the canary of ${name} failed at ${failed?.lastTransitionTime}` };
  if (canary !== '')
    return { is: 'waiting', message: `the canary ${canary} of ${name} is under way (${status.state ?? ''})` };
  const { state = '', upToDate } = status;
  // A pod that was deleted and is not made again yet is missing too.
  const count = Math.max(status.current, status.desired);
  if (state === '')
    return { is: 'waiting', message: `the operator has not reported the state of ${name} yet` };
  if (state !== 'Running') return { is: 'failed', message: `${name} is ${state}, not Running` };
  const message = `${upToDate} of ${count} pods of ${name} are up to date`;
  const isComplete = upToDate >= count || upToDate > (count * percent) / 100 || count - upToDate < fewerThan;
  return { is: isComplete ? 'complete' : 'waiting', message };
}
