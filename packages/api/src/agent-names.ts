import { serviceAccountUser } from '@atoll/kube';
import { operatorNames } from './names.ts';

/** Where the node agents live in a cluster, and what they are called. */
export const agentNames = {
  namespace: operatorNames.namespace,
  serviceAccount: 'atoll-agent',
  clusterRole: 'atoll-agent',
  daemonSet: 'atoll-agent',
  /** Owns the condition of pods that an agent writes. */
  fieldManager: 'atoll-agent',
} as const;

/** What the audit log calls all agents. */
export const agentUser = serviceAccountUser(agentNames.namespace, agentNames.serviceAccount);
