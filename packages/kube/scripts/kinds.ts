/** A group and version whose types are generated, and the file that they go to. */
export interface TypeSource {
  /** Path below `/openapi/v3/`. */
  readonly document: string;
  /** Prefix of the schemas that belong into this file. */
  readonly schemaPrefix: string;
  /** Name of the file below `src/types/`. */
  readonly file: string;
  /** Objects with metadata of their own that are wanted; what they refer to comes along. */
  readonly kinds: readonly string[];
}

export const typeSources: readonly TypeSource[] = [
  {
    document: 'api/v1',
    schemaPrefix: 'io.k8s.api.core.v1.',
    file: 'core-v1',
    kinds: [
      'Binding',
      'ConfigMap',
      'LimitRange',
      'Namespace',
      'Node',
      'PersistentVolumeClaim',
      'Pod',
      'PodTemplate',
      'ResourceQuota',
      'Secret',
      'Service',
      'ServiceAccount',
    ],
  },
  {
    document: 'apis/apps/v1',
    schemaPrefix: 'io.k8s.api.apps.v1.',
    file: 'apps-v1',
    kinds: ['ControllerRevision', 'DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet'],
  },
  { document: 'apis/batch/v1', schemaPrefix: 'io.k8s.api.batch.v1.', file: 'batch-v1', kinds: ['Job'] },
  {
    document: 'apis/autoscaling/v2',
    schemaPrefix: 'io.k8s.api.autoscaling.v2.',
    file: 'autoscaling-v2',
    kinds: ['HorizontalPodAutoscaler'],
  },
  {
    document: 'apis/policy/v1',
    schemaPrefix: 'io.k8s.api.policy.v1.',
    file: 'policy-v1',
    kinds: ['Eviction', 'PodDisruptionBudget'],
  },
  {
    document: 'apis/coordination.k8s.io/v1',
    schemaPrefix: 'io.k8s.api.coordination.v1.',
    file: 'coordination-v1',
    kinds: ['Lease'],
  },
  {
    document: 'apis/events.k8s.io/v1',
    schemaPrefix: 'io.k8s.api.events.v1.',
    file: 'events-v1',
    kinds: ['Event'],
  },
  {
    document: 'apis/rbac.authorization.k8s.io/v1',
    schemaPrefix: 'io.k8s.api.rbac.v1.',
    file: 'rbac-v1',
    kinds: ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
  },
  {
    document: 'apis/authentication.k8s.io/v1',
    schemaPrefix: 'io.k8s.api.authentication.v1.',
    file: 'authentication-v1',
    kinds: ['TokenRequest', 'TokenReview'],
  },
  {
    document: 'apis/authorization.k8s.io/v1',
    schemaPrefix: 'io.k8s.api.authorization.v1.',
    file: 'authorization-v1',
    kinds: ['SelfSubjectAccessReview', 'SubjectAccessReview'],
  },
  {
    document: 'apis/scheduling.k8s.io/v1',
    schemaPrefix: 'io.k8s.api.scheduling.v1.',
    file: 'scheduling-v1',
    kinds: ['PriorityClass'],
  },
  {
    document: 'apis/admissionregistration.k8s.io/v1',
    schemaPrefix: 'io.k8s.api.admissionregistration.v1.',
    file: 'admissionregistration-v1',
    kinds: [
      'MutatingWebhookConfiguration',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
      'ValidatingWebhookConfiguration',
    ],
  },
  {
    document: 'apis/apiextensions.k8s.io/v1',
    schemaPrefix: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.',
    file: 'apiextensions-v1',
    kinds: ['CustomResourceDefinition'],
  },
  // What the others share; every document carries it.
  { document: 'api/v1', schemaPrefix: 'io.k8s.apimachinery.pkg.apis.meta.v1.', file: 'meta-v1', kinds: [] },
];

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const EXTENSIONS = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.';

/** Schemas that are something simpler, or something of ours, in TypeScript. */
export const replacedSchemas: Readonly<Record<string, string>> = {
  [`${META}ObjectMeta`]: 'ObjectMeta',
  [`${META}OwnerReference`]: 'OwnerReference',
  [`${META}Time`]: 'string',
  [`${META}MicroTime`]: 'string',
  [`${META}FieldsV1`]: 'Readonly<Record<string, unknown>>',
  'io.k8s.apimachinery.pkg.api.resource.Quantity': 'string',
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': 'number | string',
  'io.k8s.apimachinery.pkg.runtime.RawExtension': 'Readonly<Record<string, unknown>>',
  [`${EXTENSIONS}JSON`]: 'unknown',
  [`${EXTENSIONS}JSONSchemaPropsOrArray`]: 'JSONSchemaProps | readonly JSONSchemaProps[]',
  [`${EXTENSIONS}JSONSchemaPropsOrBool`]: 'JSONSchemaProps | boolean',
  [`${EXTENSIONS}JSONSchemaPropsOrStringArray`]: 'JSONSchemaProps | readonly string[]',
};

/** Where two groups have a type of one name, or it would hide one of the library's own. */
export const renamedSchemas: Readonly<Record<string, string>> = {
  [`${EXTENSIONS}ServiceReference`]: 'ConversionServiceReference',
  [`${EXTENSIONS}WebhookClientConfig`]: 'ConversionWebhookClientConfig',
  [`${META}DeleteOptions`]: 'DeleteOptionsBody',
};
