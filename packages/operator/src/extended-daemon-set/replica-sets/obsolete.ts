import { extendedDaemonSetTimes, replicaSetConditions, type ExtendedDaemonSetReplicaSet } from '@atoll/api';
import { instantOf, type Instant, type Stored } from '@atoll/kube';
import { isTerminating } from '../../children/child.ts';
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
    const since = [failed?.lastTransitionTime, failed?.lastUpdateTime].flatMap(
      (time) => instantOf(time) ?? [],
    );
    return since.length === 0 ? now : Math.max(...since) + extendedDaemonSetTimes.failedReplicaSetKept;
  };
  const later = unused.map(dueAt).filter((due) => due > now);
  return {
    replicaSets: unused.filter((each) => dueAt(each) <= now),
    nextAt: later.length === 0 ? undefined : Math.min(...later),
  };
}
