import {
  replicaSetConditions as types,
  replicaSetStates as states,
  type ExtendedDaemonSetReplicaSet,
  type ExtendedDaemonSetReplicaSetStatus,
} from '@atoll/api';
import { controllerOf, instantOf, isReady, type Instant, type Pod, type Stored } from '@atoll/kube';
import { isTerminating } from '../../children/child.ts';
import { cannotStart } from '../canary/canary-verdict.ts';
import type { FleetDecision } from '../decide.ts';
import { nodeOf } from '../../daemon-set/nodes/node-targets.ts';
import type { NodeTarget } from '../fleet/node-targets.ts';
import { hasEnded } from '../fleet/pods-by-node.ts';
import { mergeOldConditions, type OldStatement } from '../replica-sets/conditions.ts';
import { isFrozen } from '../rolling/held-by.ts';
import { matchingPods } from '../canary/canary.ts';
import type { Happened } from './happened.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

export const emptyStatus: ExtendedDaemonSetReplicaSetStatus = {
  status: states.unknown,
  desired: 0,
  current: 0,
  ready: 0,
  available: 0,
  ignoredUnresponsiveNodes: 0,
};

/** The status of each replica set: in whatever role it is, its counts, and the old operator's conditions. */
export function replicaSetStatus(
  replicaSet: ReplicaSet,
  fleet: FleetDecision,
  pods: readonly Stored<Pod>[],
  happened: Happened,
  now: Instant,
  /** False: the status of the object still names another one that is there. */
  isRecorded = true,
): ExtendedDaemonSetReplicaSetStatus {
  const { roles, active, held } = fleet;
  const { uid, generation } = replicaSet.metadata;
  const isActive = roles.active === replicaSet;
  const canary = !isActive && roles.canary?.replicaSet === replicaSet ? roles.canary : undefined;
  const isTried = canary !== undefined && roles.canaryToRecord !== undefined;
  const { failed } = roles;
  const targets = isActive ? (active?.targets ?? []) : isTried ? canary.targets : undefined;
  const counts = targets === undefined ? countsOfPods(uid, pods, inUse(fleet)) : countsOfTargets(targets);
  const verdict = canary?.verdict;
  const paused = verdict?.is === 'paused' ? verdict : undefined;
  const hasFailed = canary !== undefined && failed !== undefined ? failed : undefined;
  const stuck =
    canary === undefined
      ? undefined
      : canary.judged.flatMap((pod) => cannotStart(pod, undefined, now) ?? [])[0];
  const unscheduled = targets === undefined ? [] : unscheduledNodes(targets);
  // Where none is active, these show which one was: an object whose status has lost the name gets it back from them.
  const ofActive: readonly OldStatement[] = [
    { type: types.active, holds: isActive && held?.by !== 'paused' && !isFrozen(held) },
    { type: types.rollingUpdatePaused, holds: isActive && held?.by === 'paused' },
    { type: types.rolloutFrozen, holds: isActive && held?.by === 'frozen' },
    ...(isActive ? [{ type: types.canaryFailed, holds: false }] : []),
  ];
  // One whose object could not be written has not been active yet: where a canary comes first, that would pass for a proof of its template. And pods that
  // are not the object's end no role.
  const staysAsRecorded =
    roles.active === undefined ||
    (!isRecorded && held === undefined) ||
    held?.by === 'migration' ||
    held?.by === 'former';
  const statements: OldStatement[] = [
    ...(staysAsRecorded ? [] : ofActive),
    { type: types.canary, holds: isTried },
    { type: types.unschedule, holds: unscheduled.length > 0, message: `nodes:${unscheduled.join(';')}` },
    { type: types.reconcileError, holds: happened.error !== undefined, message: happened.error },
  ];
  if (canary !== undefined) {
    statements.push(
      {
        type: types.canaryPaused,
        holds: paused !== undefined,
        reason: paused?.reason,
        message: paused?.message,
      },
      // A second look at one that has failed must not take its reason away (BUG-16).
      ...(hasFailed === undefined || hasFailed.by === 'failed before'
        ? []
        : [{ type: types.canaryFailed, holds: true, reason: hasFailed.reason, message: hasFailed.message }]),
      {
        type: types.podCannotStart,
        holds: stuck !== undefined,
        reason: stuck?.reason,
        message: stuck?.message,
      },
    );
    const { restart, countsFrom } = canary;
    if (isTried && countsFrom > (instantOf(replicaSet.metadata.creationTimestamp) ?? now)) {
      const message = 'its duration counts from lastUpdateTime: it was paused before, or is tried again';
      statements.push({ type: types.canaryDuration, holds: true, message, updatedAt: countsFrom });
    }
    if (restart !== undefined) {
      const { at, reason, message } = restart;
      statements.push({ type: types.podRestarting, holds: true, reason, message, updatedAt: at });
    }
  } else if (roles.stopped?.replicaSet !== replicaSet) {
    statements.push({ type: types.canaryPaused, holds: false }, { type: types.podCannotStart, holds: false });
  }
  if (happened.created.has(uid)) {
    statements.push({ type: types.podCreation, holds: true, message: 'pods created', updatedAt: now });
  }
  const { name } = replicaSet.metadata;
  if (happened.deleted.has(name)) {
    statements.push({ type: types.podDeletion, holds: true, message: 'pods deleted', updatedAt: now });
  }
  const cleaned = happened.cleaned.get(name);
  if (cleaned !== undefined) statements.push({ type: types.podsCleanupDone, holds: cleaned });
  return {
    ...replicaSet.status,
    ...counts,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    status: isActive
      ? states.active
      : hasFailed !== undefined
        ? states.canaryFailed
        : isTried
          ? states.canary
          : states.unknown,
    conditions: mergeOldConditions(replicaSet.status?.conditions, statements, now),
  };
}

