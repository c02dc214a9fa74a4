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

export const configMaps = namespaced<ConfigMap>('', 'v1', 'ConfigMap', 'configmaps');
export const limitRanges = namespaced<LimitRange>('', 'v1', 'LimitRange', 'limitranges');
export const namespaces = clusterScoped<Namespace>('', 'v1', 'Namespace', 'namespaces');
export const nodes = clusterScoped<Node>('', 'v1', 'Node', 'nodes');
export const persistentVolumeClaims = namespaced<PersistentVolumeClaim>(
  '',
  'v1',
  'PersistentVolumeClaim',
  'persistentvolumeclaims',
);
export const podTemplates = namespaced<PodTemplate>('', 'v1', 'PodTemplate', 'podtemplates');
export const pods = namespaced<Pod>('', 'v1', 'Pod', 'pods');
export const resourceQuotas = namespaced<ResourceQuota>('', 'v1', 'ResourceQuota', 'resourcequotas');
export const secrets = namespaced<Secret>('', 'v1', 'Secret', 'secrets');
export const serviceAccounts = namespaced<ServiceAccount>('', 'v1', 'ServiceAccount', 'serviceaccounts');
export const services = namespaced<Service>('', 'v1', 'Service', 'services');

export const controllerRevisions: Resource<ControllerRevision> = {
  ...namespaced<ControllerRevision>('apps', 'v1', 'ControllerRevision', 'controllerrevisions'),
  // Its `data` must never change, and every patch of anything else encodes it anew.
  keepsBytes: true,
};
export const daemonSets = namespaced<DaemonSet>('apps', 'v1', 'DaemonSet', 'daemonsets');
export const deployments = namespaced<Deployment>('apps', 'v1', 'Deployment', 'deployments');
export const replicaSets = namespaced<ReplicaSet>('apps', 'v1', 'ReplicaSet', 'replicasets');
export const statefulSets = namespaced<StatefulSet>('apps', 'v1', 'StatefulSet', 'statefulsets');

export const jobs = namespaced<Job>('batch', 'v1', 'Job', 'jobs');

export const horizontalPodAutoscalers = namespaced<HorizontalPodAutoscaler>(
  'autoscaling',
  'v2',
  'HorizontalPodAutoscaler',
  'horizontalpodautoscalers',
);

export const podDisruptionBudgets = namespaced<PodDisruptionBudget>(
  'policy',
  'v1',
  'PodDisruptionBudget',
  'poddisruptionbudgets',
);

export const leases = namespaced<Lease>('coordination.k8s.io', 'v1', 'Lease', 'leases');

/** events.k8s.io/v1; the same objects as the core group's events. */
export const events = namespaced<Event>('events.k8s.io', 'v1', 'Event', 'events');

const RBAC = 'rbac.authorization.k8s.io';
export const clusterRoles = clusterScoped<ClusterRole>(RBAC, 'v1', 'ClusterRole', 'clusterroles');
export const clusterRoleBindings = clusterScoped<ClusterRoleBinding>(
  RBAC,
  'v1',
  'ClusterRoleBinding',
  'clusterrolebindings',
);
export const roles = namespaced<Role>(RBAC, 'v1', 'Role', 'roles');
export const roleBindings = namespaced<RoleBinding>(RBAC, 'v1', 'RoleBinding', 'rolebindings');

export const priorityClasses = clusterScoped<PriorityClass>(
  'scheduling.k8s.io',
  'v1',
  'PriorityClass',
  'priorityclasses',
);

export const customResourceDefinitions = clusterScoped<CustomResourceDefinition>(
  'apiextensions.k8s.io',
  'v1',
  'CustomResourceDefinition',
  'customresourcedefinitions',
);

const ADMISSION = 'admissionregistration.k8s.io';
export const mutatingWebhookConfigurations = clusterScoped<MutatingWebhookConfiguration>(
  ADMISSION,
  'v1',
  'MutatingWebhookConfiguration',
  'mutatingwebhookconfigurations',
);
export const validatingAdmissionPolicies = clusterScoped<ValidatingAdmissionPolicy>(
  ADMISSION,
  'v1',
  'ValidatingAdmissionPolicy',
  'validatingadmissionpolicies',
);
export const validatingAdmissionPolicyBindings = clusterScoped<ValidatingAdmissionPolicyBinding>(
  ADMISSION,
  'v1',
  'ValidatingAdmissionPolicyBinding',
  'validatingadmissionpolicybindings',
);
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
export const subjectAccessReviews = clusterScoped<SubjectAccessReview>(
  'authorization.k8s.io',
  'v1',
  'SubjectAccessReview',
  'subjectaccessreviews',
);
export const tokenReviews = clusterScoped<TokenReview>(
  'authentication.k8s.io',
  'v1',
  'TokenReview',
  'tokenreviews',
);
