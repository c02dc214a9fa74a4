/**
 * Every label, annotation, condition and manager name that Atoll reads or writes (`reference/openyurt.md`
 * section 2, `reference/uniteddeployment.md` section 2). Names of the old operators are kept to the letter, because objects and users carry them; names of
 * our own are under `atoll.dev`.
 */

export const openYurtGroup = 'apps.openyurt.io';
export const kruiseGroup = 'apps.kruise.io';

export const labels = {
  /** Node: the pool it belongs to. Also the nodeSelector key of every child pod. */
  nodePool: 'apps.openyurt.io/nodepool',
  /** Node: the older switch of users to join, move and leave a pool. */
  desiredNodePool: 'apps.openyurt.io/desired-nodepool',
  /** NodePool, Node: `spec.type` in lower case (v1.4 and later). */
  poolType: 'nodepool.openyurt.io/type',
  /** NodePool: the predecessor of {@link labels.poolType}; selectors in the field still name it. */
  oldPoolType: 'openyurt.io/node-pool-type',
  /** Node: `true` where the pool's pods use the host's network. Immutable on a node once set. */
  hostNetwork: 'nodepool.openyurt.io/hostnetwork',

  /** Child workload, its selector and its pods: the pool of this child. */
  poolName: 'apps.openyurt.io/pool-name',
  /** Child workload (and the old operator's pods): the whole name of a ControllerRevision, not a bare hash. */
  controllerRevisionHash: 'apps.openyurt.io/controller-revision-hash',
  /** ControllerRevision: the hash part of its name. */
  revisionHash: 'controller.kubernetes.io/hash',

  /** A Job that pulls the images of a pod's next revision, and its pods: the hash of that revision. */
  imagePrePull: 'atoll.dev/image-pre-pull',

  /** Child of a UnitedDeployment, its selector and its pods: the subset of this child. */
  subsetName: 'apps.kruise.io/subset-name',
  /** The same child and its pods: the whole name of a ControllerRevision. A change of it replaces pods. */
  subsetRevision: 'apps.kruise.io/controller-revision-hash',
  /** Pod: `true` waits for room and is replaced elsewhere meanwhile, `false` was found well, absent was not judged yet. */
  reservedPod: 'apps.kruise.io/united-deployment-reserved-pod',
  /** UnitedDeployment: {@link deleteProtections}. */
  deleteProtection: 'policy.kruise.io/delete-protection',

  /** Child workload and ControllerRevision: our identity label, the workload it serves. */
  workload: 'atoll.dev/workload',
  managedBy: 'app.kubernetes.io/managed-by',
} as const;

