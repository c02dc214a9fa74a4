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
  type KubeObject,
  type Resource,
} from '@atoll/kube';
import { customResourceDefinition, type KindDefinition } from '../schema/custom-resource-definition.ts';
import { kinds } from '../schema/kinds.ts';
import { kruisePolicy, kruisePolicyBinding } from './kruise-policy.ts';
import { deletionProtectionPolicy, deletionProtectionPolicyBinding } from './deletion-protection.ts';
import { misspeltProtectionPolicy, misspeltProtectionPolicyBinding } from './misspelt-protection.ts';
import { agentDaemonSet } from './node-agent-daemon-set.ts';
import { agentPolicy, agentPolicyBinding } from './node-agent-policy.ts';
import { agentClusterRole, agentClusterRoleBinding, agentServiceAccount } from './node-agent.ts';
import {
  operatorDeployment,
  operatorDisruptionBudget,
  operatorMetricsService,
} from './operator-deployment.ts';
import { poolDeletionPolicy, poolDeletionPolicyBinding } from './policies.ts';
import {
  aggregatedRoles,
  metricsReaderRole,
  operatorClusterRoles,
  operatorClusterRoleBinding,
  operatorNamespace,
  operatorRole,
  operatorRoleBinding,
  operatorServiceAccount,
  type ControllerRules,
} from './rbac.ts';
import { webhookService } from './webhook-service.ts';

/** One object to install, with the resource that it is written to. */
export interface InstallObject {
  readonly resource: Resource<KubeObject>;
  readonly object: KubeObject;
}

/** What differs between installations: which kinds they serve, and what the operator may do for them. */
export interface Installation {
  readonly kinds: readonly KindDefinition[];
  /** What each controller may do, besides what every operator needs; absent: no ClusterRole is installed for an operator. */
  readonly controllers?: readonly ControllerRules[];
}

/** The kinds of Atoll without an operator that works on them. */
export const kindsAlone: Installation = { kinds };

function install<T extends KubeObject>(resource: Resource<T>, object: T): InstallObject {
  return { resource: resource as Resource<KubeObject>, object };
}

/** The CustomResourceDefinitions of all kinds. */
export function crdObjects({ kinds }: Installation): readonly InstallObject[] {
  return kinds.map((kind) => install(customResourceDefinitions, customResourceDefinition(kind)));
}

/** Rules across objects that the API server enforces by itself. */
export function policyObjects(): readonly InstallObject[] {
  return [
    install(validatingAdmissionPolicies, poolDeletionPolicy),
    install(validatingAdmissionPolicyBindings, poolDeletionPolicyBinding),
    install(validatingAdmissionPolicies, deletionProtectionPolicy),
    install(validatingAdmissionPolicyBindings, deletionProtectionPolicyBinding),
    install(validatingAdmissionPolicies, misspeltProtectionPolicy),
    install(validatingAdmissionPolicyBindings, misspeltProtectionPolicyBinding),
  ];
}

/** Keeps Kruise's manager off UnitedDeployments, for clusters in which it runs beside Atoll. Not part of the rest. */
export function kruisePolicyObjects(): readonly InstallObject[] {
  return [
    install(validatingAdmissionPolicies, kruisePolicy),
    install(validatingAdmissionPolicyBindings, kruisePolicyBinding),
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
  return [install(namespaces, operatorNamespace), install(serviceAccounts, operatorServiceAccount)];
}

/** What it may do in the whole cluster. */
export function clusterWideObjects(controllers: readonly ControllerRules[]): readonly InstallObject[] {
  return [
    ...operatorClusterRoles(controllers).map((role) => install(clusterRoles, role)),
    install(clusterRoleBindings, operatorClusterRoleBinding),
  ];
}

/** What it may do in its own namespace. */
export function ownNamespaceObjects(): readonly InstallObject[] {
  return [install(roles, operatorRole), install(roleBindings, operatorRoleBinding)];
}

/** Roles for people and for those who scrape metrics; they are the same for all operators of a cluster. */
export function roleObjectsForPeople({ kinds }: Pick<Installation, 'kinds'>): readonly InstallObject[] {
  return [
    install(clusterRoles, metricsReaderRole),
    ...aggregatedRoles(kinds).map((role) => install(clusterRoles, role)),
  ];
}

/** What the webhooks need besides the operator, who registers them. */
export function webhookObjects(): readonly InstallObject[] {
  return [install(services, webhookService)];
}

/** The operator itself, for clusters that run it in pods. Not part of the rest, because the image is theirs. */
export function operatorObjects(): readonly InstallObject[] {
  return [
    install(deployments, operatorDeployment),
    install(services, operatorMetricsService),
    install(podDisruptionBudgets, operatorDisruptionBudget),
  ];
}

/** Who the node agents are and what they may do. */
export function agentAccessObjects(): readonly InstallObject[] {
  return [
    install(namespaces, operatorNamespace),
    install(serviceAccounts, agentServiceAccount),
    install(clusterRoles, agentClusterRole),
    install(clusterRoleBindings, agentClusterRoleBinding),
    install(validatingAdmissionPolicies, agentPolicy),
    install(validatingAdmissionPolicyBindings, agentPolicyBinding),
  ];
}

/** The node agents, for clusters that build an image. Not part of the rest, because not every cluster wants one on its nodes. */
export function agentObjects(): readonly InstallObject[] {
  return [...agentAccessObjects(), install(daemonSets, agentDaemonSet)];
}

/**
 * Everything that Atoll needs in a cluster, in the order in which it is to be applied. The kinds are usable once
 * their CustomResourceDefinitions are Established; `install()` applies all and waits for that.
 */
export function installObjects(installation: Installation): readonly InstallObject[] {
  return [...crdObjects(installation), ...policyObjects(), ...rbacObjects(installation), ...webhookObjects()];
}
