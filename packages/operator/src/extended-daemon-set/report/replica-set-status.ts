import {
  extendedDaemonSetAnnotations as annotations,
  replicaSetConditions as types,
  replicaSetStates as states,
  type ExtendedDaemonSetReplicaSet,
  type ExtendedDaemonSetReplicaSetStatus,
} from '@atoll/api';
import { controllerOf, instantOf, isReady, type Instant, type Stored } from '@atoll/kube';
import { isActive } from '../../children/pods/pod-facts.ts';
import { cannotStart } from '../canary/verdict/cannot-start.ts';
import type { FleetDecision } from '../decide.ts';
import { nodeOf } from '../../children/pods/placement/node-of-pod.ts';
import type { NodeTarget } from '../fleet/nodes/node-targets.ts';
import type { ExtendedDaemonSetSnapshot } from '../observe.ts';
import { mergeOldConditions, type OldStatement } from '../replica-sets/conditions.ts';
import { lostStatement } from '../replica-sets/lost-active.ts';
import { unknownStatement } from '../replica-sets/put-back.ts';
import type { Rolling } from '../rolling/decide-rolling.ts';
import { goneStatement } from '../rolling/gone-settings.ts';
import { isFrozen } from '../rolling/held-by.ts';
import type { Canary } from '../canary/canary.ts';
import { matchingPods } from '../canary/verdict/judged-pods.ts';
import type { Roles } from '../roles.ts';
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
  found: Pick<ExtendedDaemonSetSnapshot, 'pods' | 'nodes'>,
  happened: Happened,
  now: Instant,
  /** False: the status of the object still names another one that is there. */
  isRecorded = true,
): ExtendedDaemonSetReplicaSetStatus {
  const { generation } = replicaSet.metadata;
  const role = roleOf(replicaSet, fleet);
  const statements: readonly OldStatement[] = [
    ...(staysAsRecorded(fleet, isRecorded) ? [] : ofActive(role, fleet)),
    { type: types.canary, holds: role.isTried, ...lostStatement(replicaSet, fleet.roles.lost) },
    ...unknownStatement(replicaSet, fleet.roles),
    ...ofPods(role),
    goneStatement(replicaSet, rollingOf(replicaSet, fleet)?.settingsGone),
    { type: types.reconcileError, holds: happened.error !== undefined, message: happened.error },
    ...ofCanary(replicaSet, role, fleet, now),
    ...ofWhatHappened(replicaSet, happened, now),
  ];
  return {
    ...replicaSet.status,
    ...(role.targets === undefined
      ? countsOfPods(replicaSet.metadata.uid, found, inUse(fleet))
      : countsOfTargets(role.targets)),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    status: stateOf(role),
    conditions: mergeOldConditions(replicaSet.status?.conditions, statements, now),
  };
}

/** What a replica set is in the fleet. */
interface Role {
  readonly isActive: boolean;
  /** The canary that it is, or was until it failed or is promoted now. */
  readonly canary: Canary | undefined;
  /** It is the canary, and is recorded as such. */
  readonly isTried: boolean;
  readonly failed: Roles['failed'];
  /** The nodes that are to run its pods; undefined: it is in no role. */
  readonly targets: readonly NodeTarget[] | undefined;
}

function roleOf(replicaSet: ReplicaSet, { roles, active }: FleetDecision): Role {
  const isActive = roles.active === replicaSet;
  const canary = !isActive && roles.canary?.replicaSet === replicaSet ? roles.canary : undefined;
  const isTried = canary !== undefined && roles.canaryToRecord !== undefined;
  return {
    isActive,
    canary,
    isTried,
    failed: canary === undefined ? undefined : roles.failed,
    targets: isActive ? (active?.targets ?? []) : isTried ? canary.targets : undefined,
  };
}

function rollingOf(replicaSet: ReplicaSet, { active, canary }: FleetDecision): Rolling | undefined {
  return [active, canary].find((each) => each?.replicaSet === replicaSet);
}

function stateOf({ isActive, isTried, failed }: Role): string {
  if (isActive) return states.active;
  if (failed !== undefined) return states.canaryFailed;
  return isTried ? states.canary : states.unknown;
}

/**
 * Whether the conditions of the active one stay as they are. Where none is active, they show which one was: an object whose status has lost the name gets it
 * back from them. One whose object could not be written has not been active yet: where a canary comes first, that would pass for a proof of its template. And
 * pods that are not the object's end no role.
 */
function staysAsRecorded({ roles, held }: FleetDecision, isRecorded: boolean): boolean {
  if (roles.active === undefined || (!isRecorded && held === undefined)) return true;
  return held?.by === 'migration' || held?.by === 'former';
}

