// Generated from the OpenAPI document of Kubernetes v1.36.3 by scripts/generate-types.ts. Do not edit.

import type { KubeObject } from '../objects/object.ts';
import type { LabelSelector } from './meta-v1.ts';

/** AggregationRule describes how to locate ClusterRoles to aggregate into the ClusterRole */
export interface AggregationRule {
  /** ClusterRoleSelectors holds a list of selectors which will be used to find ClusterRoles and create the rules. */
  readonly clusterRoleSelectors?: readonly LabelSelector[];
}

/** ClusterRole is a cluster level, logical grouping of PolicyRules that can be referenced as a unit by a RoleBinding or ClusterRoleBinding. */
export interface ClusterRole extends KubeObject {
  /** AggregationRule is an optional field that describes how to build the Rules for this ClusterRole. */
  readonly aggregationRule?: AggregationRule;
  /** Rules holds all the PolicyRules for this ClusterRole */
  readonly rules?: readonly PolicyRule[];
}

/** ClusterRoleBinding references a ClusterRole, but not contain it. */
export interface ClusterRoleBinding extends KubeObject {
  /** RoleRef can only reference a ClusterRole in the global namespace. */
  readonly roleRef: RoleRef;
  /** Subjects holds references to the objects the role applies to. */
  readonly subjects?: readonly Subject[];
}

/** PolicyRule holds information that describes a policy rule, but does not contain information about who the rule applies to or which namespace the rule applies … */
export interface PolicyRule {
  /** APIGroups is the name of the APIGroup that contains the resources. */
  readonly apiGroups?: readonly string[];
  /** NonResourceURLs is a set of partial urls that a user should have access to. *s are allowed, but only as the full, final step in the path Since non-resource … */
  readonly nonResourceURLs?: readonly string[];
  /** ResourceNames is an optional white list of names that the rule applies to. */
  readonly resourceNames?: readonly string[];
  /** Resources is a list of resources this rule applies to. '*' represents all resources. */
  readonly resources?: readonly string[];
  /** Verbs is a list of Verbs that apply to ALL the ResourceKinds contained in this rule. '*' represents all verbs. */
  readonly verbs: readonly string[];
}

/** Role is a namespaced, logical grouping of PolicyRules that can be referenced as a unit by a RoleBinding. */
export interface Role extends KubeObject {
  /** Rules holds all the PolicyRules for this Role */
  readonly rules?: readonly PolicyRule[];
}

/** RoleBinding references a role, but does not contain it. */
export interface RoleBinding extends KubeObject {
  /** RoleRef can reference a Role in the current namespace or a ClusterRole in the global namespace. */
  readonly roleRef: RoleRef;
  /** Subjects holds references to the objects the role applies to. */
  readonly subjects?: readonly Subject[];
}

/** RoleRef contains information that points to the role being used */
export interface RoleRef {
  /** APIGroup is the group for the resource being referenced */
  readonly apiGroup?: string;
  /** Kind is the type of resource being referenced */
  readonly kind: string;
  /** Name is the name of resource being referenced */
  readonly name: string;
}

/** Subject contains a reference to the object or user identities a role binding applies to. */
export interface Subject {
  /** APIGroup holds the API group of the referenced subject. */
  readonly apiGroup?: string;
  /** Kind of object being referenced. */
  readonly kind: string;
  /** Name of the object being referenced. */
  readonly name: string;
  /** Namespace of the referenced object. */
  readonly namespace?: string;
}
