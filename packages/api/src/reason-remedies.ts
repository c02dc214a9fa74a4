import type { ReasonWord } from './reasons.ts';

export interface Remedy {
  /** Where a person sees the cause. */
  readonly lookAt: string;
  /** What ends it: what to do, or what happens without a person. */
  readonly helps: string;
}

const pods = 'the pod that the message names, and its events';
const conflict = 'the Deployment or the field manager that the message names';
const field = 'the field that the message names';
const refusal = "the API server's words in the message: a quota, an admission policy, a webhook or a right";
const retried = 'The write is retried after 1 s, 10 s, and then every 30 s.';
const byItself = 'Wait: it goes on without you.';

/**
 * What a person who reads a reason can do. Reasons that ask for nothing, because something is done or was only recorded, have none.
 */
export const reasonRemedies: Partial<Readonly<Record<ReasonWord, Remedy>>> = {
  RollingOut: {
    lookAt: 'the pools, subsets or nodes that the message names',
    helps: byItself,
  },
  ChildRefused: {
    lookAt: refusal,
    helps: `Raise the quota, correct the field, or allow it in the policy. ${retried}`,
  },
  ServerUnavailable: {
    lookAt: 'the API server, where it lasts',
    helps: 'Wait: the write is retried, at least every 30 s.',
  },
  NameTaken: {
    lookAt: 'the object that the message names: who made it, and what it is for',
    helps:
      'Delete it where it is not needed. Otherwise give your workload another name. A child that the object of the other kind no longer wants (`OrphanLeft` there) stays until somebody deletes it, or takes its label `apps.openyurt.io/pool-name` off. An old child that is being deleted goes by itself, once its finalizers are taken off. Where `atoll.dev/subset-removal` keeps an old child, take that annotation off.',
  },
  ChildTerminating: {
    lookAt:
      'the finalizers that the message names, and the controllers that should remove them; where one is `foregroundDeletion`, the pods of the child',
    helps:
      'Repair the controller that should remove a finalizer. Remove it yourself where there is no such controller any more. It goes on when the child is gone.',
  },
  OrphanLeft: {
    lookAt: 'the child that the message names, and its pods, which Services and autoscalers may still select',
    helps:
      'Delete it. Or, where it is to run on by itself, remove the label that the message names. Nothing waits for that, except a YurtAppDaemon or UnitedDaemonSet of the same name and selector that is to have a child in that pool (`NameTaken`).',
  },
  UnknownChild: {
    lookAt:
      'the child that the message names: who made it, and its pods, which Services and autoscalers may select',
    helps:
      'Delete it. Or, where it is to run on by itself, remove its owner reference. Nothing waits for that. When this object is deleted, the child is deleted too.',
  },
  NoPoolsSelected: {
    lookAt: 'the labels of the NodePools, and `spec.nodepoolSelector`',
    helps: 'Label a NodePool, or correct the selector. Nothing is wrong where no pool is to match yet.',
  },
  WaitingForNodes: {
    lookAt: 'the nodes of the pool',
    helps:
      'Add a node to the pool. Or take the pool out of the selection, where it is to stay empty. Or do nothing.',
  },
  Paused: {
    lookAt: 'the field or the annotation that the message names',
    helps: 'Resume it there.',
  },
  WaitingForReady: {
    lookAt: 'the pods of the child that the message names',
    helps:
      'Wait while pods start. Where something keeps them from it, its reason is shown in place of this one within 30 s.',
  },
  ProgressDeadlineExceeded: {
    lookAt: 'the pods of the child that the message names, and the log of their containers',
    helps: 'Correct the template. It goes on without you where the pods become available after all.',
  },
  PoolTerminating: {
    lookAt: 'the finalizers of the NodePool, where it lasts',
    helps: 'It ends when the pool is gone.',
  },
  PoolNameTooLong: {
    lookAt: 'the name of the NodePool',
    helps: 'Make a NodePool with a shorter name, and move its nodes there.',
  },
  OldRenderingKept: {
    lookAt:
      'the node selector, affinity, tolerations and pull policies of the pods; of an ExtendedDaemonSet their resources',
    helps:
      'Wait: the next change of the pod template replaces the pods and corrects them. Nothing is wrong. A pod of an ExtendedDaemonSet that is deleted is made anew as settings ask now.',
  },
  OldTemplateKept: {
    lookAt: 'what the message compares: the child and the template',
    helps:
      'Decide. Edit the template where the child is right. Set `atoll.dev/apply-template: "true"` where the template is right: that may replace pods.',
  },
  TaintsKept: {
    lookAt: 'the taints of the node and of its pool',
    helps:
      'Remove the annotation `atoll.dev/kept-taints` from the node to set them, which evicts pods. Or change the taints of the pool.',
  },
  LabelsKept: {
    lookAt: 'the labels of the node and of its pool, and the annotation `atoll.dev/kept-labels` of the node',
    helps:
      'Decide. Remove the annotation `atoll.dev/kept-labels` from the node: its labels become those of its pool, and those of a pool that it left are removed. Pods of DaemonSets that select by them may end.',
  },
  OverrideKept: {
    lookAt: 'the child that the message names, beside the template',
    helps:
      'Decide. Put those values into the template to keep them. Or set `atoll.dev/discard-overrides: "true"` to drop them, which replaces pods.',
  },
  RevisionRefused: {
    lookAt: refusal,
    helps: `Allow ControllerRevisions there. No child gets the new template before. ${retried}`,
  },
  InvalidSelector: { lookAt: field, helps: 'Correct it.' },
  InvalidTemplate: { lookAt: field, helps: 'Correct it.' },
  ReconcileFailed: {
    lookAt: "the operator's log at the level error. The object's other conditions may be old",
    helps: 'Report it with that line: it is a fault of the operator. Other objects are not affected.',
  },
  NotYetObserved: {
    lookAt:
      "the operator's pods and log, its page `/readyz`, and its flags `--controllers` and `--namespaces`, where it lasts longer than a minute. It does not run, no replica leads, or a cache has not synced; or the controller of this kind is off, or no operator serves this namespace",
    helps: 'Mend what the log or the page names.',
  },
  PoolRefused: {
    lookAt: `${refusal}. Often it is the webhook of an operator that is gone`,
    helps: `Delete that webhook configuration, or allow the write. ${retried}`,
  },
  DesiredPoolIgnored: {
    lookAt: 'the two labels of the node',
    helps: 'Change `apps.openyurt.io/nodepool` where the node is in the wrong pool.',
  },
  PoolNotFound: {
    lookAt:
      'the label `apps.openyurt.io/nodepool` of the node, and the definition `nodepools.apps.openyurt.io`: whether it is there, and since when',
    helps:
      'Create the NodePool, or correct the label. Where the pool is not to come back, delete its child yourself.',
  },
  NodeRefused: {
    lookAt: refusal,
    helps: `Allow it. ${retried}`,
  },
  ChangedBack: {
    lookAt:
      '`metadata.managedFields` of the object that the message names. A mutating webhook has no entry there: look at the configurations of webhooks, too',
    helps:
      'Let one of the two decide: take the field out of the template or the pool, or stop the other writer. Where an autoscaler scales a child of a UnitedDeployment (`kube-controller-manager`, `subresource: scale`), delete it, and have one scale the UnitedDeployment. Exempt ExtendedDaemonSetReplicaSets from webhooks that rewrite templates, and the pods of ExtendedDaemonSets from webhooks that rewrite the node affinity. A change of the spec is written at once.',
  },
  AnnotationsTooLong: {
    lookAt: '`spec.annotations` of the NodePool, and the annotations of the node',
    helps: 'Make the one that the message names shorter, or take it off: of the pool, or of the node.',
  },
  WaitingForDeletion: {
    lookAt: 'the pods of the child',
    helps: 'Delete the old pods, or change the update strategy of the template.',
  },
  PodsUnschedulable: {
    lookAt: "the scheduler's words in the message",
    helps:
      'Add nodes or room, or correct requests, selectors and tolerations. A UnitedDeployment with the strategy `Adaptive` moves the replicas to subsets with room, but no pod that serves. In a rollout that makes new pods before old ones go (`maxSurge`), let an old one go first: `maxUnavailable: 1`.',
  },
  PodNotSeen: {
    lookAt: 'the pod in the message, which somebody made or whose label somebody took off',
    helps:
      'Give it the label `pod-template-generation=0`: it is upgraded as the others. Or delete it: the DaemonSet controller makes another one.',
  },
  SchedulingGated: {
    lookAt: '`spec.schedulingGates` of the pod, and the controller that takes that gate off',
    helps: 'Wait for that controller, or remove the gate yourself.',
  },
  ImagePullBackOff: {
    lookAt: 'the image in the template, the pull secrets, and the registry as the node reaches it',
    helps: 'Correct the image or the secret. The kubelet tries again every five minutes at the latest.',
  },
  CrashLoopBackOff: {
    lookAt:
      'the log of the container before its last restart (`--previous`). 137: killed, often out of memory',
    helps: 'Correct the template, or what the program needs.',
  },
  CreateContainerConfigError: {
    lookAt: 'the ConfigMap or Secret that the message names',
    helps: 'Create it, or correct its name or key in the template.',
  },
  CreateContainerError: {
    lookAt: 'the command and the mounts of the container, in the template',
    helps: 'Correct the template.',
  },
  FailedMount: {
    lookAt: 'the volume that the message names: its ConfigMap, Secret or PersistentVolumeClaim',
    helps: 'Create what is missing, or correct the template.',
  },
  FailedCreatePodSandBox: {
    lookAt: 'the network plugin and the container runtime of that node',
    helps: 'Mend the node.',
  },
  ContainerCreating: {
    lookAt: `${pods}; then the kubelet of that node`,
    helps: 'Wait while images are pulled. Otherwise repair the node.',
  },
  PodInitializing: {
    lookAt: 'the log of the init container that the message names',
    helps: 'It goes on when that container has completed.',
  },
  ProbeFailed: {
    lookAt: 'the answer of the probe in the message, and the log of the container',
    helps: 'Correct the program, or the probe in the template.',
  },
  ContainersNotReady: {
    lookAt: 'the log of the container',
    helps: 'It goes on when the container is ready.',
  },
  ReadinessGatesNotReady: {
    lookAt:
      'the condition of the pod that the message names, and the controller that sets it, as of a load balancer',
    helps: 'That controller sets the condition to True.',
  },
  PodTerminating: {
    lookAt: 'the finalizers of the pod, and whether its node is Ready',
    helps:
      'It ends when the node is back, or when the node is deleted for good. Take off a finalizer that nobody serves.',
  },
  PodFailed: {
    lookAt: 'the message: pressure on the node, an eviction, a device that was not there',
    helps: 'Another pod is made. Where that ends too, give the node room or lower the requests.',
  },
  QuotaExceeded: {
    lookAt: 'the ResourceQuota that the message names',
    helps: 'Raise it, or ask for less.',
  },
  PodSecurityViolation: {
    lookAt: 'the fields in the message, and the label `pod-security.kubernetes.io/enforce` of the namespace',
    helps: 'Correct the template, or change the level of the namespace.',
  },
  FailedCreate: {
    lookAt: refusal,
    helps: 'Correct the template, or allow it in the policy.',
  },
  PodStuck: {
    lookAt: 'why pods of the older template did not become ready',
    helps: 'Wait: the StatefulSet makes a pod of the new template.',
  },
  PodRefused: { lookAt: refusal, helps: `Allow it. ${retried}` },
  TotalRefused: { lookAt: refusal, helps: `Allow it, or write \`spec.replicas\` yourself. ${retried}` },
  NoSubsets: { lookAt: '`spec.topology.subsets`', helps: 'Name a subset.' },
  KindNotServed: {
    lookAt: 'the kind of `spec.template`',
    helps: "Install OpenKruise's definitions and its manager, or use a Deployment or a StatefulSet.",
  },
  KindUnreadable: {
    lookAt:
      "the API server's words in the message: mostly a missing right, or a conversion webhook that does not answer",
    helps: 'Give the operator the right (`deploy/rbac.yaml`), or repair the webhook.',
  },
  InvalidPatch: { lookAt: '`patch` of the subset that the message names', helps: 'Correct it.' },
  InvalidPartition: { lookAt: field, helps: 'Correct it. The subset keeps its partition until then.' },
  ServedByKruise: {
    lookAt: conflict,
    helps:
      "Keep OpenKruise's manager off UnitedDeployments with `deploy/optional/kruise-kept-off.yaml`. Do not only scale it to 0: while its webhooks are there, no pod of the cluster can be made. The guide [from OpenKruise](migration-kruise.md#moving) has the steps.",
  },
  KruiseWebhooksLeft: {
    lookAt: 'the webhook configurations that the message names',
    helps: 'Delete them with the command in the message.',
  },
  SubsetReplicasIneffective: {
    lookAt: 'the sum in the message',
    helps: 'Correct the numbers of the subsets, or the total. Nothing stops until then.',
  },
  SubsetReplicasKept: {
    lookAt: 'the numbers in the message',
    helps:
      'Nothing has to be done. To end it, change `spec.replicas`, a number of a subset or the strategy: to what runs, or to what you want. The next such change moves replicas, and pods with them.',
  },
  MaxUnavailableReached: {
    lookAt: 'the pods that are not available, on the nodes in brackets, and why',
    helps:
      'It goes on when one of them is available. A corrected template repairs broken pods first, and needs no room in the budget for that.',
  },
  NodeNotReady: {
    lookAt: 'the node, and its taints `node.kubernetes.io/not-ready` and `node.kubernetes.io/unreachable`',
    helps:
      'It goes on when the node is Ready again and without these taints, or when it is deleted. kube-controller-manager should remove the taints of a node that is Ready: where they stay, look there.',
  },
  BeingDeleted: {
    lookAt: 'the finalizers and the grace period of that pod, where it lasts',
    helps: byItself,
  },
  CreationLimitReached: {
    lookAt: 'what is being created, and the field that the message names',
    helps: `${byItself} Where the message names \`maxParallelPodCreation\`, which is 0, set it to more.`,
  },
  BatchInterval: {
    lookAt: 'the interval in the strategy, or the setting that the message names',
    helps: byItself,
  },
  InvalidUpgradeStrategy: { lookAt: 'the annotation that the message names', helps: 'Correct it.' },
  NotOnDelete: {
    lookAt: '`spec.updateStrategy.type` of the DaemonSet',
    helps: 'Set it to `OnDelete`, or remove the annotation.',
  },
  TemplateNotSeen: {
    lookAt: 'the controller manager of Kubernetes, where it lasts',
    helps: byItself,
  },
  UpgradeAvailable: {
    lookAt: 'the nodes that the message names',
    helps:
      'The owners of these nodes ask for the upgrade. Or change the strategy to `AdvancedRollingUpdate`.',
  },
  PullImageFail: {
    lookAt: 'the cause in the message: image, pull secret, registry, or what refused the Job',
    helps: 'Correct it, and ask the agent of the node again (`imagepull`).',
  },
  DisruptionBudget: {
    lookAt: 'the PodDisruptionBudgets of the namespace, and the pods that are not ready',
    helps: 'It is tried again. It goes on when the budget allows an eviction.',
  },
  NodeExcluded: {
    lookAt:
      'the label `atoll.dev/rollout-excluded` of the node, and its pod where the node counts as unavailable',
    helps:
      'Remove the label when the node is to be upgraded. Where it counts as unavailable, others may wait for it: correct what keeps its pod from being available, or remove the label.',
  },
  NodeTainted: {
    lookAt: 'the taints of the node, and the tolerations of the template',
    helps:
      'Remove the taint, or tolerate it: the pod is then replaced. Or delete the pod: the node then runs none.',
  },
  ServedByYurtManager: {
    lookAt: conflict,
    helps:
      'Switch that controller of it off, in its own flag, and delete its webhooks for the kind. The guide [from OpenYurt](migration-openyurt.md#2-stop-the-old-operator) has the flags and names of each release.',
  },
  CanaryRunning: {
    lookAt: 'what the message waits for',
    helps:
      'Wait, or promote the canary now: `kubectl eds canary validate <name>`, or the annotation `extendeddaemonset.datadoghq.com/canary-valid` with the name of its replica set. With `validationMode: manual` nothing else promotes it.',
  },
  CanaryPaused: {
    lookAt: 'the pods of the canary (`kubectl eds canary pods <name>`), and the reason in the message',
    helps:
      'Decide: `kubectl eds canary unpause <name>`, `validate` or `fail`. Without the plugin set the annotation `extendeddaemonset.datadoghq.com/canary-unpaused` to `"true"`. A new template is a new canary, and is not paused.',
  },
  CanaryFailed: {
    lookAt: 'the events of the ExtendedDaemonSet: pod, node, container, reason',
    helps:
      'Correct the template. A new template is a new canary. All other nodes keep the active template, except where the message has that its replica set is gone.',
  },
  TemplateReverted: {
    lookAt: 'the event `CanaryFailed` before it',
    helps: 'Correct the template and apply it again. For GitOps set `atoll.dev/on-canary-failure: Hold`.',
  },
  ObjectRefused: {
    lookAt: refusal,
    helps: `Allow it. Pods are made and replaced meanwhile, except for a promotion. ${retried}`,
  },
  ActiveReplicaSetUnknown: {
    lookAt: 'the replica sets that the message names, and whose pods run',
    helps:
      'Write the name of the right one into the status: `kubectl patch eds <name> --subresource=status --type=merge -p \'{"status":{"activeReplicaSet":"<replica set>"}}\'`. Where the message offers it, you can put the former template back into the spec instead.',
  },
  ActiveReplicaSetGone: {
    lookAt:
      'the canary that the message names, and whether the definition of the replica sets was installed anew',
    helps:
      'Wait for the canary, promote it now (`kubectl eds canary validate <name>`), or put the former template into the spec.',
  },
  InvalidStrategy: { lookAt: field, helps: 'Correct it.' },
  OldDaemonSetPresent: {
    lookAt: 'the DaemonSet that the message names, and the other ExtendedDaemonSet where it names one',
    helps:
      'Delete the DaemonSet with the command in the message, which keeps its pods, and not before the message has it. Where an older ExtendedDaemonSet names the DaemonSet too, take the annotation off one of the two.',
  },
  FormerReplicaSetPresent: {
    lookAt: 'the replica sets that the message names, and their owners',
    helps:
      'Those of an object that was just deleted go by themselves. Release the pods of one without an owner with the command in the message.',
  },
  ServedByAnotherController: {
    lookAt: conflict,
    helps:
      'Stop that controller: Atoll goes on a minute later, or after three times `reconcileFrequency` where that is longer. Or start Atoll with `--controllers=-extended-daemon-set`.',
  },
  SelectorNotApplied: {
    lookAt: 'the two selectors in the message',
    helps:
      'Change `spec.template` too, by an annotation for example, to move the pods. Or put the selector back.',
  },
  AnnotationIgnored: {
    lookAt: 'the annotation that the message names',
    helps:
      'Write "true" to hold the rollout, as `kubectl eds freeze-rollout` does, or remove the annotation.',
  },
  InvalidOverride: {
    lookAt: 'the annotation or the setting that the message names',
    helps: 'Correct it. Pods stay as they are until then; new ones get the resources of the template.',
  },
  SettingUnreadable: {
    lookAt:
      'the setting and the field that the message names; where the setting does not exist, the definition `extendeddaemonsetsettings.datadoghq.com`: whether it is there, and since when',
    helps:
      'Apply the setting again in the form that `kubectl explain extendeddaemonsetsetting.spec` shows, or delete it. Pods on the listed nodes stay until then, also where the template changes. A setting that does not exist: restore it, or make another one for these nodes; where it is not to come back, delete the pods yourself, a few at a time. A new template makes them without it.',
  },
  SettingUnused: {
    lookAt: 'the field of the setting that the message names, for a name that is misspelt',
    helps: 'Correct it. Nothing is wrong where the object, or such a node, is to come later.',
  },
};
