import type {
  ClusterRole,
  ClusterRoleBinding,
  Namespace,
  PolicyRule,
  Role,
  ServiceAccount,
} from '@atoll/kube';
import { operatorNames } from '../names.ts';
import type { KindDefinition } from '../schema/custom-resource-definition.ts';
import { clusterRoleBinding, rbacVersion, roleBinding } from './bindings.ts';
import { ownLabels } from './own-labels.ts';

const read = ['get', 'list', 'watch'];

/** Whose token it is that somebody sends to see metrics, and whether that user may. */
export const reviewRules: readonly PolicyRule[] = [
  { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
];

/** Those about pods that do not become ready are listed to report why. */
export const eventsRule: PolicyRule = {
  apiGroups: ['events.k8s.io'],
  resources: ['events'],
  verbs: ['create', 'patch', 'list'],
};

/** By server-side apply, whose `create` can be limited to a name. Those of others are out of reach. */
export function webhookConfigurationRule(name: string): PolicyRule {
  return {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
    resourceNames: [name],
    verbs: ['get', 'create', 'patch'],
  };
}

/** What the operator may do in the whole cluster whatever kinds it serves. */
const rulesOfEveryOperator: readonly PolicyRule[] = [
  ...reviewRules,
  eventsRule,
  webhookConfigurationRule(operatorNames.webhookConfiguration),
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

const account = { name: operatorNames.serviceAccount, namespace: operatorNames.namespace };

export const operatorNamespace: Namespace = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: operatorNames.namespace, labels: ownLabels },
};

export const operatorServiceAccount: ServiceAccount = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { ...account, labels: ownLabels },
};

/** What one controller may do in the whole cluster. */
export interface ControllerRules {
  /** As `--controllers` names it. */
  readonly name: string;
  readonly rules: readonly PolicyRule[];
  /** Those of the rules that a Role can give. */
  readonly inNamespaces: readonly PolicyRule[];
  /** The others: nodes, pools, definitions, webhook configurations and policies are in no namespace. */
  readonly inCluster: readonly PolicyRule[];
}

/** What the operator may do in the whole cluster: a ClusterRole for what every operator needs, and one for each controller. */
export function operatorClusterRoles(controllers: readonly ControllerRules[]): readonly ClusterRole[] {
  return [
    clusterRoleOf('every-controller', rulesOfEveryOperator),
    ...controllers.map(({ name, rules }) => clusterRoleOf(name, rules)),
  ];
}

/** The name of a controller's ClusterRole, and of its binding. */
export function operatorRoleOf(controller: string): string {
  return `${operatorNames.clusterRole}-controller-${controller}`;
}

function clusterRoleOf(controller: string, rules: readonly PolicyRule[]): ClusterRole {
  return {
    apiVersion: rbacVersion,
    kind: 'ClusterRole',
    metadata: { name: operatorRoleOf(controller), labels: ownLabels },
    rules,
  };
}

/**
 * Each ClusterRole is bound by itself: a role that the cluster put together from them would be written by two, its own controller and
 * the person who installs (docs/decisions/0024-a-binding-for-each-role.md).
 */
export function operatorClusterRoleBindings(
  controllers: readonly ControllerRules[],
): readonly ClusterRoleBinding[] {
  return operatorClusterRoles(controllers).map((role) => clusterRoleBinding(role, account));
}

export const operatorRole: Role = {
  apiVersion: rbacVersion,
  kind: 'Role',
  metadata: { name: operatorNames.role, namespace: operatorNames.namespace, labels: ownLabels },
  rules: [...leaderElectionRules, webhookSecretRule],
};

export const operatorRoleBinding = roleBinding(operatorRole, account);

/** For those who scrape metrics, to be bound to their account. */
export const metricsReaderRole: ClusterRole = {
  apiVersion: rbacVersion,
  kind: 'ClusterRole',
  metadata: { name: operatorNames.metricsReader, labels: ownLabels },
  rules: [{ nonResourceURLs: ['/metrics', '/ksmetrics'], verbs: ['get'] }],
};

/**
 * Lets people who hold the cluster's own roles `view`, `edit` and `admin` see and change these kinds. Kinds of the cluster, as
 * pools, are for those who administer nodes; everybody who may see workloads may see them.
 */
export function aggregatedRoles(kinds: readonly KindDefinition[]): readonly ClusterRole[] {
  const inNamespaces = kinds.filter(({ resource }) => resource.namespaced);
  const write = ['create', 'update', 'patch', 'delete', 'deletecollection'];
  return [
    aggregatedRole('view', ['view'], rulesFor(kinds, read)),
    aggregatedRole('edit', ['edit', 'admin'], rulesFor(inNamespaces, write)),
  ];
}

function aggregatedRole(name: string, to: readonly string[], rules: readonly PolicyRule[]): ClusterRole {
  const aggregated = to.map((role) => [`rbac.authorization.k8s.io/aggregate-to-${role}`, 'true'] as const);
  return {
    apiVersion: rbacVersion,
    kind: 'ClusterRole',
    metadata: {
      name: `${operatorNames.clusterRole}-${name}`,
      labels: { ...ownLabels, ...Object.fromEntries(aggregated) },
    },
    rules,
  };
}

function rulesFor(kinds: readonly KindDefinition[], verbs: readonly string[]): readonly PolicyRule[] {
  return [...Map.groupBy(kinds, ({ resource }) => resource.group)].map(([group, ofGroup]) => ({
    apiGroups: [group],
    resources: ofGroup.flatMap(({ resource: { plural }, scale }) =>
      scale === undefined ? [plural] : [plural, `${plural}/scale`],
    ),
    verbs,
  }));
}
