import {
  clusterRoleBindings,
  clusterRoles,
  customResourceDefinitions,
  daemonSets,
  deployments,
  namespaces,
  podDisruptionBudgets,
  roleBindings,
  roles,
  serviceAccounts,
  services,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
} from '@atoll/kube';
import { customResourceDefinition, type KindDefinition } from '../schema/custom-resource-definition.ts';
import { kinds } from '../schema/kinds.ts';
import { kruisePolicy, kruisePolicyBinding } from './kruise-policy.ts';
import { definitionPolicy, definitionPolicyBinding } from './definition-protection.ts';
import { deletionProtectionPolicy, deletionProtectionPolicyBinding } from './deletion-protection.ts';
import { misspeltProtectionPolicy, misspeltProtectionPolicyBinding } from './misspelt-protection.ts';
import { toInstall, type InstallObject } from './install-object.ts';
import { agentDaemonSet } from './node-agent-daemon-set.ts';
import { agentPolicy, agentPolicyBinding } from './node-agent-policy.ts';
import { agentClusterRole, agentClusterRoleBinding, agentServiceAccount } from './node-agent.ts';
import {
  operatorDeployment,
  operatorDisruptionBudget,
  operatorMetricsService,
} from './operator-deployment.ts';
import { nodeNotesPolicy, nodeNotesPolicyBinding } from './node-notes-policy.ts';
import { poolDeletionPolicy, poolDeletionPolicyBinding } from './policies.ts';
import {
  aggregatedRoles,
  metricsReaderRole,
  operatorClusterRoles,
  operatorClusterRoleBindings,
  operatorNamespace,
  operatorRole,
  operatorRoleBinding,
  operatorServiceAccount,
  type ControllerRules,
} from './rbac.ts';
import { webhookService } from './webhook-service.ts';

/** What differs between installations: which kinds they serve, and what the operator may do for them. */
export interface Installation {
  readonly kinds: readonly KindDefinition[];
  /** What each controller may do, besides what every operator needs; absent: no ClusterRole is installed for an operator. */
  readonly controllers?: readonly ControllerRules[];
}

/** The kinds of Atoll without an operator that works on them. */
export const kindsAlone: Installation = { kinds };

/** The CustomResourceDefinitions of all kinds. */
export function crdObjects({ kinds }: Installation): readonly InstallObject[] {
  return kinds.map((kind) => toInstall(customResourceDefinitions, customResourceDefinition(kind)));
}

/** Rules across objects that the API server enforces by itself. */
export function policyObjects(): readonly InstallObject[] {
  return [
    toInstall(validatingAdmissionPolicies, poolDeletionPolicy),
    toInstall(validatingAdmissionPolicyBindings, poolDeletionPolicyBinding),
    toInstall(validatingAdmissionPolicies, nodeNotesPolicy),
    toInstall(validatingAdmissionPolicyBindings, nodeNotesPolicyBinding),
    toInstall(validatingAdmissionPolicies, deletionProtectionPolicy),
    toInstall(validatingAdmissionPolicyBindings, deletionProtectionPolicyBinding),
    toInstall(validatingAdmissionPolicies, misspeltProtectionPolicy),
    toInstall(validatingAdmissionPolicyBindings, misspeltProtectionPolicyBinding),
    toInstall(validatingAdmissionPolicies, definitionPolicy),
    toInstall(validatingAdmissionPolicyBindings, definitionPolicyBinding),
  ];
}

/** Keeps Kruise's manager off UnitedDeployments, for clusters in which it runs beside Atoll. Not part of the rest. */
export function kruisePolicyObjects(): readonly InstallObject[] {
  return [
    toInstall(validatingAdmissionPolicies, kruisePolicy),
    toInstall(validatingAdmissionPolicyBindings, kruisePolicyBinding),
  ];
}

/** The operator's namespace, its ServiceAccount and what that may do, and the roles for people. */
export function rbacObjects({ kinds, controllers }: Installation): readonly InstallObject[] {
  return [
    ...accountObjects(),
    ...(controllers === undefined ? [] : clusterWideObjects(controllers)),
    ...ownNamespaceObjects(),
    ...roleObjectsForPeople({ kinds }),
  ];
}

/** Who the operator is. */
export function accountObjects(): readonly InstallObject[] {
  return [toInstall(namespaces, operatorNamespace), toInstall(serviceAccounts, operatorServiceAccount)];
}

/** What it may do in the whole cluster. */
export function clusterWideObjects(controllers: readonly ControllerRules[]): readonly InstallObject[] {
  return [
    ...operatorClusterRoles(controllers).map((role) => toInstall(clusterRoles, role)),
    ...operatorClusterRoleBindings(controllers).map((binding) => toInstall(clusterRoleBindings, binding)),
  ];
}

/** What it may do in its own namespace. */
export function ownNamespaceObjects(): readonly InstallObject[] {
  return [toInstall(roles, operatorRole), toInstall(roleBindings, operatorRoleBinding)];
}

/** Roles for people and for those who scrape metrics; they are the same for all operators of a cluster. */
export function roleObjectsForPeople({ kinds }: Pick<Installation, 'kinds'>): readonly InstallObject[] {
  return [
    toInstall(clusterRoles, metricsReaderRole),
    ...aggregatedRoles(kinds).map((role) => toInstall(clusterRoles, role)),
  ];
}

/** What the webhooks need besides the operator, who registers them. */
export function webhookObjects(): readonly InstallObject[] {
  return [toInstall(services, webhookService)];
}

/** The operator itself, for clusters that run it in pods. Not part of the rest, because the image is theirs. */
export function operatorObjects(): readonly InstallObject[] {
  return [
    toInstall(deployments, operatorDeployment),
    toInstall(services, operatorMetricsService),
    toInstall(podDisruptionBudgets, operatorDisruptionBudget),
  ];
}

/** Who the node agents are and what they may do. */
export function agentAccessObjects(): readonly InstallObject[] {
  return [
    toInstall(namespaces, operatorNamespace),
    toInstall(serviceAccounts, agentServiceAccount),
    toInstall(clusterRoles, agentClusterRole),
    toInstall(clusterRoleBindings, agentClusterRoleBinding),
    toInstall(validatingAdmissionPolicies, agentPolicy),
    toInstall(validatingAdmissionPolicyBindings, agentPolicyBinding),
  ];
}

/** The node agents, for clusters that build an image. Not part of the rest, because not every cluster wants one on its nodes. */
export function agentObjects(): readonly InstallObject[] {
  return [...agentAccessObjects(), toInstall(daemonSets, agentDaemonSet)];
}

/**
 * Everything that Atoll needs in a cluster, in the order in which it is to be applied. The kinds are usable once
 * their CustomResourceDefinitions are Established; `install()` applies all and waits for that.
 */
export function installObjects(installation: Installation): readonly InstallObject[] {
  return [...crdObjects(installation), ...policyObjects(), ...rbacObjects(installation), ...webhookObjects()];
}
