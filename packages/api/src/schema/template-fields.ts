/**
 * What `kubectl explain` shows of templates: the fields that people look for, in few words, because a CustomResourceDefinition has to
 * fit into the annotation of a client-side apply (262,144 bytes). No types: the API server judges what they hold when it is written as a child.
 */
export const podSpecFields = {
  containers: 'The containers, one at least. Their fields: kubectl explain pod.spec.containers',
  initContainers: 'Containers that run to completion, in order, before the others start.',
  volumes: 'Volumes that containers mount. Their kinds: kubectl explain pod.spec.volumes',
  nodeSelector: 'Labels that a node must have.',
  affinity: 'Which nodes and which pods beside it a pod needs, prefers or avoids.',
  tolerations: 'Taints of nodes that the pods may run in spite of.',
  topologySpreadConstraints: 'How the pods are spread over nodes and zones.',
  serviceAccountName: 'The ServiceAccount that the pods run as.',
  automountServiceAccountToken: 'Whether the token of the ServiceAccount is mounted.',
  imagePullSecrets: 'Secrets to pull the images with.',
  securityContext: 'Users, groups and privileges of all containers.',
  restartPolicy: 'Always, the only one that workloads allow.',
  terminationGracePeriodSeconds: 'How long the containers have to end; 30 where left out.',
  priorityClassName: 'The PriorityClass of the pods.',
  schedulerName: 'Another scheduler than the default one.',
  schedulingGates: 'Gates that must be taken off before the pods are scheduled.',
  readinessGates: 'Conditions that must be True beside the containers for a pod to be ready.',
  runtimeClassName: 'The RuntimeClass that runs the containers.',
  hostNetwork: "Use the node's network.",
  hostPID: "Use the node's process namespace.",
  hostAliases: 'Entries of /etc/hosts.',
  dnsPolicy: 'How names are resolved: ClusterFirst where left out.',
  dnsConfig: 'Servers, search domains and options of the resolver.',
} as const;

const seldom: ReadonlySet<string> = new Set([
  'automountServiceAccountToken',
  'schedulerName',
  'schedulingGates',
  'readinessGates',
  'runtimeClassName',
  'hostPID',
  'hostAliases',
  'dnsPolicy',
  'dnsConfig',
]);

/** For the definition of a UnitedDeployment, which has them eight times and would be too long with all of them. */
export const commonPodSpecFields: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(podSpecFields).filter(([name]) => !seldom.has(name)),
);

/** Of a DeploymentSpec, beside those that the schema has rules for. */
export const deploymentFields = {
  selector: 'Left out, it is spec.selector, which is used in any case.',
  strategy: 'RollingUpdate, with maxSurge and maxUnavailable, or Recreate.',
  minReadySeconds: 'How long a pod must be ready to count as available.',
  progressDeadlineSeconds: 'After how long a rollout counts as failed; 600 where left out.',
  revisionHistoryLimit: 'How many old ReplicaSets are kept; 10 where left out.',
  paused: 'Changes of the pod template wait.',
} as const;

/** Of a StatefulSetSpec, beside those that the schema has rules for. */
export const statefulSetFields = {
  selector: 'Left out, it is spec.selector, which is used in any case.',
  minReadySeconds: 'How long a pod must be ready to count as available.',
  revisionHistoryLimit: 'How many old revisions are kept; 10 where left out.',
  persistentVolumeClaimRetentionPolicy:
    'Whether claims are deleted with the object, or when it is scaled in.',
  ordinals: 'With which number the pods begin.',
} as const;

/** Of the spec of a CloneSet. */
export const cloneSetFields = {
  selector: 'Left out, it is spec.selector, which is used in any case.',
  minReadySeconds: 'How long a pod must be ready to count as available.',
  updateStrategy: 'Whether pods are updated in place, and how many at a time.',
  scaleStrategy: 'Which pods are deleted, and how many are made at a time.',
  lifecycle: 'Hooks before a pod is deleted or updated in place.',
  revisionHistoryLimit: 'How many old revisions are kept.',
  volumeClaimTemplates: 'Claims that every pod gets.',
} as const;
