import { isReady, type Instant } from '@atoll/kube';
import type { Hold } from '../engine/hold.ts';
import type { Inspection } from '../engine/inspection.ts';
import type { ChildToDelete } from '../places/children/children-to-delete.ts';
import type { DecidedPlaces } from '../places/decide-places.ts';
import type { Allocation, AllocationMode } from './allocation/allocate.ts';
import type { Child } from './subsets/child.ts';
import type { ChildKind } from './subsets/child-kind.ts';
import type { Desired } from './observe.ts';
import type { RefusedPartition } from './rendering/partitions.ts';
import { stoodInFor, type ObservedSubset } from './scheduling/judge-subset.ts';
import type { SchedulingJudgement, SubsetCondition } from './scheduling/judgement.ts';
import type { UpdatedPods } from './scheduling/subset-pods.ts';
import { isAtWanted } from '../engine/rollout/target.ts';

export type Understood = Extract<Desired, { ok: true }>;

/** What is decided for one subset of the spec. */
export interface SubsetDecision extends ObservedSubset {
  /** What the pods show about room for them, as far as the spec asks. */
  readonly judgement: SchedulingJudgement | undefined;
  /** What goes into the status about it. */
  readonly condition: SubsetCondition | undefined;
  readonly updatedPods: UpdatedPods;
  /** Pods for which others stand in: none outside of reservation, whatever their labels still are. */
  readonly reservedPods: number;
  /** As allocated. */
  readonly replicas: number;
  /** What its child was given, as allocation counts it (`SubsetStanding`). Another number than it has where somebody else scaled it. */
  readonly own: number;
  readonly partition: number;
  /** The partition as long as its child is asked for more than `replicas`. */
  readonly partitionWhileShrinking: number;
  /** How many pods may be missing while it rolls, so that those which wait for room do not hold it up. */
  readonly maxUnavailable: number | undefined;
  /** What is wrong with its patch, which keeps the child as it is. */
  readonly patchProblem: string | undefined;
  /** What differs in the pods of a child that stay as Kruise left them; undefined: they do not. */
  readonly kept: string | undefined;
  /** The same of the ordinals of its pods, which run the template all the same. */
  readonly keptOrdinals: string | undefined;
}

export interface Decision extends DecidedPlaces<SubsetDecision> {
  readonly desired: Understood;
  readonly toDelete: readonly ChildToDelete<ChildKind>[];
  /** Children that will be deleted, and stay until others have taken their place. */
  readonly pendingDeletion: readonly Child[];
  readonly allocation: Allocation;
  /** What is noted on children whose numbers stay as Kruise left them, by subset; undefined: they do not. */
  readonly keptNumbers: Readonly<Record<string, string>> | undefined;
  readonly refusedPartitions: readonly RefusedPartition[];
  readonly mode: AllocationMode;
  /** When time alone changes the decision. */
  readonly requeueAt: Instant | undefined;
}

/** All that plan, events and status are made of. */
export interface UnitedDeploymentDecision {
  /** Who serves it, to whom everything is left. */
  readonly conflict: Hold | undefined;
  /** What is not as it should be and cannot be moved by us now; what is bad first. */
  readonly holds: readonly Hold[];
  /** Children whose pods may show why they are not healthy. */
  readonly inspect: readonly Inspection[];
  /** undefined: nothing may be done, because the spec cannot be understood, a cache is not filled, or it is not ours, or going. */
  readonly decided: Decision | undefined;
}

/** Whether the subset's child has what is wanted, whatever its pods do. */
export function bearsTemplate({ target, kept, keptOrdinals }: SubsetDecision): boolean {
  return isAtWanted(target) && kept === undefined && keptOrdinals === undefined;
}

/** Whether nothing is left to do for the subset. */
export function isComplete(decision: SubsetDecision): boolean {
  return bearsTemplate(decision) && servesInFull(decision);
}

/** Whether the subset has all pods that it is to have, also where they stay as Kruise left them. */
export function servesInFull(decision: SubsetDecision): boolean {
  const { target, health, child, replicas } = decision;
  return (
    isAtWanted(target) &&
    child?.object.spec?.replicas === replicas &&
    health?.updated === true &&
    isAvailable(decision)
  );
}

/**
 * Pods that are reserved are stood in for elsewhere; nobody waits for them. As long as the pods that its child counts have
 * not all reached us, the counts of the status would be wrong the moment they report that all is done.
 */
function isAvailable({ health, judgement, replicas, pods }: SubsetDecision): boolean {
  if (health === undefined || !health.observed) return false;
  const late = pods.length > 0 && pods.filter(isReady).length < health.readyReplicas;
  if (late) return false;
  return health.availableReplicas >= replicas - stoodInFor(judgement);
}

/** Whether every pod of the subset runs the wanted revision and is available: a partition holds back that. */
export function isFullyUpdated(decision: SubsetDecision): boolean {
  const { health, replicas, kept } = decision;
  return kept === undefined && servesInFull(decision) && (health?.updatedReplicas ?? 0) >= replicas;
}
