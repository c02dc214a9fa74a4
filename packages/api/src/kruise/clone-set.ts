import type {
  KubeObject,
  LabelSelector,
  PersistentVolumeClaim,
  PodTemplateSpec,
  Resource,
} from '@atoll/kube';

/**
 * OpenKruise's CloneSet, as far as others set and read it (apis/apps/v1alpha1/cloneset_types.go of Kruise 1.9). Fields
 * that are not named here survive.
 */
export interface CloneSet extends KubeObject {
  readonly spec: CloneSetSpec;
  readonly status?: CloneSetStatus;
}

export interface CloneSetSpec {
  /** Default 1. */
  readonly replicas?: number;
  /** Immutable. */
  readonly selector: LabelSelector;
  readonly template: PodTemplateSpec;
  readonly volumeClaimTemplates?: readonly PersistentVolumeClaim[];
  readonly updateStrategy?: CloneSetUpdateStrategy;
  /** Default 10. */
  readonly revisionHistoryLimit?: number;
  /** Seconds. */
  readonly minReadySeconds?: number;
}

export interface CloneSetUpdateStrategy {
  /** `ReCreate` (default), `InPlaceIfPossible`, `InPlaceOnly`; `OnDelete` since 1.9. */
  readonly type?: string;
  /** How many pods stay on the old revision, or what share, rounded up. */
  readonly partition?: number | string;
  /** Default 20%. */
  readonly maxUnavailable?: number | string;
  readonly maxSurge?: number | string;
  readonly paused?: boolean;
}

export interface CloneSetStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly updatedReplicas?: number;
  readonly updatedReadyReplicas?: number;
  /** `spec.replicas` less the partition. */
  readonly expectedUpdatedReplicas?: number;
  readonly updateRevision?: string;
  readonly currentRevision?: string;
  readonly collisionCount?: number;
  /** `FailedScale`, `FailedUpdate`. */
  readonly conditions?: readonly KruiseCondition[];
  readonly labelSelector?: string;
}

/** A condition of a Kruise workload: without observedGeneration. */
export interface KruiseCondition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** Served where OpenKruise's CRD is installed. */
export const cloneSets: Resource<CloneSet> = {
  group: 'apps.kruise.io',
  version: 'v1alpha1',
  kind: 'CloneSet',
  plural: 'clonesets',
  namespaced: true,
};
