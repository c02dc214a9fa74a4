import {
  clusterRoleBindings,
  clusterRoles,
  roleBindings,
  roles,
  type ClusterRole,
  type PolicyRule,
  type Role,
} from '@atoll/kube';
import { nameInCluster, operatorNames, webhookConfigurationName } from '../names.ts';
import { clusterRoleBinding, rbacVersion, roleBinding } from './bindings.ts';
import { toInstall, type InstallObject } from './install-object.ts';
import { ownLabels } from './own-labels.ts';
import { eventsRule, reviewRules, webhookConfigurationRule, type ControllerRules } from './rbac.ts';

/** An operator that is limited to namespaces (`--namespaces`). */
export interface LimitedOperator {
  /** Of its pods, its Lease and its Secret. */
  readonly ownNamespace: string;
  readonly namespaces: readonly string[];
  /** What the controllers may do that it runs. */
  readonly controllers: readonly ControllerRules[];
}

/** What no Role can give, besides what its controllers need: these resources are in no namespace. */
export function limitedClusterRules(
  ownNamespace: string,
  namespaces: readonly string[],
): readonly PolicyRule[] {
  return [
    ...reviewRules,
    webhookConfigurationRule(webhookConfigurationName(ownNamespace)),
    // Whether they are there, and no other.
    {
      apiGroups: [''],
      resources: ['namespaces'],
      resourceNames: namespaces,
      verbs: ['get', 'list', 'watch'],
    },
  ];
}

/** What it may do in each of its namespaces, besides what its controllers need. */
export const limitedRules: readonly PolicyRule[] = [eventsRule];

/** Kubernetes keeps events about what is in no namespace in this one. */
export const namespaceOfClusterEvents = 'default';

/** For a controller of a kind that is in no namespace. */
export const clusterEventsRule: PolicyRule = { ...eventsRule, verbs: ['create', 'patch'] };

/** Whether the controller works on a kind that is in no namespace: it has no rule for one that is. */
export function worksOnCluster({ inNamespaces }: Pick<ControllerRules, 'inNamespaces'>): boolean {
  return inNamespaces.length === 0;
}

/**
 * The rights of an operator that is limited to namespaces: a Role in each of them, and a ClusterRole for what is in none. All are
 * called after the namespace of the operator, so that several stand beside each other. Its rights in its own namespace are those of
 * every operator (`operatorRole`).
 */
export function limitedRbacObjects(operator: LimitedOperator): readonly InstallObject[] {
  const { ownNamespace, namespaces, controllers } = operator;
  const ofCluster = [
    ...limitedClusterRules(ownNamespace, namespaces),
    ...controllers.flatMap(({ inCluster }) => inCluster),
  ];
  const inEach = [...limitedRules, ...controllers.flatMap(({ inNamespaces }) => inNamespaces)];
  const needsClusterEvents =
    controllers.some(worksOnCluster) && !namespaces.includes(namespaceOfClusterEvents);
  return [
    ...clusterRoleObjects(ownNamespace, ofCluster),
    ...namespaces.flatMap((namespace) => roleObjects(ownNamespace, namespace, inEach)),
    ...(needsClusterEvents ? roleObjects(ownNamespace, namespaceOfClusterEvents, [clusterEventsRule]) : []),
  ];
}

/** A ClusterRole of the operator in this namespace, and its binding. */
export function clusterRoleObjects(
  ownNamespace: string,
  rules: readonly PolicyRule[],
): readonly InstallObject[] {
  const name = nameInCluster(operatorNames.clusterRole, ownNamespace);
  const metadata = { name, labels: ownLabels };
  const role: ClusterRole = { apiVersion: rbacVersion, kind: 'ClusterRole', metadata, rules };
  return [
    toInstall(clusterRoles, role),
    toInstall(clusterRoleBindings, clusterRoleBinding(role, accountIn(ownNamespace))),
  ];
}

/** A Role in a namespace for the operator of another one, and its binding. */
export function roleObjects(
  ownNamespace: string,
  namespace: string,
  rules: readonly PolicyRule[],
): readonly InstallObject[] {
  const name = nameInCluster(operatorNames.role, ownNamespace);
  const metadata = { name, namespace, labels: ownLabels };
  const role: Role = { apiVersion: rbacVersion, kind: 'Role', metadata, rules };
  return [toInstall(roles, role), toInstall(roleBindings, roleBinding(role, accountIn(ownNamespace)))];
}

function accountIn(namespace: string) {
  return { name: operatorNames.serviceAccount, namespace };
}
