import { conditionTypes, labels, type UnitedDeployment } from '@atoll/api';
import { isReady, ownField, type Instant } from '@atoll/kube';
import { lastWriteOf } from '../../children/late.ts';
import { areReplicasOfOthers } from '../../children/ownership/field-owners.ts';
import { isActive } from '../../children/pods/pod-facts.ts';
import { conditionSince } from '../../engine/status/conditions.ts';
import type { PlaceDecision } from '../../places/decide-places.ts';
import { presentOf } from '../allocation/after-moves.ts';
import type { AllocationMode, SubsetStanding } from '../allocation/allocate.ts';
import type { Child } from '../subsets/child.ts';
import { kindFacts, type ChildKind } from '../subsets/child-kind.ts';
import type { DesiredSubset } from '../observe.ts';
import type { FoundSubsetCondition, SchedulingJudgement, SubsetCondition } from './judgement.ts';
import { conditionAfterAllocation, judgeReservation } from './judge-reservation.ts';
import { judgeScheduling } from './judge-scheduling.ts';
import { conditionOfNewSubset, conditionUntilReady, saysUnschedulable } from './subset-condition.ts';
import { windowsOf } from './windows.ts';
import { podsUpTo } from './ordinals.ts';
import { hasNode, ordinalOf, sinceItWasMade, type SubsetPod } from './subset-pods.ts';
import { isAtWanted } from '../../engine/rollout/target.ts';

/** What is known of one subset before numbers are given. */
export interface ObservedSubset extends PlaceDecision<DesiredSubset, ChildKind> {
  /** Of its child. */
  readonly pods: readonly SubsetPod[];
}

/** What its pods show of it; undefined judgement: nobody asks, or there is nothing to ask. */
export interface Judgement {
  readonly mode: AllocationMode;
  /** As the status stores it, or as it is for a subset that has just come. */
  readonly found: FoundSubsetCondition | undefined;
  readonly judgement: SchedulingJudgement | undefined;
  /** In reservation, of a subset that has no child of the wanted kind: how many pods the status shows as reserved. */
  readonly reservedBefore?: number;
  /**
   * What the status shows as allocated: a child that somebody deleted is made again with this number, and one that somebody scaled is set back to it. In reservation the
   * number of a subset follows its pods.
   */
  readonly allocatedBefore?: number | undefined;
}

/** Reservation keeps pods that a StatefulSet would make again, so it is only for the kinds that have none of their own. */
export function modeOf({ topology }: UnitedDeployment['spec'], kind: ChildKind): AllocationMode {
  const { type, adaptive } = topology?.scheduleStrategy ?? {};
  if (type !== 'Adaptive') return 'fixed';
  return adaptive?.reserveUnschedulablePods === true && !kindFacts[kind].ordinal ? 'reservation' : 'adaptive';
}

export function judgeSubset(
  owner: UnitedDeployment,
  mode: AllocationMode,
  subset: ObservedSubset,
  partition: number,
  now: Instant,
): Judgement {
  const { child, target } = subset;
  const { name } = subset.place;
  const allocatedBefore = ownField(owner.status?.subsetReplicas ?? {}, name);
  if (mode === 'fixed') return { mode, found: undefined, judgement: undefined, allocatedBefore };
  const begins = mode === 'reservation' && beginsToReserve(owner);
  const stored = storedCondition(owner, name);
  const found =
    begins && !saysUnschedulable(stored)
      ? conditionUntilReady(stored, now)
      : (stored ?? newCondition(owner, mode, name, now));
  const pods = child === undefined ? [] : sinceItWasMade(subset.pods, child);
  const windows = windowsOf(owner.spec.topology?.scheduleStrategy?.adaptive);
  if (mode === 'adaptive') {
    const judgement = judgeScheduling({ pods, condition: found, windows }, now);
    return { mode, found, judgement, allocatedBefore };
  }
  if (child === undefined)
    return { mode, found, judgement: undefined, reservedBefore: reservedIn(owner, name) };
  const onTemplate = child.object.spec?.template?.metadata?.labels?.[labels.subsetRevision];
  const value = (isAtWanted(target) ? onTemplate : undefined) ?? target.wanted;
  const { unitedDeploymentUpdated } = conditionTypes;
  const judgement = judgeReservation(
    {
      pods,
      condition: found,
      // What is ready when it begins has proved that there is room for it.
      windows: begins ? { ...windows, unschedulableMs: 0 } : windows,
      replicas: child.object.spec?.replicas ?? 1,
      revision: value,
      updatingSince: laterOf(
        conditionSince(owner.status?.conditions, unitedDeploymentUpdated, 'False'),
        lastWriteOf(child.object),
      ),
      partition,
    },
    now,
  );
  return { mode, found, judgement };
}

/**
 * Where the subset stands, for allocation. Moving pods away, and standing in for them, begin only when the status shows that the subset has
 * no room: the condition is the only memory of it that outlives the child and its pods, so it is written first, and neither a crash nor
 * somebody who deletes the child meanwhile can lose it.
 */
