/**
 * The one catalogue of reason words (`reference/conditions.md`): the same word appears in the condition, the event,
 * the metric label, the log line and the documentation. Each with its meaning.
 */
export const reasonMeanings = {
  RolloutComplete:
    'Every selected pool, every subset or every node runs the current template and is available.',
  RollingOut: 'Some pools, subsets or nodes do not run the current template yet.',
  ChildRefused: 'The API server refused a child; the message names the field and the cause.',
  ServerUnavailable:
    'The API server could not be reached, did not answer, or asked to wait; the write was not refused and is retried.',
  ChildCreated: 'A child was created for a pool or a subset that had none.',
  ChildUpdated: 'A child was brought to the current template, or to what its pool or subset asks for now.',
  ChildDeleted: 'A child was deleted, because its pool or its kind is no longer wanted.',
  ChildDrifted: 'Somebody changed a field of a child that the template sets; it was put back.',
  NameTaken:
    'Name conflict. An object of somebody else has the name that a child is to get, or an old child is still being deleted. Or pods of an old child have the names of the new ones. Or a child without an owner is in that place, which was made for an object of another kind with the same name.',
  ChildTerminating:
    'An old child, or another object with its name, is still there ten minutes after it was deleted; the message names its finalizers. Its pods may run on, or no other child can be made in its place.',
  NoPoolsSelected: 'The nodepoolSelector matches no pool, so there is nothing to run.',
  WaitingForNodes: 'The pool has no nodes; its child is there and runs as soon as a node joins.',
  Paused:
    'The rollout of a child is paused, by the template or on the child itself; it goes on when it is resumed.',
  WaitingForReady: 'The children run the current template, but not all of their pods are available yet.',
  ProgressDeadlineExceeded:
    'The pods of a child did not become available within its progress deadline, or for ten minutes, and no cause was found in them.',
  PoolTerminating:
    'The pool is being deleted: it gets no new child, and no node that asks for it by the older label.',
  PoolUnselected: 'The pool no longer matches the nodepoolSelector.',
  PoolNameTooLong: 'The name of the pool is longer than a label value may be, so no node can be in it.',
  ChildTakenOver: "The fields of an older operator's child became ours; its pods are not touched by that.",
  OldRenderingKept:
    "Pods stay as an older operator rendered them until the pod template changes. They may lack the template's own nodeSelector or node affinity, or a subset's matchFields, and have wider tolerations or a pull policy that its webhook filled in. Pods of an ExtendedDaemonSet may have an ExtendedDaemonsetSetting that does not apply to their node any more, or lack one that the older operator had in error.",
  OldTemplateKept:
    'An older operator left a child that differs from the template: in its pods or ordinals, or, in a pool, in its number of replicas. The child stays so until the template is edited or a person applies it.',
  TaintsKept:
    'An older operator left a node without a NoExecute taint of its pool, or with another value of it. To set the taint would end pods, so a person decides.',
  LabelsKept:
    'An older operator left a node with other labels than its pool gives, or with labels of a pool that it left. Pods may select nodes by them, so a person decides.',
  OverrideKept:
    "A YurtAppOverrider of the old operator had changed a pool's child; it is left as it is until a person decides.",
  ReplicasReleased: 'The template does not set replicas any more; they stay, and an autoscaler may own them.',
  DuplicateChild:
    'A pool or a subset had two children, left by an older operator; the duplicate child is deleted.',
  RevisionCreated: 'The template changed and was recorded as a new revision.',
  RevisionRefused: 'The API server refused to record the template as a revision.',
  HistoryLimit: 'A revision beyond the revisionHistoryLimit, which nothing runs any more, was removed.',
  InvalidSelector:
    'The selector or nodepoolSelector cannot be used; nothing is changed until it is corrected, but an ExtendedDaemonSet runs on all nodes or on none, as the message has it, and its canary keeps its nodes where its nodeSelector cannot be used.',
  InvalidTemplate: 'The template cannot be used; nothing is changed until it is corrected.',
  ReconcileFailed:
    'The reconcile failed because of an error in the operator; the message has the error, and the reconcile is retried.',
  NotYetObserved: 'The operator has not reconciled this generation of the object yet.',
  StatusOutdated: 'The status is out of date and is written.',
  AttributesOutdated: 'A node lacks labels, annotations or taints of its pool, or carries outdated ones.',
  NodeLeft: 'A node left the pool; what the pool had put on it is taken off.',
  PoolLabelled: 'The labels with the type of a pool were put on it.',
  PoolRefused:
    'The API server refused to label a pool, as it does while a webhook of an operator that is gone is still registered.',
  MembershipFollowed:
    'The label by which older releases ask for a pool was followed, once for each change of it.',
  DesiredPoolIgnored:
    'A node asks for one pool and is in another; which of the two came first cannot be known, so it stays where it is.',
  PoolNotFound:
    'A node names a pool that does not exist, so nothing is done for it until the pool is there or the label is corrected. Or a child is of such a pool, which may have gone with the definition of NodePools: the child stays.',
  NodeRefused: 'The API server refused to change a node; the other nodes of the pool are not held up.',
  ChangedBack:
    'Another writer changes back what Atoll writes, again and again. It is written again after pauses that grow to five minutes. A replica set of an ExtendedDaemonSet, or a pod of it that lost its node, is made again every five minutes.',
  AnnotationsTooLong:
    'A node would have more annotations than the API server allows, so it is not written; what the pool gives counts twice, because it is noted on the node.',
  SubsetScaled: 'A child got another number of replicas.',
  ChildTried:
    'Before replicas move from one subset to another, the API server was asked by dry run whether the child that is to get them may have them.',
  WaitingForDeletion:
    'The update strategy of the template is OnDelete: old pods stay until somebody deletes them.',
  PodsUnschedulable: 'No node can take pods; the message has the words of the scheduler.',
  SchedulingGated: 'Pods carry scheduling gates, which somebody has to take off.',
  ImagePullBackOff: 'A node cannot pull the image of a container; the message names pod, node and cause.',
  CrashLoopBackOff:
    'A container ends again and again; the message has its exit code. How often it was restarted is given in powers of ten.',
  CreateContainerConfigError:
    'A container cannot be configured, mostly because a ConfigMap or a Secret does not exist or lacks a key.',
  CreateContainerError: 'A container was configured and cannot be started.',
  FailedMount:
    'A volume cannot be mounted or attached, as when its ConfigMap, Secret or claim does not exist.',
  FailedCreatePodSandBox: 'A node cannot set up the sandbox or the network of a pod.',
  ContainerCreating: 'A node was found, and its kubelet has not started the pod for 15 seconds.',
  PodInitializing: 'An init container has not completed, and the others wait for it.',
  ProbeFailed: 'A container runs, and its readiness or startup probe fails.',
  ContainersNotReady: 'A container runs and is not ready, and no failed probe is known.',
  ReadinessGatesNotReady: 'The containers are ready, and a readiness gate of the pod is not.',
  PodTerminating: 'A pod should have ended and is still there: a finalizer is left, or its node is away.',
  PodFailed: 'Pods ended, as when they were evicted, or when a node had no room for them after all.',
  QuotaExceeded: 'A ResourceQuota leaves no room for pods; the message names it.',
  PodSecurityViolation:
    'The Pod Security level of the namespace forbids the pods of the template; the message names the fields.',
  FailedCreate: 'The API server refuses to create pods, as an admission policy or a webhook does.',
  PodNotSeen:
    'A DaemonSet adopted a pod without the label pod-template-generation; Atoll does not see such a pod, and its node counts as one without a pod.',
  PodReserved: 'A pod waits for room or for its update, and is kept while other pods run instead of it.',
  PodCounted: 'A pod is available and counts again.',
  PodStuck: 'A broken pod blocked the rollout of its StatefulSet and was deleted.',
  PodRefused: 'The API server refused to label or delete a pod.',
  TotalFilledIn: 'The field spec.replicas was left out and was filled in, so that the object can be scaled.',
  TotalRefused: 'The API server refused to fill in spec.replicas, so autoscalers cannot read it.',
  SubsetRemoved: 'The UnitedDeployment does not name the subset any more; its child is removed.',
  ChildAdopted:
    'A child that nobody owned, and that was of this object or of its namesake before it, became its child again.',
  OrphanLeft:
    'A child without an owner, which was of this object before, is not needed: its pool or subset has another child, or is gone. The child is left as it is.',
  UnknownChild:
    'A child that this object controls names no pool and no subset, as when somebody gave it the owner. It is left as it is.',
  HistoryAdopted:
    'A revision that nobody owned, and that was of this object or of its namesake before it, is in its history again.',
  NoSubsets: 'The UnitedDeployment names no subset; nothing is changed until it does.',
  KindNotServed:
    'The kind of the template is not installed in the cluster; children of it are made as soon as it is.',
  KindUnreadable:
    'The kind of the template, or of the children that it is to replace, is installed, but its objects cannot be read; nothing is changed until they can.',
  InvalidPatch: "A subset's patch cannot be merged into the template; its child stays as it is.",
  InvalidPartition: 'A partition is no number of pods; the subset keeps the partition that it has.',
  ServedByKruise:
    "OpenKruise's manager is a conflicting controller for the object; Atoll backs off until that is stopped or kept off.",
  KruiseWebhooksLeft:
    'OpenKruise left webhooks that nothing answers; the API server refuses the writes that they guard.',
  SubsetReplicasMet: 'Every subset gets the number of replicas that the spec gives it.',
  SubsetReplicasIneffective:
    'The numbers of the subsets cannot be met; the total is spread from what each subset has, as in the message.',
  SubsetReplicasKept:
    'OpenKruise left the subsets other numbers of replicas than the spec gives them; these stay until one of the numbers that they come from changes, so that the take-over stops no pod.',
  MaxUnavailableReached:
    'The number of targets that are unavailable or being changed has reached its limit; the next is changed when one of them is available.',
  NodeNotReady:
    'The node is not Ready, or a taint from when it was not still keeps new pods off. What runs there is changed when the node is back.',
  BeingDeleted: 'What ran there is being deleted; it is replaced when it is gone.',
  CreationLimitReached: 'The number of targets that are being created has reached its limit.',
  BatchInterval:
    'The interval between two batches of changes, or after the deletion of a setting, is not over.',
  InvalidUpgradeStrategy:
    'An annotation of the upgrade of a DaemonSet has a value that cannot be used; nothing is done until it is corrected.',
  NotOnDelete:
    'The DaemonSet asks for an upgrade strategy and its update strategy is not OnDelete; nothing is done until one of them is changed.',
  TemplateNotSeen:
    'The DaemonSet controller has not recorded the current template yet, so which pods are outdated is not known.',
  UpgradeAvailable:
    'Pods do not run the current template, and the owners of their nodes decide when they are upgraded (OTA).',
  UpgradeDone: 'A pod runs the current template; its condition for the owner of its node is False.',
  UpgradeWithdrawn:
    'The DaemonSet is not upgraded by the owners of nodes any more; the condition of its pods is taken off.',
  ImagePullStarted: 'The owner of a node asked for the images of the next revision; a Job pulls them there.',
  ImagePullCleared: 'The Job that pulled images is not needed any more and was deleted.',
  PullImageSuccess: 'The images of the next revision are on the node.',
  PullImageFail:
    'The images of the next revision could not be pulled on the node; the message has the cause.',
  PodOutdated:
    'A pod of another template than the current one, or of other resources than its node is to have, was deleted, and a new one is made.',
  DisruptionBudget: 'A PodDisruptionBudget does not allow to evict a pod now; it is tried again.',
  NodeExcluded: 'The node is excluded from rollouts by its label; what runs there stays.',
  ServedByYurtManager:
    'A manager of OpenYurt is a conflicting controller for the DaemonSet or YurtAppDaemon; Atoll backs off until that is stopped.',
  NodeTainted:
    'A node got a taint that the template does not tolerate. Its pod runs on with an older template, because no new one could be made there.',
  ReplicaSetCreated: 'The template changed, and a replica set was made for it.',
  ReplicaSetObsolete: 'Nothing runs the template of a replica set any more, and it was deleted.',
  PodTemplateOutdated: 'The PodTemplate that cluster-autoscaler reads was made, or follows the template.',
  PodCreated: 'A node that is to run a pod had none, and one was made.',
  PodUnwanted: 'A pod was deleted: its node is not to run one, or has another one.',
  PodReplaced: 'A pod that had ended was deleted, and another one is made in its place.',
  PodLabelled: 'The label of canary pods was put on a pod, or taken off.',
  PodTried:
    'Before pods are replaced, the API server was asked by dry run whether it takes those that replace them: one for each distinct result of overrides.',
  BatchRecorded: 'That pods are deleted now was recorded, so that the next batch keeps its interval.',
  CanaryRunning: 'A canary is tried; the message names what its promotion waits for.',
  CanaryPromoted: 'A canary became the active replica set; the message names the rule that decided.',
  CanaryPaused: 'A canary is paused, by a person or by autoPause; the message has the cause.',
  CanaryFailed: 'A canary has failed; the template goes back, or a person changes it.',
  CanaryEnded:
    'Annotations that paused or resumed a canary were removed, because it has ended, or none runs.',
  TemplateReverted: 'The template went back to that of the active replica set, because the canary failed.',
  ObjectRefused:
    'The API server refused to change an ExtendedDaemonSet itself: to put back the template of a failed canary, to remove the annotations of one that has ended, or to promote one.',
  ActiveReplicaSetUnknown:
    'The status of an ExtendedDaemonSet has lost the name of its active replica set, and several may be it; no pod is made or deleted until a person names one, or puts its template back.',
  ActiveReplicaSetGone:
    'The active replica set of an ExtendedDaemonSet is gone while a canary ran: the canary takes its place or, where its own replica set was lost too, the template is tried again before it goes to all nodes.',
  InvalidStrategy:
    'A field of the strategy cannot be used; nothing is deleted or promoted until it is corrected.',
  OldDaemonSetPresent:
    'The DaemonSet that an ExtendedDaemonSet is to replace still makes pods, or an older ExtendedDaemonSet replaces it; no pod is made or deleted until that is over.',
  FormerReplicaSetPresent:
    'Replica sets that do not belong to the ExtendedDaemonSet any more still control pods on its nodes, as after it was deleted and made again; nothing is done until they are gone.',
  ServedByAnotherController:
    'Another controller, as the old operator, serves the object or may do so; Atoll backs off until that is stopped.',
  SelectorNotApplied:
    'The selector of an ExtendedDaemonSet was changed without its template; pods stay on the nodes of the old selector until the template changes or a person puts the selector back.',
  AnnotationIgnored:
    'An annotation that is to hold a rollout of an ExtendedDaemonSet has another value than "true", so the rollout goes on.',
  InvalidOverride:
    'A setting, or a resource annotation of a node, cannot be used; pods are made without it, and those that are there stay.',
  SettingUnreadable:
    'The content of an ExtendedDaemonsetSetting cannot be read; pods stay on the nodes that it may be for, and other nodes go on. Or pods were made with a setting that may have gone with the definition of ExtendedDaemonsetSettings: they stay.',
  SettingValid: 'An ExtendedDaemonsetSetting can be used, and is in conflict with no newer one.',
  SettingUnused:
    'An ExtendedDaemonsetSetting can be used, and it, or a part of it, changes no pod: its object, its nodes or a container is not there.',
  PoolSynced: 'Every node of the pool carries its labels, annotations and taints.',
} as const satisfies Readonly<Record<string, string>>;

export type ReasonWord = keyof typeof reasonMeanings;

/** Reasons that only a change of the object, or of the cluster by a person, can end. */
export const reasonsUntilAChange: readonly ReasonWord[] = [
  'InvalidSelector',
  'SelectorNotApplied',
  'InvalidTemplate',
  'InvalidPatch',
  'NoSubsets',
  'KindNotServed',
];

export const reasonWords = Object.keys(reasonMeanings) as readonly ReasonWord[];
