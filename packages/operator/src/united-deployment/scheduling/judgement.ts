import type { Instant } from '@atoll/kube';

/** A condition of a subset, as the status stores it. */
export interface SubsetCondition {
  readonly type: 'Schedulable';
  readonly status: 'True' | 'False';
  /** `reschedule`: because of its pods. `recover`: the window is over. `created`: the subset is new to a running workload. */
  readonly reason: 'reschedule' | 'recover' | 'created';
  readonly message: string;
  /** RFC 3339, whole seconds: since when it is so for this reason. */
  readonly lastTransitionTime: string;
}

/** A stored condition; other writers may have left any field out. */
export type FoundSubsetCondition = { readonly [Field in keyof SubsetCondition]?: unknown };

/** How long things may take, in milliseconds. */
export interface Windows {
  /** How long a pod may look for a node, and an old pod wait for its update. */
  readonly criticalMs: number;
  /** How long a subset that had no room is left alone; in reservation, how long a pod must be ready to be trusted. */
  readonly unschedulableMs: number;
}

/** A label that a pod should carry and does not. */
export interface PodLabelling {
  readonly name: string;
  readonly uid: string;
  readonly value: 'true' | 'false';
}

/** What the pods of one subset show. */
export interface SchedulingJudgement {
  /** Allocation shall count on no new pods here. */
  readonly unschedulable: boolean;
  /** Reservation: the stored condition Schedulable was False when this reconcile began. */
  readonly marked: boolean;
  /** Pods that no node took in time. */
  readonly stuckPods: number;
  /** By uid: pods that end, and whose places others are about to take. */
  readonly endingPods: readonly string[];
  /** Reservation: pods for which others stand in. */
  readonly reservedPods: number;
  /** Reservation: labels to be written. */
  readonly labelPods: readonly PodLabelling[];
  /** What the status shall store; undefined as long as there is nothing to store. */
  readonly condition: SubsetCondition | undefined;
  /** When time alone changes the judgement. Events of pods come earlier. */
  readonly requeueAt: Instant | undefined;
}