export function standingOfSubset(
  { child, pods }: Pick<ObservedSubset, 'child' | 'pods'>,
  { mode, found, judgement, reservedBefore = 0, allocatedBefore }: Judgement,
): SubsetStanding | undefined {
  // Its pods will start reserved, so nothing goes for their sake.
  const marked = judgement?.marked ?? (mode === 'reservation' && saysUnschedulable(found));
  if (child === undefined && !marked && allocatedBefore === undefined) return undefined;
  const replicas = ownNumber(child, allocatedBefore);
  const kept =
    child === undefined
      ? { readyReplicas: 0, scheduledReplicas: replicas }
      : keptByScaleIn(child, replicas, pods, judgement);
  return {
    replicas,
    ...kept,
    unschedulable: judgement?.unschedulable === true && marked,
    reservedPods: judgement === undefined ? Math.min(reservedBefore, replicas) : stoodInFor(judgement),
    marked,
  };
}

/** What its child was given. What somebody else scaled it to is no reason to give others more or less. */
function ownNumber(child: Child | undefined, allocatedBefore: number | undefined): number {
  const given = child === undefined || areReplicasOfOthers(child.object) ? allocatedBefore : undefined;
  return given ?? presentOf({ child });
}

/** How many of the subset's pods others stand in for: none as long as the status does not show that it has no room. */
export function stoodInFor(judgement: SchedulingJudgement | undefined): number {
  return judgement?.marked === true ? judgement.reservedPods : 0;
}

/** Whether the subset was found to have no room, and the status does not show it yet. */
export function isUnwritten({ judgement }: Judgement): boolean {
  return judgement?.unschedulable === true && !judgement.marked;
}

/** What goes into the status of the subset; undefined: nothing. */
export function conditionOf(
  { mode, found, judgement }: Judgement,
  growth: { readonly from: number; readonly to: number },
  now: Instant,
): SubsetCondition | undefined {
  if (judgement === undefined)
    return mode === 'reservation' ? (found as SubsetCondition | undefined) : undefined;
  if (mode === 'adaptive') return judgement.condition;
  return conditionAfterAllocation(judgement, found, growth, now);
}

/**
 * How many replicas keep the pods that are ready, and those that have a node. As long as no replica is stuck that is all of them: pods that are missing are about
 * to be made again, as in a rollout. What a child has beyond its replicas while it rolls (`maxSurge`) may be stuck, and no replica is. A pod that ends makes room for one
 * of these, or for one that is not made yet: its place counts for a while.
 */
function keptByScaleIn(
  child: Child,
  replicas: number,
  pods: readonly SubsetPod[],
  judgement: Pick<SchedulingJudgement, 'stuckPods' | 'endingPods'> | undefined,
): Pick<SubsetStanding, 'readyReplicas' | 'scheduledReplicas'> {
  const active = pods.filter(isActive);
  const ready = child.object.status?.readyReplicas ?? 0;
  const { stuckPods = 0, endingPods } = judgement ?? {};
  const ending = new Set(endingPods);
  const own = [...sinceItWasMade(active, child), ...pods.filter(({ metadata }) => ending.has(metadata.uid))];
  const scheduled = own.filter(hasNode);
  const surge = Math.max(0, own.length - replicas);
  return {
    readyReplicas: replicasThatKeep(child, replicas, active.filter(isReady), ready),
    scheduledReplicas:
      stuckPods <= surge ? replicas : replicasThatKeep(child, replicas, scheduled, scheduled.length),
  };
}

/**
 * Of a StatefulSet the pods with the highest ordinals go: those up to the last that is to stay do. Never more than its own number: what
 * is counted wrongly here, and what a Deployment has beyond that while it rolls (`maxSurge`), must take nothing from other subsets.
 */
function replicasThatKeep(
  { kind, object }: Child,
  replicas: number,
  pods: readonly SubsetPod[],
  count: number,
): number {
  if (!kindFacts[kind].ordinal) return Math.min(replicas, count);
  const kept = pods.map((pod) => podsUpTo(ordinalOf(pod) ?? 0, object.spec ?? {}));
  return Math.min(replicas, Math.max(count, ...kept));
}

/** Pods that were held back have their time from when they were let go: a partition or a pause may be released long after the template changed. */
function laterOf(updatingSince: Instant | undefined, written: Instant): Instant | undefined {
  return updatingSince === undefined ? undefined : Math.max(updatingSince, written);
}

function storedCondition({ status }: UnitedDeployment, name: string): FoundSubsetCondition | undefined {
  const subset = status?.subsetStatuses?.find((each) => each.name === name);
  return subset?.conditions?.find(({ type }) => type === conditionTypes.schedulable);
}

function reservedIn({ status }: UnitedDeployment, name: string): number {
  return status?.subsetStatuses?.find((each) => each.name === name)?.reservedPods ?? 0;
}

/**
 * Whether the strategy has just become reservation: the status lists pods for autoscalers as before. No subset is known to have room for more then, so one that
 * is to grow is not trusted: pods of others, which serve, would go for pods that may find no node.
 */
function beginsToReserve({ status }: UnitedDeployment): boolean {
  const { subsetStatuses = [], labelSelector = '' } = status ?? {};
  return subsetStatuses.length > 0 && !labelSelector.includes(labels.reservedPod);
}

/** A subset that joins others which run already is not trusted before its pods are. */
function newCondition(
  { status }: UnitedDeployment,
  mode: AllocationMode,
  name: string,
  now: Instant,
): SubsetCondition | undefined {
  const known = status?.subsetStatuses ?? [];
  const isNew = known.length > 0 && !known.some((each) => each.name === name);
  return mode === 'reservation' && isNew ? conditionOfNewSubset(now) : undefined;
}
