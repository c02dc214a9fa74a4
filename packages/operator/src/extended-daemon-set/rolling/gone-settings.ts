import { replicaSetConditions, type ExtendedDaemonSetReplicaSet } from '@atoll/api';
import { instantOf, type Instant, type Stored } from '@atoll/kube';
import type { HoldRule } from '../../engine/rollout/target-hold.ts';
import type { NodeTarget } from '../fleet/node-targets.ts';
import { trueCondition, type OldStatement } from '../replica-sets/conditions.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

/** So long a setting is gone before its pods are replaced: one that is replaced as a whole is deleted, and made again within seconds. */
export const settingGoneForMs = 10_000;

/**
 * Since when there are outdated pods that were made with settings which are gone; undefined: there are none. The replica set's condition shows it, so that another
 * process knows it too. A setting that goes while pods of another one are still to be replaced gets no time of its own.
 */
export function settingsGoneSince(
  replicaSet: ReplicaSet,
  targets: readonly NodeTarget[],
  now: Instant,
): Instant | undefined {
  if (!targets.some((each) => goneOf(each) !== undefined)) return undefined;
  const since = instantOf(trueCondition(replicaSet, replicaSetConditions.settingsGone)?.lastUpdateTime);
  // A time that lies ahead is of a clock that was.
  return since !== undefined && since <= now ? since : now;
}

/** What the condition of the replica set shows of them. */
export function goneStatement(since: Instant | undefined): OldStatement {
  const type = replicaSetConditions.settingsGone;
  return since === undefined ? { type, holds: false } : { type, holds: true, updatedAt: since };
}

/** Pods stay that were made with a setting which went a moment ago: where it is made again, none of them has to be replaced twice. */
export function whereSettingGone(targets: readonly NodeTarget[], since: Instant | undefined): HoldRule {
  if (since === undefined) return () => undefined;
  const until = since + settingGoneForMs;
  const byNode = new Map(targets.map((each) => [each.target.id, goneOf(each)]));
  return ({ id }, now) => {
    const name = byNode.get(id);
    if (name === undefined || until <= now) return undefined;
    const waitingUntil = `the ExtendedDaemonsetSetting ${name}, which the pod was made with, has been gone for 10 s: where it comes back before that, no pod restarts`;
    return { reason: 'BatchInterval', waitsFor: 'time', waitingUntil, until };
  };
}

/** The setting of an outdated pod that is not there any more. */
function goneOf({ outdatedBy, overrides }: NodeTarget): string | undefined {
  return outdatedBy === undefined ? undefined : overrides.gone;
}
