import {
  extendedDaemonSetConditions,
  extendedDaemonSetTimes,
  replicaSetConditions,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetReplicaSet,
} from '@atoll/api';
import { conditionOf, instantOf, type Instant, type Stored } from '@atoll/kube';
import { isTerminating } from '../../children/child.ts';
import { failedMessage } from '../canary/end-of-canary.ts';
import { trueCondition } from './conditions.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

export interface Obsolete {
  readonly replicaSets: readonly ReplicaSet[];
  /** When the next one is. */
  readonly nextAt: Instant | undefined;
}

/**
 * The replica sets of which nothing is left: they are neither in use, by name, nor own a pod, one that is still being deleted included. One that
 * failed stays for two minutes after its template was in the spec last, so that the failure can be read, and the same template fails again at once.
 */
export function obsoleteReplicaSets(
  object: Pick<ExtendedDaemonSet, 'status'>,
  replicaSets: readonly ReplicaSet[],
  inUse: ReadonlySet<string | undefined>,
  ownsPods: (uid: string) => boolean,
  now: Instant,
): Obsolete {
  const unused = replicaSets.filter(
    (each) => !isTerminating(each) && !inUse.has(each.metadata.name) && !ownsPods(each.metadata.uid),
  );
  const dueAt = (each: ReplicaSet): Instant => {
    const failed = trueCondition(each, replicaSetConditions.canaryFailed);
    if (failed === undefined) return now;
    const since = [failed.lastTransitionTime, failed.lastUpdateTime].flatMap((time) => instantOf(time) ?? []);
    const times = [...since, ...endOfFailure(object, each.metadata.name, now)];
    return times.length === 0 ? now : Math.max(...times) + extendedDaemonSetTimes.failedReplicaSetKept;
  };
  const later = unused.map(dueAt).filter((due) => due > now);
  return {
    replicaSets: unused.filter((each) => dueAt(each) <= now),
    nextAt: later.length === 0 ? undefined : Math.min(...later),
  };
}

/**
 * When another template followed the one that failed, by the condition of the object: where the spec kept that one, this may be long after the failure. One that is
 * still True turns with the next status.
 */
function endOfFailure(
  object: Pick<ExtendedDaemonSet, 'status'>,
  name: string,
  now: Instant,
): readonly Instant[] {
  const shown = conditionOf(object, extendedDaemonSetConditions.canaryFailed);
  if (shown?.message !== failedMessage(name)) return [];
  const endedAt = shown.status === 'True' ? now : instantOf(shown.lastTransitionTime);
  return endedAt === undefined ? [] : [endedAt];
}
