import type { KubeObject, Resource } from '@atoll/kube';
import { nodePools } from '../node-pool.ts';
import { componentName, labels, openYurtGroup, operatorNames } from '../names.ts';
import { unitedDaemonSets } from '../united-daemon-set.ts';
import { yurtAppDaemons } from '../yurt-app-daemon.ts';

export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** A Role or ClusterRole. */
export interface RoleObject extends KubeObject {
  readonly rules: readonly PolicyRule[];
}

/** A RoleBinding or ClusterRoleBinding. */
export interface RoleBindingObject extends KubeObject {
  readonly roleRef: { readonly apiGroup: string; readonly kind: string; readonly name: string };
  readonly subjects: readonly { readonly kind: string; readonly name: string; readonly namespace: string }[];
}

function rbacResource<T extends KubeObject>(kind: string, plural: string, namespaced: boolean): Resource<T> {
  return { group: 'rbac.authorization.k8s.io', version: 'v1', kind, plural, namespaced };
}

const rbacVersion = 'rbac.authorization.k8s.io/v1';

export const clusterRoles = rbacResource<RoleObject>('ClusterRole', 'clusterroles', false);
export const clusterRoleBindings = rbacResource<RoleBindingObject>(
  'ClusterRoleBinding',
  'clusterrolebindings',
  false,
);
export const roles = rbacResource<RoleObject>('Role', 'roles', true);
export const roleBindings = rbacResource<RoleBindingObject>('RoleBinding', 'rolebindings', true);

export const namespaces: Resource<KubeObject> = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
};

export const serviceAccounts: Resource<KubeObject> = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
};

const ownLabels = { 'app.kubernetes.io/name': componentName, [labels.managedBy]: componentName };
const read = ['get', 'list', 'watch'];
const workloads = [unitedDaemonSets.plural, yurtAppDaemons.plural];

/** What the operator may do in the whole cluster: only what it does, shown by running every test as its ServiceAccount. */
const operatorRules: readonly PolicyRule[] = [
  { apiGroups: [openYurtGroup], resources: workloads, verbs: read },
  // Pools carry labels that say their type.
  { apiGroups: [openYurtGroup], resources: [nodePools.plural], verbs: [...read, 'patch'] },
  {
    apiGroups: [openYurtGroup],
    resources: [nodePools.plural, ...workloads].map((plural) => `${plural}/status`),
    verbs: ['patch', 'update'],
  },
  // Where OwnerReferencesPermissionEnforcement is on, blockOwnerDeletion in a child asks for this.
  {
    apiGroups: [openYurtGroup],
    resources: workloads.map((plural) => `${plural}/finalizers`),
    verbs: ['update'],
  },
  { apiGroups: [''], resources: ['nodes'], verbs: [...read, 'patch'] },
  {
    apiGroups: ['apps'],
    resources: ['controllerrevisions', 'deployments', 'statefulsets'],
    verbs: [...read, 'create', 'patch', 'delete'],
  },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
];

/** Leader election, in the operator's own namespace. `create` cannot be limited to a name. */
const leaderElectionRules: readonly PolicyRule[] = [
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
  {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    resourceNames: [operatorNames.lease],
    verbs: ['get', 'update', 'patch'],
  },
];

const operatorSubject = {
  kind: 'ServiceAccount',
  name: operatorNames.serviceAccount,
  namespace: operatorNames.namespace,
};

export const operatorNamespace: KubeObject = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: operatorNames.namespace, labels: ownLabels },
};

export const operatorServiceAccount: KubeObject = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: operatorNames.serviceAccount, namespace: operatorNames.namespace, labels: ownLabels },
};

export const operatorClusterRole: RoleObject = {
  apiVersion: rbacVersion,
  kind: 'ClusterRole',
  metadata: { name: operatorNames.clusterRole, labels: ownLabels },
  rules: operatorRules,
};

export const operatorClusterRoleBinding: RoleBindingObject = {
  apiVersion: rbacVersion,
  kind: 'ClusterRoleBinding',
  metadata: { name: operatorNames.clusterRole, labels: ownLabels },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: operatorNames.clusterRole },
  subjects: [operatorSubject],
};

export const operatorRole: RoleObject = {
  apiVersion: rbacVersion,
  kind: 'Role',
  metadata: { name: operatorNames.role, namespace: operatorNames.namespace, labels: ownLabels },
  rules: leaderElectionRules,
};

export const operatorRoleBinding: RoleBindingObject = {
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
export const aggregatedRoles: readonly RoleObject[] = [
  {
    apiVersion: rbacVersion,
    kind: 'ClusterRole',
    metadata: {
      name: `${operatorNames.clusterRole}-view`,
      labels: { ...ownLabels, 'rbac.authorization.k8s.io/aggregate-to-view': 'true' },
    },
    rules: [{ apiGroups: [openYurtGroup], resources: [nodePools.plural, ...workloads], verbs: read }],
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
    ],
  },
];
