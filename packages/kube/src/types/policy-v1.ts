// Generated from the OpenAPI document of Kubernetes v1.36.3 by scripts/generate-types.ts. Do not edit.

import type { KubeObject } from '../objects/object.ts';
import type { Condition, DeleteOptionsBody, LabelSelector } from './meta-v1.ts';

/** Eviction evicts a pod from its node subject to certain policies and safety constraints. */
export interface Eviction extends KubeObject {
  /** DeleteOptions may be provided */
  readonly deleteOptions?: DeleteOptionsBody;
}

/** PodDisruptionBudget is an object to define the max disruption that can be caused to a collection of pods */
export interface PodDisruptionBudget extends KubeObject {
  /** Specification of the desired behavior of the PodDisruptionBudget. */
  readonly spec?: PodDisruptionBudgetSpec;
  /** Most recently observed status of the PodDisruptionBudget. */
  readonly status?: PodDisruptionBudgetStatus;
}

/** PodDisruptionBudgetSpec is a description of a PodDisruptionBudget. */
export interface PodDisruptionBudgetSpec {
  /** An eviction is allowed if at most "maxUnavailable" pods selected by "selector" are unavailable after the eviction, i.e. even in absence of the evicted pod. */
  readonly maxUnavailable?: number | string;
  /** An eviction is allowed if at least "minAvailable" pods selected by "selector" will still be available after the eviction, i.e. even in the absence of the … */
  readonly minAvailable?: number | string;
  /** Label query over pods whose evictions are managed by the disruption budget. */
  readonly selector?: LabelSelector;
  /** UnhealthyPodEvictionPolicy defines the criteria for when unhealthy pods should be considered for eviction. */
  readonly unhealthyPodEvictionPolicy?: string;
}

/** PodDisruptionBudgetStatus represents information about the status of a PodDisruptionBudget. */
export interface PodDisruptionBudgetStatus {
  /** Conditions contain conditions for PDB. */
  readonly conditions?: readonly Condition[];
  /** current number of healthy pods */
  readonly currentHealthy?: number;
  /** minimum desired number of healthy pods */
  readonly desiredHealthy?: number;
  /** DisruptedPods contains information about pods whose eviction was processed by the API server eviction subresource handler but has not yet been observed by the … */
  readonly disruptedPods?: Readonly<Record<string, string>>;
  /** Number of pod disruptions that are currently allowed. */
  readonly disruptionsAllowed?: number;
  /** total number of pods counted by this disruption budget */
  readonly expectedPods?: number;
  /** Most recent generation observed when updating this PDB status. */
  readonly observedGeneration?: number;
}
