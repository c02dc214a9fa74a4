import type { ClusterRole, ClusterRoleBinding, ServiceAccount } from '@atoll/kube';
import { agentNames } from '../agent-names.ts';
import { componentName, labels } from '../names.ts';

const rbacVersion = 'rbac.authorization.k8s.io/v1';
const ownLabels = {
  'app.kubernetes.io/name': componentName,
  'app.kubernetes.io/component': 'agent',
  [labels.managedBy]: componentName,
};

export const agentServiceAccount: ServiceAccount = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: agentNames.serviceAccount, namespace: agentNames.namespace, labels: ownLabels },
};

/** What RBAC can express of it; that an agent changes pods of its own node only is enforced by a policy. */
export const agentClusterRole: ClusterRole = {
  apiVersion: rbacVersion,
  kind: 'ClusterRole',
  metadata: { name: agentNames.clusterRole, labels: ownLabels },
  rules: [
    { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch', 'delete'] },
    { apiGroups: [''], resources: ['pods/status'], verbs: ['patch'] },
  ],
};

export const agentClusterRoleBinding: ClusterRoleBinding = {
  apiVersion: rbacVersion,
  kind: 'ClusterRoleBinding',
  metadata: { name: agentNames.clusterRole, labels: ownLabels },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: agentNames.clusterRole },
  subjects: [{ kind: 'ServiceAccount', name: agentNames.serviceAccount, namespace: agentNames.namespace }],
};