type Counts = Pick<
  ExtendedDaemonSetReplicaSetStatus,
  'desired' | 'current' | 'ready' | 'available' | 'ignoredUnresponsiveNodes'
>;

function countsOfTargets(targets: readonly NodeTarget[]): Counts {
  const current = targets.filter(({ matches }) => matches);
  const ready = current.filter(({ pods: { kept } }) => kept !== undefined && isReady(kept)).length;
  return {
    desired: targets.length,
    current: current.length,
    ready,
    available: ready,
    ignoredUnresponsiveNodes: targets.filter(({ isUnresponsive }) => isUnresponsive).length,
  };
}

/** Of one that is in no role: what is left of its pods. */
function countsOfPods(uid: string, pods: readonly Stored<Pod>[], used: ReadonlySet<string>): Counts {
  const left = pods.filter(
    (pod) =>
      controllerOf(pod)?.uid === uid && !isTerminating(pod) && !hasEnded(pod) && !used.has(pod.metadata.uid),
  );
  const ready = left.filter(isReady).length;
  return { desired: 0, current: left.length, ready, available: ready, ignoredUnresponsiveNodes: 0 };
}

/** Pods that are counted for the active replica set or the canary, also where another replica set of the same meaning owns them. */
function inUse({ active, roles }: FleetDecision): ReadonlySet<string> {
  const targets = [
    ...(active?.targets ?? []),
    ...(roles.canaryToRecord === undefined ? [] : (roles.canary?.targets ?? [])),
  ];
  return new Set(matchingPods(targets).map(({ metadata }) => metadata.uid));
}

function unscheduledNodes(targets: readonly NodeTarget[]): readonly string[] {
  return targets
    .flatMap(({ pods: { kept } }) =>
      kept !== undefined &&
      kept.status?.conditions?.some(
        ({ type, status, reason }) =>
          type === 'PodScheduled' && status === 'False' && reason === 'Unschedulable',
      ) === true
        ? [nodeOf(kept) ?? '']
        : [],
    )
    .sort();
}