export const annotations = {
  /** Child workload: the pool of this child. The old operator maps children to pools by it. */
  refNodePool: 'apps.openyurt.io/ref-nodepool',
  /** Node: JSON `{labels, annotations, taints}` that the pool put there last; the basis of the clean-up. */
  previousAttributes: 'nodepool.openyurt.io/previous-attributes',
  /** NodePool: `true` (any case) marks a host-network pool in objects that v1alpha1 clients wrote. */
  hostNetwork: 'nodepool.openyurt.io/hostnetwork',
  /** Deployment: poked by the old overrider; without a domain. */
  lastOverrideTime: 'LastOverrideTime',

  /** UnitedDaemonSet, YurtAppDaemon: `true` gives up what an overrider of the old operator had changed in children. */
  discardOverrides: 'atoll.dev/discard-overrides',
  /** UnitedDaemonSet, YurtAppDaemon, UnitedDeployment: `true` applies the template to children that are kept as they were taken over. */
  applyTemplate: 'atoll.dev/apply-template',

  /** Child of a UnitedDeployment: the JSON of the subset's patch that it was rendered with, empty without one. */
  subsetPatch: 'apps.kruise.io/subset-patch',
  /**
   * UnitedDeployment: what its subsets added up to when `spec.replicas` was filled in for a user who had left it out. As
   * long as `spec.replicas` is still that number, the subsets decide.
   */
  totalOfSubsets: 'atoll.dev/total-of-subsets',
  /** UnitedDeployment: {@link subsetRemovals}. */
  subsetRemoval: 'atoll.dev/subset-removal',

  /** NodePool: `true` lets a pool be deleted although nodes name it. Definition of a kind: `true` lets it be deleted with all its objects. */
  allowDeletion: 'atoll.dev/allow-deletion',
  /** Child workload: when the move to its revision began (RFC 3339), written together with the template. */
  startedAt: 'atoll.dev/started-at',
  /** Child workload: hash of all that was applied, so that a field which the template lost is noticed. */
  appliedHash: 'atoll.dev/applied-hash',
  /** Child workload: hash of its pod template without the revision label, so that only a real change replaces pods. */
  podTemplateHash: 'atoll.dev/pod-template-hash',
  /** Child workload: the revision label that its pods carry. */
  podRevision: 'atoll.dev/pod-revision',
  /** Child workload: its pods are still as the old operator rendered them; hash of the template that they were rendered from. */
  oldRendering: 'atoll.dev/old-rendering',
  /** Child workload: its pods stay as they were taken over; hash of the pod template that differs. */
  keptPods: 'atoll.dev/kept-pods',
  /** Child workload: the pod template that it was taken over with and keeps, as JSON. Absent where that is too long. */
  keptTemplate: 'atoll.dev/kept-template',
  /** Child workload: its number of replicas stays as it was taken over; the number in the template. */
  keptReplicas: 'atoll.dev/kept-replicas',
  /** Child workload: the ordinals of its pods stay as it was taken over; JSON of those in the template, and of those that it had. */
  keptOrdinals: 'atoll.dev/kept-ordinals',
  /**
   * Child of a UnitedDeployment: its number of replicas stays as Kruise left it; JSON of that, and of a hash of the numbers of the spec that give it another
   * one.
   */
  keptNumber: 'atoll.dev/kept-number',
  /** Node: the value of {@link labels.desiredNodePool} that was followed last. */
  followedPool: 'atoll.dev/followed-pool',
  /**
   * Node: JSON as {@link annotations.previousAttributes}, the values that keys of the pool had before it joined; and `hostNetwork: true`
   * where a pool put {@link labels.hostNetwork} there.
   */
  earlierAttributes: 'atoll.dev/earlier-attributes',
  /**
   * Node: the pool's labels that it is left without, or with another value, because an old operator had left it so; where it is in no pool, those
   * that its last pool left there. JSON as {@link annotations.previousAttributes}.
   */
  keptLabels: 'atoll.dev/kept-labels',
  /** Node: the pool's taints that it is left without because an old operator had left it so; as {@link annotations.previousAttributes}. */
  keptTaints: 'atoll.dev/kept-taints',
} as const;

/** Labels by which a node names its pool. No pool gives them. */
export const membershipLabels: readonly string[] = [labels.nodePool, labels.desiredNodePool];

/** What the operator notes on nodes. No pool gives these, and no kubelet may write them. */
export const nodeNotes: readonly string[] = [
  annotations.previousAttributes,
  annotations.earlierAttributes,
  annotations.keptLabels,
  annotations.keptTaints,
  annotations.followedPool,
];

/** `spec.topology.scheduleStrategy.type`; empty is the same as `Fixed`. */
export const unitedDeploymentModes = ['Adaptive', 'Fixed', ''] as const;

/** Values of {@link labels.deleteProtection}. */
export const deleteProtections = {
  /** Is never deleted as long as it carries the label. */
  always: 'Always',
  /** Is deleted only when scaled to 0. */
  cascading: 'Cascading',
} as const;

/** Values of {@link annotations.subsetRemoval}: when the child of a subset that is gone, or of another kind, is deleted. */
export const subsetRemovals = {
  /** At once; as without the annotation. */
  immediate: 'Immediate',
  /** When the subsets that take its place are available. */
  afterReplacement: 'AfterReplacement',
} as const;

