import type { KubeObject } from './object.ts';
import type { Resource } from './resource.ts';
import type {
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  ControllerRevision,
  CustomResourceDefinition,
  DaemonSet,
  Deployment,
  Event,
  HorizontalPodAutoscaler,
  Job,
  Lease,
  LimitRange,
  MutatingWebhookConfiguration,
  Namespace,
  Node,
  PersistentVolumeClaim,
  Pod,
  PodTemplate,
  PodDisruptionBudget,
  PriorityClass,
  ReplicaSet,
  ResourceQuota,
  Role,
  RoleBinding,
  Secret,
  SelfSubjectAccessReview,
  Service,
  ServiceAccount,
  StatefulSet,
  SubjectAccessReview,
  TokenReview,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '../types/index.ts';

function namespaced<T extends KubeObject>(
  group: string,
  version: string,
  kind: string,
  plural: string,
): Resource<T> {
  return { group, version, kind, plural, namespaced: true };
}

function clusterScoped<T extends KubeObject>(
  group: string,
  version: string,
  kind: string,
  plural: string,
): Resource<T> {
  return { group, version, kind, plural, namespaced: false };
}

/** `v1` ConfigMap, in a namespace. */
export const configMaps = namespaced<ConfigMap>('', 'v1', 'ConfigMap', 'configmaps');
/** `v1` LimitRange, in a namespace. */
export const limitRanges = namespaced<LimitRange>('', 'v1', 'LimitRange', 'limitranges');
/** `v1` Namespace, of the whole cluster. */
export const namespaces = clusterScoped<Namespace>('', 'v1', 'Namespace', 'namespaces');
/** `v1` Node, of the whole cluster. */
export const nodes = clusterScoped<Node>('', 'v1', 'Node', 'nodes');
/** `v1` PersistentVolumeClaim, in a namespace. */
export const persistentVolumeClaims = namespaced<PersistentVolumeClaim>(
  '',
  'v1',
  'PersistentVolumeClaim',
  'persistentvolumeclaims',
);
/** `v1` PodTemplate, in a namespace. */
export const podTemplates = namespaced<PodTemplate>('', 'v1', 'PodTemplate', 'podtemplates');
/** `v1` Pod, in a namespace. */
export const pods = namespaced<Pod>('', 'v1', 'Pod', 'pods');
/** `v1` ResourceQuota, in a namespace. */
export const resourceQuotas = namespaced<ResourceQuota>('', 'v1', 'ResourceQuota', 'resourcequotas');
/** `v1` Secret, in a namespace. */
export const secrets = namespaced<Secret>('', 'v1', 'Secret', 'secrets');
/** `v1` ServiceAccount, in a namespace. */
export const serviceAccounts = namespaced<ServiceAccount>('', 'v1', 'ServiceAccount', 'serviceaccounts');
/** `v1` Service, in a namespace. */
export const services = namespaced<Service>('', 'v1', 'Service', 'services');

/** `apps/v1` ControllerRevision, in a namespace. */
export const controllerRevisions: Resource<ControllerRevision> = {
  ...namespaced<ControllerRevision>('apps', 'v1', 'ControllerRevision', 'controllerrevisions'),
  // Its `data` must never change, and every patch of anything else encodes it anew.
  keepsBytes: true,
};
/** `apps/v1` DaemonSet, in a namespace. */
export const daemonSets = namespaced<DaemonSet>('apps', 'v1', 'DaemonSet', 'daemonsets');
/** `apps/v1` Deployment, in a namespace. */
export const deployments = namespaced<Deployment>('apps', 'v1', 'Deployment', 'deployments');
/** `apps/v1` ReplicaSet, in a namespace. */
export const replicaSets = namespaced<ReplicaSet>('apps', 'v1', 'ReplicaSet', 'replicasets');
/** `apps/v1` StatefulSet, in a namespace. */
export const statefulSets = namespaced<StatefulSet>('apps', 'v1', 'StatefulSet', 'statefulsets');

/** `batch/v1` Job, in a namespace. */
export const jobs = namespaced<Job>('batch', 'v1', 'Job', 'jobs');

/** `autoscaling/v2` HorizontalPodAutoscaler, in a namespace. */
export const horizontalPodAutoscalers = namespaced<HorizontalPodAutoscaler>(
  'autoscaling',
  'v2',
  'HorizontalPodAutoscaler',
  'horizontalpodautoscalers',
);

/** `policy/v1` PodDisruptionBudget, in a namespace. */
export const podDisruptionBudgets = namespaced<PodDisruptionBudget>(
  'policy',
  'v1',
  'PodDisruptionBudget',
  'poddisruptionbudgets',
);

/** `coordination.k8s.io/v1` Lease, in a namespace. */
export const leases = namespaced<Lease>('coordination.k8s.io', 'v1', 'Lease', 'leases');

/** events.k8s.io/v1; the same objects as the core group's events. */
export const events = namespaced<Event>('events.k8s.io', 'v1', 'Event', 'events');

const RBAC = 'rbac.authorization.k8s.io';
/** `rbac.authorization.k8s.io/v1` ClusterRole, of the whole cluster. */
export const clusterRoles = clusterScoped<ClusterRole>(RBAC, 'v1', 'ClusterRole', 'clusterroles');
/** `rbac.authorization.k8s.io/v1` ClusterRoleBinding, of the whole cluster. */
export const clusterRoleBindings = clusterScoped<ClusterRoleBinding>(
  RBAC,
  'v1',
  'ClusterRoleBinding',
  'clusterrolebindings',
);
/** `rbac.authorization.k8s.io/v1` Role, in a namespace. */
export const roles = namespaced<Role>(RBAC, 'v1', 'Role', 'roles');
/** `rbac.authorization.k8s.io/v1` RoleBinding, in a namespace. */
export const roleBindings = namespaced<RoleBinding>(RBAC, 'v1', 'RoleBinding', 'rolebindings');

/** `scheduling.k8s.io/v1` PriorityClass, of the whole cluster. */
export const priorityClasses = clusterScoped<PriorityClass>(
  'scheduling.k8s.io',
  'v1',
  'PriorityClass',
  'priorityclasses',
);

/** `apiextensions.k8s.io/v1` CustomResourceDefinition, of the whole cluster. */
export const customResourceDefinitions = clusterScoped<CustomResourceDefinition>(
  'apiextensions.k8s.io',
  'v1',
  'CustomResourceDefinition',
  'customresourcedefinitions',
);

const ADMISSION = 'admissionregistration.k8s.io';
/** `admissionregistration.k8s.io/v1` MutatingWebhookConfiguration, of the whole cluster. */
export const mutatingWebhookConfigurations = clusterScoped<MutatingWebhookConfiguration>(
  ADMISSION,
  'v1',
  'MutatingWebhookConfiguration',
  'mutatingwebhookconfigurations',
);
/** `admissionregistration.k8s.io/v1` ValidatingAdmissionPolicy, of the whole cluster. */
export const validatingAdmissionPolicies = clusterScoped<ValidatingAdmissionPolicy>(
  ADMISSION,
  'v1',
  'ValidatingAdmissionPolicy',
  'validatingadmissionpolicies',
);
/** `admissionregistration.k8s.io/v1` ValidatingAdmissionPolicyBinding, of the whole cluster. */
export const validatingAdmissionPolicyBindings = clusterScoped<ValidatingAdmissionPolicyBinding>(
  ADMISSION,
  'v1',
  'ValidatingAdmissionPolicyBinding',
  'validatingadmissionpolicybindings',
);
/** `admissionregistration.k8s.io/v1` ValidatingWebhookConfiguration, of the whole cluster. */
export const validatingWebhookConfigurations = clusterScoped<ValidatingWebhookConfiguration>(
  ADMISSION,
  'v1',
  'ValidatingWebhookConfiguration',
  'validatingwebhookconfigurations',
);

/** Reviews are questions: only `create` is served, and the answer is in the status. */
export const selfSubjectAccessReviews = clusterScoped<SelfSubjectAccessReview>(
  'authorization.k8s.io',
  'v1',
  'SelfSubjectAccessReview',
  'selfsubjectaccessreviews',
);
/** `authorization.k8s.io/v1` SubjectAccessReview, of the whole cluster. */
export const subjectAccessReviews = clusterScoped<SubjectAccessReview>(
  'authorization.k8s.io',
  'v1',
  'SubjectAccessReview',
  'subjectaccessreviews',
);
/** `authentication.k8s.io/v1` TokenReview, of the whole cluster. */
export const tokenReviews = clusterScoped<TokenReview>(
  'authentication.k8s.io',
  'v1',
  'TokenReview',
  'tokenreviews',
);
