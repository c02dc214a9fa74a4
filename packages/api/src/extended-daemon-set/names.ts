/**
 * Every label, annotation, condition type, state and reason of the ExtendedDaemonSet kinds
 * (`reference/extendeddaemonset.md` sections 1 and 2). Names of the old operator are kept to the letter, because
 * objects, dashboards and scripts carry them; names of our own are under `atoll.dev`.
 */

export const datadogGroup = 'datadoghq.com';

export const extendedDaemonSetLabels = {
  /** Replica set, pod: the name of the ExtendedDaemonSet. */
  name: 'extendeddaemonset.datadoghq.com/name',
  /** Pod: the name of the replica set. */
  replicaSet: 'extendeddaemonsetreplicaset.datadoghq.com/name',
  /** Pod: `true` while its replica set is the canary. */
  canary: 'extendeddaemonsetreplicaset.datadoghq.com/canary',
  /** Pod: the ExtendedDaemonsetSetting that it was made with. */
  settingName: 'extendeddaemonsetsetting.datadoghq.com/name',
  settingNamespace: 'extendeddaemonsetsetting.datadoghq.com/namespace',
  /** PodTemplate: `true` makes cluster-autoscaler count the pod on new nodes. */
  autoscalerDaemonSetPod: 'cluster-autoscaler.kubernetes.io/daemonset-pod',
  /** Node: users exclude nodes by it, with a node affinity in the template. Nothing else reads it. */
  exclude: 'extendeddaemonset.datadoghq.com/exclude',
} as const;

export const extendedDaemonSetAnnotations = {
  /** Replica set, pod, PodTemplate: a token of the template. What the old operator wrote there is never computed again. */
  templateHash: 'extendeddaemonset.datadoghq.com/templatehash',
  /** Pod: a token of the resource annotations of its node; absent where there are none. */
  nodeHash: 'extendeddaemonset.datadoghq.com/nodehash',
  /** ExtendedDaemonSet: the name of the canary replica set that a user validated. */
  canaryValid: 'extendeddaemonset.datadoghq.com/canary-valid',
  /** ExtendedDaemonSet: only `true` pauses the canary. */
  canaryPaused: 'extendeddaemonset.datadoghq.com/canary-paused',
  canaryPausedReason: 'extendeddaemonset.datadoghq.com/canary-paused-reason',
  /** ExtendedDaemonSet: `true` ends a pause, and prevents automatic pauses of the same canary. */
  canaryUnpaused: 'extendeddaemonset.datadoghq.com/canary-unpaused',
  /** ExtendedDaemonSet: `true`: outdated pods are not deleted; empty nodes still get a pod. */
  rollingUpdatePaused: 'extendeddaemonset.datadoghq.com/rolling-update-paused',
  /** ExtendedDaemonSet: `true`: outdated pods are not deleted, and no pods are created. */
  rolloutFrozen: 'extendeddaemonset.datadoghq.com/rollout-frozen',
  /** ExtendedDaemonSet: the DaemonSet in the same namespace whose pods are taken over. */
  oldDaemonSet: 'extendeddaemonset.datadoghq.com/old-daemonset',
  /** Pod: `true`: cluster-autoscaler treats it as the pod of a DaemonSet. */
  autoscalerDaemonSetPod: 'cluster-autoscaler.kubernetes.io/daemonset-pod',
  /** ExtendedDaemonSet: {@link canaryFailurePolicies}. */
  onCanaryFailure: 'atoll.dev/on-canary-failure',
  /** ExtendedDaemonSet: {@link canaryPromotionPolicies}. */
  canaryPromotion: 'atoll.dev/canary-promotion',
  /** Pod: a hash of the resources that its node gave it, or `none`. */
  overridesHash: 'atoll.dev/overrides-hash',
  /** Pod: how many pods failed on its node before it, one after the other. */
  failedPods: 'atoll.dev/failed-pods',
} as const;

/** Removed from an ExtendedDaemonSet when its canary ends. */
export const annotationsOfOneCanary = [
  extendedDaemonSetAnnotations.canaryPaused,
  extendedDaemonSetAnnotations.canaryPausedReason,
  extendedDaemonSetAnnotations.canaryUnpaused,
] as const;

/** Values of {@link extendedDaemonSetAnnotations.onCanaryFailure}. */
export const canaryFailurePolicies = {
  /** The template goes back to that of the active replica set; as without the annotation. */
  revert: 'Revert',
  /** The template stays as the user wrote it, and the active replica set serves all nodes. For GitOps. */
  hold: 'Hold',
} as const;

/** Values of {@link extendedDaemonSetAnnotations.canaryPromotion}. */
export const canaryPromotionPolicies = {
  /** Only when the canary pods exist, match and are Ready; as without the annotation. */
  whenHealthy: 'WhenHealthy',
  /** By time and restarts alone, as the old operator does. */
  afterDuration: 'AfterDuration',
} as const;

/** Prefix of the annotations of a node that set the resources of containers; the value is the JSON of ResourceRequirements. */
export const nodeResourcesPrefix = 'resources.extendeddaemonset.datadoghq.com/';

/** The annotation of a node that sets the resources of one container of one ExtendedDaemonSet. */
export function nodeResourcesAnnotation(namespace: string, name: string, container: string): string {
  return `${nodeResourcesPrefix}${namespace}.${name}.${container}`;
}

