// Generated from the OpenAPI document of Kubernetes v1.36.3 by scripts/generate-types.ts. Do not edit.

import type { KubeObject } from '../objects/object.ts';
import type { FieldSelectorRequirement, LabelSelectorRequirement } from './meta-v1.ts';

/** FieldSelectorAttributes indicates a field limited access. */
export interface FieldSelectorAttributes {
  /** rawSelector is the serialization of a field selector that would be included in a query parameter. */
  readonly rawSelector?: string;
  /** requirements is the parsed interpretation of a field selector. */
  readonly requirements?: readonly FieldSelectorRequirement[];
}

/** LabelSelectorAttributes indicates a label limited access. */
export interface LabelSelectorAttributes {
  /** rawSelector is the serialization of a field selector that would be included in a query parameter. */
  readonly rawSelector?: string;
  /** requirements is the parsed interpretation of a label selector. */
  readonly requirements?: readonly LabelSelectorRequirement[];
}

/** NonResourceAttributes includes the authorization attributes available for non-resource requests to the Authorizer interface */
export interface NonResourceAttributes {
  /** path is the URL path of the request */
  readonly path?: string;
  /** verb is the standard HTTP verb */
  readonly verb?: string;
}

/** ResourceAttributes includes the authorization attributes available for resource requests to the Authorizer interface */
export interface ResourceAttributes {
  /** fieldSelector describes the limitation on access based on field. */
  readonly fieldSelector?: FieldSelectorAttributes;
  /** group is the API Group of the Resource. */
  readonly group?: string;
  /** labelSelector describes the limitation on access based on labels. */
  readonly labelSelector?: LabelSelectorAttributes;
  /** name is the name of the resource being requested for a "get" or deleted for a "delete". */
  readonly name?: string;
  /** namespace is the namespace of the action being requested. */
  readonly namespace?: string;
  /** resource is one of the existing resource types. */
  readonly resource?: string;
  /** subresource is one of the existing resource types. */
  readonly subresource?: string;
  /** verb is a kubernetes resource API verb, like: get, list, watch, create, update, delete, proxy. */
  readonly verb?: string;
  /** version is the API Version of the Resource. */
  readonly version?: string;
}

/** SelfSubjectAccessReview checks whether or the current user can perform an action. */
export interface SelfSubjectAccessReview extends KubeObject {
  /** spec holds information about the request being evaluated. user and groups must be empty */
  readonly spec: SelfSubjectAccessReviewSpec;
  /** status is filled in by the server and indicates whether the request is allowed or not */
  readonly status?: SubjectAccessReviewStatus;
}

/** SelfSubjectAccessReviewSpec is a description of the access request. */
export interface SelfSubjectAccessReviewSpec {
  /** nonResourceAttributes describes information for a non-resource access request */
  readonly nonResourceAttributes?: NonResourceAttributes;
  /** resourceAttributes describes information for a resource access request */
  readonly resourceAttributes?: ResourceAttributes;
}

/** SubjectAccessReview checks whether or not a user or group can perform an action. */
export interface SubjectAccessReview extends KubeObject {
  /** spec holds information about the request being evaluated */
  readonly spec: SubjectAccessReviewSpec;
  /** status is filled in by the server and indicates whether the request is allowed or not */
  readonly status?: SubjectAccessReviewStatus;
}

/** SubjectAccessReviewSpec is a description of the access request. */
export interface SubjectAccessReviewSpec {
  /** extra corresponds to the user.Info.GetExtra() method from the authenticator. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  /** groups is the groups you're testing for. */
  readonly groups?: readonly string[];
  /** nonResourceAttributes describes information for a non-resource access request */
  readonly nonResourceAttributes?: NonResourceAttributes;
  /** resourceAttributes describes information for a resource access request */
  readonly resourceAttributes?: ResourceAttributes;
  /** uid information about the requesting user. */
  readonly uid?: string;
  /** user is the user you're testing for. */
  readonly user?: string;
}

/** SubjectAccessReviewStatus */
export interface SubjectAccessReviewStatus {
  /** allowed is required. */
  readonly allowed: boolean;
  /** denied is optional. */
  readonly denied?: boolean;
  /** evaluationError is an indication that some error occurred during the authorization check. */
  readonly evaluationError?: string;
  /** reason is optional. */
  readonly reason?: string;
}
