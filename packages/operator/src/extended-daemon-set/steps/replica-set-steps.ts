import {
  extendedDaemonSetReplicaSets,
  replicaSetConditions,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetReplicaSet,
} from '@atoll/api';
import type { Instant, Stored } from '@atoll/kube';
import { deletion } from '../../engine/steps/deletion.ts';
import { patchAsSeen } from '../../engine/steps/patch-as-seen.ts';
import { toTimestamp } from '../../engine/status/conditions.ts';
import type { Step } from '../../engine/step.ts';
import { mergeOldConditions } from '../replica-sets/conditions.ts';
import { renderReplicaSet } from '../replica-sets/render-replica-set.ts';
import { emptyStatus } from '../report/replica-set-status.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

export function createReplicaSet(
  object: Stored<ExtendedDaemonSet>,
  replicaSets: readonly ReplicaSet[],
): Step {
  return {
    do: 'create',
    resource: extendedDaemonSetReplicaSets,
    object: renderReplicaSet(object, replicaSets),
    managed: 'once',
    why: { word: 'ReplicaSetCreated', message: `the template of ${object.metadata.name} has no replica set` },
  };
}

/**
 * Written before the pods are deleted, so that a process that starts anew keeps the interval; after them where they may be refused again. `after`: what has to
 * be done before.
 */
export function recordBatch(replicaSet: ReplicaSet, after: readonly string[], now: Instant): Step {
  const statement = {
    type: replicaSetConditions.podDeletion,
    holds: true,
    message: 'pods deleted',
    updatedAt: now,
  };
  const status = {
    ...emptyStatus,
    ...replicaSet.status,
    conditions: mergeOldConditions(replicaSet.status?.conditions, [statement], now),
  };
  return {
    ...patchAsSeen(extendedDaemonSetReplicaSets, replicaSet, { type: 'merge', body: { status } }),
    subresource: 'status',
    ...(after.length === 0 ? {} : { dependsOn: after }),
    why: { word: 'BatchRecorded', message: `a batch is deleted at ${toTimestamp(now)}` },
  };
}

/**
 * That nothing runs it is what the cache of pods shows, which may be behind: pods that it has all the same are released, and replaced in turn, where the
 * garbage collector would end them all at once. Somebody who deletes it meanwhile, or lets it go, has decided what becomes of it.
 */
export function deleteObsolete(replicaSet: ReplicaSet): Step {
  return {
    ...deletion(extendedDaemonSetReplicaSets, replicaSet, { asSeen: true }),
    propagation: 'Orphan',
    why: { word: 'ReplicaSetObsolete', message: `nothing runs the template of ${replicaSet.metadata.name}` },
  };
}
