import type { ExtendedDaemonSetCondition } from '@atoll/api';
import type { Instant } from '@atoll/kube';
import { toTimestamp } from '../../engine/status/conditions.ts';
import { instantOf } from '../replica-sets/conditions.ts';
import type { LastRestart } from './canary-verdict.ts';

/**
 * The restart, at a time of our own clock. By the clock of a kubelet that is ahead it would lie in the future, and a canary would wait for
 * longer than its noRestartsDuration: such a one is of the time when it was seen, and recorded with its own time as its name.
 */
export function notedRestart(
  found: LastRestart | undefined,
  recorded: Pick<ExtendedDaemonSetCondition, 'message' | 'lastUpdateTime'> | undefined,
  now: Instant,
): LastRestart | undefined {
  if (found === undefined) return undefined;
  const message = `${found.message} (at ${toTimestamp(found.at)} by the clock of its node, which is ahead)`;
  const seenAt = recorded?.message === message ? instantOf(recorded.lastUpdateTime) : undefined;
  if (seenAt !== undefined && seenAt <= now) return { ...found, message, at: seenAt };
  return found.at > now ? { ...found, message, at: now } : found;
}
