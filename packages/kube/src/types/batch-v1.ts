// Generated from the OpenAPI document of Kubernetes v1.36.3 by scripts/generate-types.ts. Do not edit.

import type { KubeObject } from '../objects/object.ts';
import type { PodTemplateSpec } from './core-v1.ts';
import type { LabelSelector } from './meta-v1.ts';

/** Job represents the configuration of a single job. */
export interface Job extends KubeObject {
  /** Specification of the desired behavior of a job. */
  readonly spec?: JobSpec;
  /** Current status of a job. */
  readonly status?: JobStatus;
}

/** JobCondition describes current state of a job. */
export interface JobCondition {
  /** Last time the condition was checked. */
  readonly lastProbeTime?: string;
  /** Last time the condition transit from one status to another. */
  readonly lastTransitionTime?: string;
  /** Human readable message indicating details about last transition. */
  readonly message?: string;
  /** (brief) reason for the condition's last transition. */
  readonly reason?: string;
  /** Status of the condition, one of True, False, Unknown. */
  readonly status: string;
  /** Type of job condition, Complete or Failed. */
  readonly type: string;
}

/** JobSpec describes how the job execution will look like. */
export interface JobSpec {
  /** Specifies the duration in seconds relative to the startTime that the job may be continuously active before the system tries to terminate it; value must be … */
  readonly activeDeadlineSeconds?: number;
  /** Specifies the number of retries before marking this job failed. */
  readonly backoffLimit?: number;
  /** Specifies the limit for the number of retries within an index before marking this index as failed. */
  readonly backoffLimitPerIndex?: number;
  /** completionMode specifies how Pod completions are tracked. */
  readonly completionMode?: string;
  /** Specifies the desired number of successfully finished pods the job should be run with. */
  readonly completions?: number;
  /** ManagedBy field indicates the controller that manages a Job. */
  readonly managedBy?: string;
  /** manualSelector controls generation of pod labels and pod selectors. */
  readonly manualSelector?: boolean;
  /** Specifies the maximal number of failed indexes before marking the Job as failed, when backoffLimitPerIndex is set. */
  readonly maxFailedIndexes?: number;
  /** Specifies the maximum desired number of pods the job should run at any given time. */
  readonly parallelism?: number;
  /** Specifies the policy of handling failed pods. */
  readonly podFailurePolicy?: PodFailurePolicy;
  /** podReplacementPolicy specifies when to create replacement Pods. */
  readonly podReplacementPolicy?: string;
  /** A label query over pods that should match the pod count. */
  readonly selector?: LabelSelector;
  /** successPolicy specifies the policy when the Job can be declared as succeeded. */
  readonly successPolicy?: SuccessPolicy;
  /** suspend specifies whether the Job controller should create Pods or not. */
  readonly suspend?: boolean;
  /** Describes the pod that will be created when executing a job. */
  readonly template: PodTemplateSpec;
  /** ttlSecondsAfterFinished limits the lifetime of a Job that has finished execution (either Complete or Failed). */
  readonly ttlSecondsAfterFinished?: number;
}

/** JobStatus represents the current state of a Job. */
export interface JobStatus {
  /** The number of pending and running pods which are not terminating (without a deletionTimestamp). */
  readonly active?: number;
  /** completedIndexes holds the completed indexes when .spec.completionMode = "Indexed" in a text format. */
  readonly completedIndexes?: string;
  /** Represents time when the job was completed. */
  readonly completionTime?: string;
  /** The latest available observations of an object's current state. */
  readonly conditions?: readonly JobCondition[];
  /** The number of pods which reached phase Failed. */
  readonly failed?: number;
  /** FailedIndexes holds the failed indexes when spec.backoffLimitPerIndex is set. */
  readonly failedIndexes?: string;
  /** The number of active pods which have a Ready condition and are not terminating (without a deletionTimestamp). */
  readonly ready?: number;
  /** Represents time when the job controller started processing a job. */
  readonly startTime?: string;
  /** The number of pods which reached phase Succeeded. */
  readonly succeeded?: number;
  /** The number of pods which are terminating (in phase Pending or Running and have a deletionTimestamp). */
  readonly terminating?: number;
  /** uncountedTerminatedPods holds the UIDs of Pods that have terminated but the job controller hasn't yet accounted for in the status counters. */
  readonly uncountedTerminatedPods?: UncountedTerminatedPods;
}

/** PodFailurePolicy describes how failed pods influence the backoffLimit. */
export interface PodFailurePolicy {
  /** A list of pod failure policy rules. */
  readonly rules: readonly PodFailurePolicyRule[];
}

/** PodFailurePolicyOnExitCodesRequirement describes the requirement for handling a failed pod based on its container exit codes. */
export interface PodFailurePolicyOnExitCodesRequirement {
  /** Restricts the check for exit codes to the container with the specified name. */
  readonly containerName?: string;
  /** Represents the relationship between the container exit code(s) and the specified values. */
  readonly operator: string;
  /** Specifies the set of values. */
  readonly values: readonly number[];
}

/** PodFailurePolicyOnPodConditionsPattern describes a pattern for matching an actual pod condition type. */
export interface PodFailurePolicyOnPodConditionsPattern {
  /** Specifies the required Pod condition status. */
  readonly status?: string;
  /** Specifies the required Pod condition type. */
  readonly type: string;
}

/** PodFailurePolicyRule describes how a pod failure is handled when the requirements are met. */
export interface PodFailurePolicyRule {
  /** Specifies the action taken on a pod failure when the requirements are satisfied. */
  readonly action: string;
  /** Represents the requirement on the container exit codes. */
  readonly onExitCodes?: PodFailurePolicyOnExitCodesRequirement;
  /** Represents the requirement on the pod conditions. */
  readonly onPodConditions?: readonly PodFailurePolicyOnPodConditionsPattern[];
}

/** SuccessPolicy describes when a Job can be declared as succeeded based on the success of some indexes. */
export interface SuccessPolicy {
  /** rules represents the list of alternative rules for the declaring the Jobs as successful before `.status.succeeded >= .spec.completions`. */
  readonly rules: readonly SuccessPolicyRule[];
}

/** SuccessPolicyRule describes rule for declaring a Job as succeeded. */
export interface SuccessPolicyRule {
  /** succeededCount specifies the minimal required size of the actual set of the succeeded indexes for the Job. */
  readonly succeededCount?: number;
  /** succeededIndexes specifies the set of indexes which need to be contained in the actual set of the succeeded indexes for the Job. */
  readonly succeededIndexes?: string;
}

/** UncountedTerminatedPods holds UIDs of Pods that have terminated but haven't been accounted in Job status counters. */
export interface UncountedTerminatedPods {
  /** failed holds UIDs of failed Pods. */
  readonly failed?: readonly string[];
  /** succeeded holds UIDs of succeeded Pods. */
  readonly succeeded?: readonly string[];
}
