import { canaryReasons } from '@atoll/api';
import type { Instant, Pod, Stored } from '@atoll/kube';
import { containerStatusesOf } from '../../../engine/rollout/health.ts';

export interface LastRestart {
  readonly at: Instant;
  readonly message: string;
  readonly reason: string;
}

/** The newest restart of a container of these pods. */
export function lastRestart(pods: readonly Stored<Pod>[]): LastRestart | undefined {
  let last: LastRestart | undefined;
  for (const pod of pods) {
    for (const { restartCount, lastState } of containerStatusesOf(pod)) {
      const at = Date.parse(lastState?.terminated?.finishedAt ?? '');
      if (restartCount === 0 || Number.isNaN(at) || at <= (last?.at ?? -Infinity)) continue;
      const reason = lastState?.terminated?.reason ?? canaryReasons.unknown;
      last = { at, reason, message: `Pod ${pod.metadata.name} restarting with reason: ${reason}` };
    }
  }
  return last;
}

interface Restarted {
  readonly pod: string;
  readonly count: number;
  readonly reason: string;
}

function mostRestarts(pods: readonly Stored<Pod>[]): Restarted | undefined {
  let worst: Restarted | undefined;
  for (const pod of pods) {
    for (const { restartCount: count, lastState } of containerStatusesOf(pod)) {
      if (count <= (worst?.count ?? 0)) continue;
      worst = {
        pod: pod.metadata.name,
        count,
        reason: lastState?.terminated?.reason ?? canaryReasons.unknown,
      };
    }
  }
  return worst;
}

/** That a container has restarted more often than it may; undefined: none has. `limit` undefined: restarts are not asked. */
export function tooManyRestarts(
  pods: readonly Stored<Pod>[],
  limit: { readonly maxRestarts: number } | undefined,
): { readonly reason: string; readonly message: string } | undefined {
  const worst = limit === undefined ? undefined : mostRestarts(pods);
  if (limit === undefined || worst === undefined || worst.count <= limit.maxRestarts) return undefined;
  const { pod, count, reason } = worst;
  return { reason, message: `pod ${pod} has restarted ${count} times, more than ${limit.maxRestarts}` };
}