function ofActive({ isActive }: Role, { held }: FleetDecision): readonly OldStatement[] {
  return [
    { type: types.active, holds: isActive && held?.by !== 'paused' && !isFrozen(held) },
    { type: types.rollingUpdatePaused, holds: isActive && held?.by === 'paused' },
    { type: types.rolloutFrozen, holds: isActive && held?.by === 'frozen' },
    ...(isActive ? [{ type: types.canaryFailed, holds: false }] : []),
  ];
}

function ofPods({ targets = [] }: Role): readonly OldStatement[] {
  const unscheduled = unscheduledNodes(targets);
  return [
    { type: types.unschedule, holds: unscheduled.length > 0, message: `nodes:${unscheduled.join(';')}` },
  ];
}

function ofCanary(
  replicaSet: ReplicaSet,
  { canary, isTried, failed }: Role,
  fleet: FleetDecision,
  now: Instant,
): readonly OldStatement[] {
  const { roles, writtenAgain } = fleet;
  if (canary === undefined) {
    if (roles.stopped?.replicaSet === replicaSet) return [];
    return [
      ...(keepsPause(replicaSet, fleet) ? [] : [{ type: types.canaryPaused, holds: false }]),
      { type: types.podCannotStart, holds: false },
    ];
  }
  const { verdict, judged, restart, countsFrom } = canary;
  const paused = verdict.is === 'paused' ? verdict : undefined;
  const [stuck] = judged.flatMap((pod) => cannotStart(pod, undefined, now) ?? []);
  const statements: OldStatement[] = [
    {
      type: types.canaryPaused,
      holds: paused !== undefined,
      reason: paused?.reason,
      message: paused?.message,
    },
  ];
  // A second look at one that has failed must not take its reason away (BUG-16).
  if (failed !== undefined && failed.by !== 'failed before') {
    const { reason, message } = failed;
    statements.push({ type: types.canaryFailed, holds: true, reason, message });
  }
  if (writtenAgain) statements.push({ type: types.canaryFailed, holds: true, updatedAt: now });
  statements.push({
    type: types.podCannotStart,
    holds: stuck !== undefined,
    reason: stuck?.reason,
    message: stuck?.message,
  });
  if (isTried && countsFrom > (instantOf(replicaSet.metadata.creationTimestamp) ?? now)) {
    const message = 'its duration counts from lastUpdateTime: it was paused before, or is tried again';
    statements.push({ type: types.canaryDuration, holds: true, message, updatedAt: countsFrom });
  }
  if (restart !== undefined) {
    const { at, reason, message } = restart;
    statements.push({ type: types.podRestarting, holds: true, reason, message, updatedAt: at });
  }
  return statements;
}

/** Whether its pause still shows which canary the annotation is meant for (`annotationsOfBefore`): until that is taken off, the next one would begin paused. */
function keepsPause(
  { metadata: { name } }: ReplicaSet,
  { roles: { upToDate, canaryToRecord }, annotationsToRemove }: FleetDecision,
): boolean {
  const isFollowedLater = upToDate === undefined && canaryToRecord?.replicaSet === name;
  return isFollowedLater || annotationsToRemove.includes(annotations.canaryPaused);
}

function ofWhatHappened(
  { metadata: { uid, name } }: ReplicaSet,
  { created, deleted, cleaned }: Happened,
  now: Instant,
): readonly OldStatement[] {
  const statements: OldStatement[] = [];
  if (created.has(uid))
    statements.push({ type: types.podCreation, holds: true, message: 'pods created', updatedAt: now });
  if (deleted.has(name))
    statements.push({ type: types.podDeletion, holds: true, message: 'pods deleted', updatedAt: now });
  const isCleaned = cleaned.get(name);
  if (isCleaned !== undefined) statements.push({ type: types.podsCleanupDone, holds: isCleaned });
  return statements;
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

/**
 * Of one that is in no role: what is left of its pods. Not those on nodes that are gone, which Kubernetes ends after a while: no node is to run them, and
 * there would be more than are desired.
 */
function countsOfPods(
  uid: string,
  { pods, nodes }: Pick<ExtendedDaemonSetSnapshot, 'pods' | 'nodes'>,
  used: ReadonlySet<string>,
): Counts {
  const own = pods.filter(
    (pod) => controllerOf(pod)?.uid === uid && isActive(pod) && !used.has(pod.metadata.uid),
  );
  const names = new Set(own.length === 0 ? [] : nodes.map(({ metadata }) => metadata.name));
  const left = own.filter((pod) => {
    const node = nodeOf(pod);
    return node === undefined || names.has(node);
  });
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
