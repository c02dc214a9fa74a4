import type {
  KubeObject,
  LabelSelector,
  PersistentVolumeClaim,
  PodTemplateSpec,
  Resource,
  StatefulSetOrdinals,
  StatefulSetPersistentVolumeClaimRetentionPolicy,
} from '@atoll/kube';
import type { KruiseCondition } from './clone-set.ts';

/**
 * OpenKruise's Advanced StatefulSet, as far as others set and read it (apis/apps/v1beta1/statefulset_types.go of
 * Kruise 1.9). Its kind is `StatefulSet`, as the built-in one's. Fields that are not named here survive.
 */
export interface AdvancedStatefulSet extends KubeObject {
  readonly spec: AdvancedStatefulSetSpec;
  readonly status?: AdvancedStatefulSetStatus;
}

export interface AdvancedStatefulSetSpec {
  /** Default 1. */
  readonly replicas?: number;
  /** Immutable. */
  readonly selector: LabelSelector;
  readonly template: PodTemplateSpec;
  readonly volumeClaimTemplates?: readonly PersistentVolumeClaim[];
  readonly serviceName?: string;
  /** `OrderedReady` (default), `Parallel`. */
  readonly podManagementPolicy?: string;
  readonly updateStrategy?: AdvancedStatefulSetUpdateStrategy;
  /** Default 10. */
  readonly revisionHistoryLimit?: number;
  /** Numbers since 1.0, also ranges as `2-4` since 1.8. */
  readonly reserveOrdinals?: readonly (number | string)[];
  readonly persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy;
  readonly ordinals?: StatefulSetOrdinals;
}

export interface AdvancedStatefulSetUpdateStrategy {
  /** `RollingUpdate` (default), `OnDelete`. */
  readonly type?: string;
  readonly rollingUpdate?: {
    /** The first ordinal that is updated; with `unorderedUpdate`: how many pods stay on the old revision. */
    readonly partition?: number;
    /** Default 1. */
    readonly maxUnavailable?: number | string;
    /** `ReCreate` (default), `InPlaceIfPossible`, `InPlaceOnly`. */
    readonly podUpdatePolicy?: string;
    readonly paused?: boolean;
    readonly unorderedUpdate?: object;
    /** Seconds, at most 300. */
    readonly minReadySeconds?: number;
  };
}

export interface AdvancedStatefulSetStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly currentReplicas?: number;
  readonly updatedReplicas?: number;
  readonly updatedReadyReplicas?: number;
  readonly updatedAvailableReplicas?: number;
  readonly currentRevision?: string;
  readonly updateRevision?: string;
  readonly collisionCount?: number;
  readonly conditions?: readonly KruiseCondition[];
  readonly labelSelector?: string;
}

/** Served where OpenKruise's CRD is installed. */
export const advancedStatefulSets: Resource<AdvancedStatefulSet> = {
  group: 'apps.kruise.io',
  version: 'v1beta1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  namespaced: true,
};
