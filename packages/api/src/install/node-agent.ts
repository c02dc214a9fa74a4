import type { ClusterRole, ServiceAccount } from '@atoll/kube';
import { agentNames } from '../agent-names.ts';
import { clusterRoleBinding, rbacVersion } from './bindings.ts';
import { agentLabels } from './own-labels.ts';

const account = { name: agentNames.serviceAccount, namespace: agentNames.namespace };

export const agentServiceAccount: ServiceAccount = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { ...account, labels: agentLabels },
};

/** What RBAC can express of it; that an agent changes pods of its own node only is enforced by a policy. */
export const agentClusterRole: ClusterRole = {
  apiVersion: rbacVersion,
  kind: 'ClusterRole',
  metadata: { name: agentNames.clusterRole, labels: agentLabels },
  rules: [
    { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch', 'delete'] },
    { apiGroups: [''], resources: ['pods/status'], verbs: ['patch'] },
  ],
};

export const agentClusterRoleBinding = clusterRoleBinding(agentClusterRole, account);
