import type { IntOrPercent } from '@atoll/kube';

/** What a user wrote for one subset, as it stands in the spec: whole numbers, or percentages like `"25%"`. */
export interface SubsetNumbers {
  readonly name: string;
  readonly replicas?: IntOrPercent | undefined;
  readonly minReplicas?: IntOrPercent | undefined;
  readonly maxReplicas?: IntOrPercent | undefined;
}

/** Where one subset stands. One that never had a child has no entry. */
export interface SubsetStanding {
  /** What its child was given: its `spec.replicas`, unless somebody else scaled or deleted it; never what is in the child's status. */
  readonly replicas: number;
  /** How many replicas keep its ready pods. */
  readonly readyReplicas: number;
  /** How many keep every pod that has a node, ready or not; all of them while no pod is stuck. */
  readonly scheduledReplicas: number;
  /** Adaptive: pods found no node, or the window since they found none is still open. */
  readonly unschedulable: boolean;
  /** Reservation: pods that are kept although others stand in for them. */
  readonly reservedPods: number;
  /** Reservation: the condition Schedulable was False before this reconcile. */
  readonly marked: boolean;
}

/**
 * `fixed`: by `replicas`, or by `minReplicas` and `maxReplicas` where any subset has one of them. `adaptive`: the
 * latter, and what finds no node goes elsewhere. `reservation`: as adaptive, but what finds no node is kept and
 * substituted.
 */
export type AllocationMode = 'fixed' | 'adaptive' | 'reservation';

export interface AllocationInput {
  /** `spec.replicas`; undefined where it was left out. */
  readonly total: number | undefined;
  /** In the order of the spec. */
  readonly subsets: readonly SubsetNumbers[];
  readonly mode: AllocationMode;
  /** By subset name. Subsets that are gone from the spec do not count. */
  readonly current: Readonly<Record<string, SubsetStanding>>;
}

/** Whether the numbers of the spec are what the subsets get; where not, `message` holds the arithmetic. */
export type Effectiveness = { readonly ok: true } | { readonly ok: false; readonly message: string };

export interface Allocation {
  /** For every subset of the spec, what its child is to have. */
  readonly replicas: Readonly<Record<string, number>>;
  readonly effective: Effectiveness;
}
