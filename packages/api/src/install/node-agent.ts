import type { ClusterRole, ServiceAccount } from '@atoll/kube';
import { agentNames } from '../agent-names.ts';
import { componentName, labels } from '../names.ts';
import { clusterRoleBinding, rbacVersion } from './bindings.ts';

const account = { name: agentNames.serviceAccount, namespace: agentNames.namespace };
const ownLabels = {
  'app.kubernetes.io/name': componentName,
  'app.kubernetes.io/component': 'agent',
  [labels.managedBy]: componentName,
};

export const agentServiceAccount: ServiceAccount = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { ...account, labels: ownLabels },
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

export const agentClusterRoleBinding = clusterRoleBinding(agentClusterRole, account);
