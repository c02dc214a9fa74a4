import type { ExtendedDaemonSetCondition } from '@atoll/api';
import { toTimestamp } from '../../../engine/status/conditions.ts';
import { instantOf, type Instant } from '@atoll/kube';
import type { LastRestart } from './pod-restarts.ts';

/**
 * The restart with a time of our own clock. Where the clock of a kubelet is ahead, its time would lie in the future, and a canary would wait longer
 * than its noRestartsDuration: such a restart gets the time when it was first seen. The recorded message has the kubelet's time, by which the restart
 * is recognised later.
 */
export function restartByOwnClock(
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