/** Types in `status.conditions` of an ExtendedDaemonSet; `Ready` and its like come beside them. */
export const extendedDaemonSetConditions = {
  canaryPaused: 'Canary-Paused',
  canaryFailed: 'Canary-Failed',
  reconcileError: 'ReconcileError',
  /** Of Atoll alone. */
  activeReplicaSetUnknown: 'ActiveReplicaSetUnknown',
} as const;

/** Types in `status.conditions` of a replica set. */
export const replicaSetConditions = {
  active: 'Active',
  rollingUpdatePaused: 'RollingUpdatePaused',
  rolloutFrozen: 'RolloutFrozen',
  canary: 'Canary',
  canaryPaused: 'Canary-Paused',
  canaryFailed: 'Canary-Failed',
  podRestarting: 'PodRestarting',
  podCannotStart: 'PodCannotStart',
  unschedule: 'Unschedule',
  podsCleanupDone: 'PodsCleanupDone',
  podCreation: 'PodCreation',
  podDeletion: 'PodDeletion',
  reconcileError: 'ReconcileError',
  lastFullSync: 'LastFullSync',
  /** Ours: `lastUpdateTime` is the moment from which the duration of a canary that was paused, or is tried again, counts. */
  canaryDuration: 'CanaryDuration',
  /** Ours: there are outdated pods that were made with settings which are gone; `lastUpdateTime` is since when. */
  settingsGone: 'SettingsGone',
  /** Ours: its template was in the spec while it was not known which replica set is the active one. */
  activeReplicaSetUnknown: 'ActiveReplicaSetUnknown',
} as const;

/** `status.state` of an ExtendedDaemonSet. */
export const extendedDaemonSetStates = {
  /** No pause, no freeze, no canary; the rollout need not be complete. */
  running: 'Running',
  rollingUpdatePaused: 'RollingUpdate Paused',
  rolloutFrozen: 'Rollout frozen',
  canary: 'Canary',
  canaryPaused: 'Canary Paused',
  canaryFailed: 'Canary Failed',
} as const;

/** `status.status` of a replica set. */
export const replicaSetStates = {
  active: 'active',
  canary: 'canary',
  canaryFailed: 'canary-failed',
  unknown: 'unknown',
} as const;

/** Types in `status.conditions` of an ExtendedDaemonsetSetting; `Ready` and its like come beside them. */
export const settingConditions = {
  /** Ours: the old operator had an error of it, and it has not changed since. */
  notAppliedBefore: 'NotAppliedBefore',
} as const;

/** `status.status` of an ExtendedDaemonsetSetting. */
export const settingStates = { valid: 'valid', error: 'error' } as const;

/** `status.error` of an ExtendedDaemonsetSetting without a reference. */
export const settingWithoutReference = 'missing reference in spec';

/** `status.error` of an ExtendedDaemonsetSetting of which a newer one matches a node too. */
export function settingConflict(other: string): string {
  return `conflict with another ExtendedDaemonsetSetting: ${other}`;
}

/** Waiting reasons of a container with which a canary pod counts as one that cannot start. */
export const cannotStartReasons = [
  'ErrImagePull',
  'ImagePullBackOff',
  'ImageInspectError',
  'ErrImageNeverPull',
  'RegistryUnavailable',
  'InvalidImageName',
  'CreateContainerConfigError',
  'CreateContainerError',
  'PreStartHookError',
  'PostStartHookError',
  'PreCreateHookError',
] as const;

/**
 * Why a canary was paused or failed: `status.reason` of the ExtendedDaemonSet and the reason of the conditions
 * `Canary-Paused` and `Canary-Failed`. Besides these and {@link cannotStartReasons} there is every reason with which
 * a container terminated (`Error`, `Completed`).
 */
export const canaryReasons = {
  crashLoopBackOff: 'CrashLoopBackOff',
  outOfMemory: 'OOMKilled',
  restartsTimeout: 'RestartsTimeoutExceeded',
  timeout: 'TimeoutExceeded',
  slowStartTimeout: 'SlowStartTimeoutExceeded',
  startError: 'StartError',
  unknown: 'Unknown',
  /** Of the condition `Canary-Failed` of an ExtendedDaemonSet. */
  canaryFailed: 'CanaryFailed',
  /** Of the condition `Canary-Failed` of a replica set that a user failed. */
  manuallyFailed: 'Manually failed',
} as const;

/** Event reasons of the old operator; they contain spaces. */
export const extendedDaemonSetEventReasons = {
  createReplicaSet: 'Create ExtendedDaemonSetReplicaSet',
  createPodTemplate: 'Create PodTemplate',
  updatePodTemplate: 'Update PodTemplate',
} as const;

/** `spec.strategy.canary.validationMode`. */
export const validationModes = ['auto', 'manual'] as const;
export type ValidationMode = (typeof validationModes)[number];

/** The environment variable with the mode of canaries that name none. */
export const validationModeVariable = 'EDS_VALIDATION_MODE';

/** The old operator's user agent, by which the API server names its writes (`metadata.managedFields`). */
export const oldExtendedDaemonSetManager = 'eds-controller';

/**
 * Under which the command line `kubectl-eds` writes annotations and conditions. It does not begin with `kubectl`: Flux's kustomize-controller takes back
 * what such a manager wrote to an object that is in git.
 */
export const commandLineFieldManager = 'atoll-eds';
