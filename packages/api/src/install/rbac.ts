import type {
  ClusterRole,
  ClusterRoleBinding,
  Namespace,
  PolicyRule,
  Role,
  RoleBinding,
  ServiceAccount,
} from '@atoll/kube';
import { advancedStatefulSets, cloneSets, definitionName } from '@atoll/kube';
import { nodePools } from '../node-pool.ts';
import {
  componentName,
  kruiseGroup,
  kruiseKeptOffPolicy,
  kruiseManager,
  labels,
  openYurtGroup,
  operatorNames,
} from '../names.ts';
import { unitedDaemonSets } from '../united-daemon-set.ts';
import { unitedDeployments } from '../united-deployment.ts';
import { yurtAppDaemons } from '../yurt-app-daemon.ts';

const rbacVersion = 'rbac.authorization.k8s.io/v1';

const ownLabels = { 'app.kubernetes.io/name': componentName, [labels.managedBy]: componentName };
const read = ['get', 'list', 'watch'];
const workloads = [unitedDaemonSets.plural, yurtAppDaemons.plural];
/** Kinds that need not be installed. */
const kruiseChildren = [cloneSets, advancedStatefulSets];

/** What the operator may do in the whole cluster: only what it does, shown by running every test as its ServiceAccount. */
const operatorRules: readonly PolicyRule[] = [
  { apiGroups: [openYurtGroup], resources: workloads, verbs: read },
  // Pools carry labels that say their type.
  { apiGroups: [openYurtGroup], resources: [nodePools.plural], verbs: [...read, 'patch'] },
  {
    apiGroups: [openYurtGroup],
    resources: [nodePools.plural, ...workloads].map((plural) => `${plural}/status`),
    verbs: ['patch'],
  },
  // Where OwnerReferencesPermissionEnforcement is on, blockOwnerDeletion in a child asks for this.
  {
    apiGroups: [openYurtGroup],
    resources: workloads.map((plural) => `${plural}/finalizers`),
    verbs: ['update'],
  },
  // A total that was left out is filled in.
  { apiGroups: [kruiseGroup], resources: [unitedDeployments.plural], verbs: [...read, 'patch'] },
  { apiGroups: [kruiseGroup], resources: [`${unitedDeployments.plural}/status`], verbs: ['patch'] },
  { apiGroups: [kruiseGroup], resources: [`${unitedDeployments.plural}/finalizers`], verbs: ['update'] },
  { apiGroups: [''], resources: ['nodes'], verbs: [...read, 'patch'] },
  {
    apiGroups: ['apps'],
    resources: ['controllerrevisions', 'deployments', 'statefulsets'],
    verbs: [...read, 'create', 'patch', 'delete'],
  },
  {
    apiGroups: [kruiseGroup],
    resources: kruiseChildren.map(({ plural }) => plural),
    verbs: [...read, 'create', 'patch', 'delete'],
  },
  {
    apiGroups: ['apiextensions.k8s.io'],
    resources: ['customresourcedefinitions'],
    resourceNames: kruiseChildren.map(definitionName),
    verbs: ['list', 'watch'],
  },
  // Pods of subsets are marked as reserved; those of a StatefulSet that hang at an older revision are deleted.
  { apiGroups: [''], resources: ['pods'], verbs: [...read, 'patch', 'delete'] },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
  // Whether Kruise's manager is kept off UnitedDeployments, and whether it left webhooks that nobody answers for.
  {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: ['validatingadmissionpolicybindings'],
    resourceNames: [kruiseKeptOffPolicy],
    verbs: ['list', 'watch'],
  },
  {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: ['mutatingwebhookconfigurations'],
    resourceNames: [kruiseManager.mutatingWebhooks],
    verbs: ['list', 'watch'],
  },
  {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: ['validatingwebhookconfigurations'],
    resourceNames: [kruiseManager.validatingWebhooks],
    verbs: ['list', 'watch'],
  },
  // By server-side apply, whose `create` can be limited to a name. Those of others are out of reach.
  {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
    resourceNames: [operatorNames.webhookConfiguration],
    verbs: ['get', 'create', 'patch'],
  },
];

/** The webhooks' authority and serving certificate, in the operator's own namespace; no other Secret anywhere. */
const webhookSecretRule: PolicyRule = {
  apiGroups: [''],
  resources: ['secrets'],
  resourceNames: [operatorNames.webhookSecret],
  verbs: ['get', 'create', 'patch'],
};

/** Leader election, in the operator's own namespace. `create` cannot be limited to a name. */
const leaderElectionRules: readonly PolicyRule[] = [
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
  {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    resourceNames: [operatorNames.lease],
    verbs: ['get', 'update'],
  },
];

const operatorSubject = {
  kind: 'ServiceAccount',
  name: operatorNames.serviceAccount,
  namespace: operatorNames.namespace,
};

export const operatorNamespace: Namespace = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: operatorNames.namespace, labels: ownLabels },
};

export const operatorServiceAccount: ServiceAccount = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: operatorNames.serviceAccount, namespace: operatorNames.namespace, labels: ownLabels },
};

export const operatorClusterRole: ClusterRole = {
  apiVersion: rbacVersion,
  kind: 'ClusterRole',
  metadata: { name: operatorNames.clusterRole, labels: ownLabels },
  rules: operatorRules,
};

export const operatorClusterRoleBinding: ClusterRoleBinding = {
  apiVersion: rbacVersion,
  kind: 'ClusterRoleBinding',
  metadata: { name: operatorNames.clusterRole, labels: ownLabels },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: operatorNames.clusterRole },
  subjects: [operatorSubject],
};

export const operatorRole: Role = {
  apiVersion: rbacVersion,
  kind: 'Role',
  metadata: { name: operatorNames.role, namespace: operatorNames.namespace, labels: ownLabels },
  rules: [...leaderElectionRules, webhookSecretRule],
};

export const operatorRoleBinding: RoleBinding = {
  apiVersion: rbacVersion,
  kind: 'RoleBinding',
  metadata: { name: operatorNames.role, namespace: operatorNames.namespace, labels: ownLabels },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: operatorNames.role },
  subjects: [operatorSubject],
};

/**
 * Lets people who hold the cluster's own roles `view`, `edit` and `admin` see and change our kinds. Pools are for
 * those who administer nodes; everybody who may see workloads may see them.
 */
export const aggregatedRoles: readonly ClusterRole[] = [
  {
    apiVersion: rbacVersion,
    kind: 'ClusterRole',
    metadata: {
      name: `${operatorNames.clusterRole}-view`,
      labels: { ...ownLabels, 'rbac.authorization.k8s.io/aggregate-to-view': 'true' },
    },
    rules: [
      { apiGroups: [openYurtGroup], resources: [nodePools.plural, ...workloads], verbs: read },
      {
        apiGroups: [kruiseGroup],
        resources: [unitedDeployments.plural, `${unitedDeployments.plural}/scale`],
        verbs: read,
      },
    ],
  },
  {
    apiVersion: rbacVersion,
    kind: 'ClusterRole',
    metadata: {
      name: `${operatorNames.clusterRole}-edit`,
      labels: {
        ...ownLabels,
        'rbac.authorization.k8s.io/aggregate-to-edit': 'true',
        'rbac.authorization.k8s.io/aggregate-to-admin': 'true',
      },
    },
    rules: [
      {
        apiGroups: [openYurtGroup],
        resources: workloads,
        verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'],
      },
      {
        apiGroups: [kruiseGroup],
        resources: [unitedDeployments.plural, `${unitedDeployments.plural}/scale`],
        verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'],
      },
    ],
  },
];