/** Names of the DaemonSet update model (`reference/openyurt.md` section 4). */
export const daemonSetUpdate = {
  annotations: {
    updateStrategy: 'apps.openyurt.io/update-strategy',
    /** The proposal's spelling of the same, which no old release read. */
    upgradeStrategy: 'apps.openyurt.io/upgrade-strategy',
    /** Integer or percent; `10%` where absent. */
    maxUnavailable: 'apps.openyurt.io/max-unavailable',
    /** Kept by the API server. */
    templateGeneration: 'deprecated.daemonset.template.generation',
    /** `true`: no pod is deleted. */
    rolloutPaused: 'atoll.dev/rollout-paused',
    /** Whole seconds for which a node counts that went away after its pod was deleted; 60 where absent. */
    awayNodeCountsSeconds: 'atoll.dev/away-node-counts-seconds',
    /** `true`: pods are evicted, so that PodDisruptionBudgets are kept. */
    respectDisruptionBudgets: 'atoll.dev/respect-disruption-budgets',
  },
  nodeLabels: {
    /** `true`, and everything else but `false`: no pod of the node is deleted. */
    excluded: 'atoll.dev/rollout-excluded',
  },
  podLabels: {
    controllerRevisionHash: 'controller-revision-hash',
    templateGeneration: 'pod-template-generation',
  },
  podConditions: { needUpgrade: 'PodNeedUpgrade', imageReady: 'PodImageReady' },
  /** Reasons of `PodImageReady`, those of OpenYurt's controller. */
  pullReasons: { pulled: 'PullImageSuccess', failed: 'PullImageFail' },
  daemonSetConditions: { upToDate: 'atoll.dev/UpToDate', held: 'atoll.dev/Held' },
  prePullJobPrefix: 'image-pre-pull-',
} as const;

/** Condition types; those of the pool workloads with the old operators' capital L. */
export const conditionTypes = {
  workLoadProvisioned: 'WorkLoadProvisioned',
  workLoadUpdated: 'WorkLoadUpdated',
  workLoadFailure: 'WorkLoadFailure',
  /** UnitedDeployment. */
  subsetProvisioned: 'SubsetProvisioned',
  subsetUpdated: 'SubsetUpdated',
  subsetFailure: 'SubsetFailure',
  unitedDeploymentUpdated: 'UnitedDeploymentUpdated',
  /** UnitedDeployment: False where the numbers of the subsets cannot be met, and the total is spread evenly instead. */
  subsetReplicasEffective: 'SubsetReplicasEffective',
  /** One subset of a UnitedDeployment (`status.subsetStatuses[].conditions`). */
  schedulable: 'Schedulable',
  ready: 'Ready',
  progressing: 'Progressing',
  degraded: 'Degraded',
  stalled: 'Stalled',
  paused: 'Paused',
} as const;

/** Event reasons of the old operator that its users filter by; they contain spaces. */
export const oldEventReasons = {
  createWorkload: 'Successful CreateWorkload',
  deleteWorkload: 'Successful DeleteWorkload',
  failedUpdateWorkload: 'Failed UpdateWorkload',
  /** Also of Kruise's UnitedDeployment. */
  failedRevisionProvision: 'FailedRevisionProvision',
} as const;

/** Event reasons of Kruise's UnitedDeployment (`reference/uniteddeployment.md` section 4); some contain spaces. */
export const kruiseEventReasons = {
  failedSpecifySubsetReplicas: 'Failed SpecifySubsetReplicas',
  successfulUpdateSubset: 'SuccessfulUpdateSubset',
  failedUpdateSubset: 'FailedUpdateSubset',
} as const;

