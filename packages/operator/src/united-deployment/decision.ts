import type { Instant } from '@atoll/kube';
import type { ChildHealth } from '../children/child-health.ts';
import type { Occupant } from '../children/occupant.ts';
import type { Revision } from '../children/revisions/revision.ts';
import type { Hold } from '../engine/hold.ts';
import type { Target } from '../engine/rollout/target.ts';
import type { Allocation, AllocationMode } from './allocation/allocate.ts';
import type { Child } from './child.ts';
import type { ChildKind } from './child-kind.ts';
import type { Rival } from './kruise/kruise-manager.ts';
import type { SubsetWish, Wish } from './observe.ts';
import type { RefusedPartition } from './rendering/partitions.ts';
import type { SchedulingJudgement, SubsetCondition } from './scheduling/judgement.ts';
import { isReady, type SubsetPod, type UpdatedPods } from './scheduling/subset-pods.ts';

export type Understood = Extract<Wish, { ok: true }>;

/** What is decided for one subset of the spec. */
export interface SubsetDecision {
  readonly subset: SubsetWish;
  readonly target: Target;
  /** The child that serves the subset; of several one that has available pods, of those the oldest. */
  readonly child: Child | undefined;
  readonly health: ChildHealth | undefined;
  /** When it is too long that the child awaits its pods; undefined: it awaits none, or tells so itself. */
  readonly lateAt: Instant | undefined;
  readonly pods: readonly SubsetPod[];
  /** What the pods say about room for them, as far as the spec asks. */
  readonly judgement: SchedulingJudgement | undefined;
  /** What the status shall say about it. */
  readonly condition: SubsetCondition | undefined;
  readonly updatedPods: UpdatedPods;
  /** Pods for which others stand in: none outside of reservation, whatever their labels still say. */
  readonly reservedPods: number;
  /** undefined: the child runs something that the history has lost, and may not move: it is left alone. */
  readonly revision: Revision<ChildKind> | undefined;
  /** As allocated. */
  readonly replicas: number;
  readonly partition: number;
  /** The partition as long as its child is asked for more than `replicas`. */
  readonly partitionWhileShrinking: number;
  /** How many pods may be missing while it rolls, so that those which wait for room do not hold it up. */
  readonly maxUnavailable: number | undefined;
  readonly occupant: Occupant | undefined;
  /** What is wrong with its patch, which keeps the child as it is. */
  readonly patchProblem: string | undefined;
  /** A child that nobody owns and that becomes ours before another is made. */
  readonly orphan: Child | undefined;
}

/** A child that has to go. */
export interface Surplus {
  readonly child: Child;
  readonly because:
    /** The spec does not name its subset any more. */
    | { readonly removed: true }
    /** `byStatus`: an older one, which goes because it has no available pods and the other has. */
    | { readonly twinOf: string; readonly byStatus: boolean }
    /** It served the subset before the template became one of another kind. */
    | { readonly replacedBy: string };
}

export interface Decision {
  readonly wish: Understood;
  /** In the order of the spec. */
  readonly subsets: readonly SubsetDecision[];
  readonly surplus: readonly Surplus[];
  /** Children that are to go and stay until others have taken their place. */
  readonly awaited: readonly Child[];
  readonly allocation: Allocation;
  readonly refusedPartitions: readonly RefusedPartition[];
  /** From the one place that chooses who may move. */
  readonly rolloutHolds: readonly Hold[];
  readonly needed: ReadonlySet<string>;
  readonly mode: AllocationMode;
  /** When time alone changes the decision. */
  readonly lookAgainAt: Instant | undefined;
}

/** All that plan, events and status are made of. */
export interface UnitedDeploymentDecision {
  /** Who serves it, to whom everything is left. */
  readonly rival: Rival | undefined;
  /** What is not as it should be and cannot be moved by us now; what is bad first. */
  readonly holds: readonly Hold[];
  /** undefined: nothing may be done, because the spec cannot be understood, a cache is not filled, or it is not ours, or going. */
  readonly decided: Decision | undefined;
}

/** Whether nothing is left to do for the subset. */
export function isSettled(decision: SubsetDecision): boolean {
  const { target, health, child, replicas } = decision;
  return (
    target.revision === target.wanted &&
    child?.object.spec?.replicas === replicas &&
    health?.updated === true &&
    isAvailable(decision)
  );
}

/**
 * Pods that are reserved are stood in for elsewhere; nobody waits for them. As long as the pods that its child counts have
 * not all reached us, the counts of the status would be wrong the moment they say that all is done.
 */
function isAvailable({ health, judgement, replicas, pods }: SubsetDecision): boolean {
  if (health === undefined || !health.observed) return false;
  const late = pods.length > 0 && pods.filter(isReady).length < health.readyReplicas;
  if (late) return false;
  return health.availableReplicas >= replicas - (judgement?.reservedPods ?? 0);
}

/** Whether every pod of the subset runs the wanted revision and is available: a partition holds back that. */
export function isFullyUpdated(decision: SubsetDecision): boolean {
  const { health, replicas } = decision;
  return isSettled(decision) && (health?.updatedReplicas ?? 0) >= replicas;
}