/** Reasons in conditions of Kruise's UnitedDeployment; those of a subset begin with a small letter. */
export const kruiseConditionReasons = {
  revisionUpdated: 'UnitedDeploymentRevisionUpdated',
  revisionUpdating: 'UnitedDeploymentRevisionUpdating',
  reschedule: 'reschedule',
  recover: 'recover',
  created: 'created',
} as const;

export const fieldManagers = {
  /** The owner of everything we apply: children, node attributes, status. */
  atoll: 'atoll',
  /** Applies our CRDs, policies and RBAC. */
  install: 'atoll-install',
  /** The owner of our conditions in the status of a DaemonSet. */
  daemonSetConditions: 'atoll-conditions',
} as const;

/**
 * Field managers under which the old operators own the fields that we take over. They name none themselves, so the
 * API server recorded the name of the binary. Builds called `manager` are not among them, because many a foreign
 * binary is called so.
 */
export const oldFieldManagers: readonly string[] = ['yurt-manager', 'yurt-app-manager', 'kruise-manager'];

/** What OpenKruise's own manager is called, wherever it is installed. */
export const kruiseManager = {
  /** The Deployment of 0.8 and later, the StatefulSet before. */
  workload: 'kruise-controller-manager',
  /** Of charts from 1.0.1 on. */
  serviceAccount: 'kruise-manager',
  /** Of older ones, which give it none of its own. */
  olderUser: 'system:serviceaccount:kruise-system:default',
  /** Its user agent up to the slash, by which the API server names its writes. */
  fieldManager: 'kruise-manager',
  validatingWebhooks: 'kruise-validating-webhook-configuration',
  mutatingWebhooks: 'kruise-mutating-webhook-configuration',
} as const;

/**
 * The Deployments that run OpenYurt's own controllers, wherever they are installed. Each is called as its binary, and so is the field manager of
 * what it writes.
 */
export const yurtManagers = {
  /** Of OpenYurt 1.3 and later. */
  manager: 'yurt-manager',
  /** NodePools and YurtAppDaemons before that. */
  appManager: 'yurt-app-manager',
  /** DaemonSets before that, in OpenYurt 1.1 and 1.2. */
  controllerManager: 'yurt-controller-manager',
} as const;

/** The ValidatingAdmissionPolicy, and its binding, that keep Kruise's manager off UnitedDeployments. */
export const kruiseKeptOffPolicy = 'united-deployments-without-kruise.atoll.dev';

/** The value of {@link labels.managedBy}, and the component in our events. */
export const componentName = 'atoll';

/** Where the operator lives in a cluster. */
export const operatorNames = {
  namespace: 'atoll-system',
  serviceAccount: 'atoll',
  /** What the names of its ClusterRoles and their bindings begin with. */
  clusterRole: 'atoll',
  /** Role and RoleBinding in the operator's own namespace. */
  role: 'atoll',
  lease: 'atoll',
  /** MutatingWebhookConfiguration and ValidatingWebhookConfiguration. */
  webhookConfiguration: 'atoll',
  /** The ClusterRole of those who scrape metrics. */
  metricsReader: 'atoll-metrics-reader',
  /** Leads to the metrics of every replica. */
  metricsService: 'atoll-metrics',
  webhookService: 'atoll-webhook',
  /** The Secret that holds the operator's own authority and serving certificate, of webhooks and metrics. */
  webhookSecret: 'atoll-webhook',
} as const;

/**
 * What is of the cluster and belongs to an operator that is limited to some namespaces: several such run beside each other, each in a
 * namespace of its own. `ownNamespace` undefined: it is not limited.
 */
export function nameInCluster(name: string, ownNamespace: string | undefined): string {
  return ownNamespace === undefined ? name : `${name}.${ownNamespace}`;
}

/** MutatingWebhookConfiguration and ValidatingWebhookConfiguration of an operator; `ownNamespace` as for {@link nameInCluster}. */
export function webhookConfigurationName(ownNamespace: string | undefined): string {
  return nameInCluster(operatorNames.webhookConfiguration, ownNamespace);
}
