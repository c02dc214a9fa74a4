// Generated from the OpenAPI document of Kubernetes v1.36.3 by scripts/generate-types.ts. Do not edit.

import type { KubeObject } from '../objects/object.ts';
import type { Condition, LabelSelector } from './meta-v1.ts';

/** AuditAnnotation describes how to produce an audit annotation for an API request. */
export interface AuditAnnotation {
  /** key specifies the audit annotation key. */
  readonly key: string;
  /** valueExpression represents the expression which is evaluated by CEL to produce an audit annotation value. */
  readonly valueExpression: string;
}

/** ExpressionWarning is a warning information that targets a specific expression. */
export interface ExpressionWarning {
  /** fieldRef is the path to the field that refers to the expression. */
  readonly fieldRef: string;
  /** warning contains the content of type checking information in a human-readable form. */
  readonly warning: string;
}

/** MatchCondition represents a condition which must by fulfilled for a request to be sent to a webhook. */
export interface MatchCondition {
  /** expression represents the expression which will be evaluated by CEL. */
  readonly expression: string;
  /** name is an identifier for this match condition, used for strategic merging of MatchConditions, as well as providing an identifier for logging purposes. */
  readonly name: string;
}

/** MatchResources decides whether to run the admission control policy on an object based on whether it meets the match criteria. */
export interface MatchResources {
  /** excludeResourceRules describes what operations on what resources/subresources the ValidatingAdmissionPolicy should not care about. */
  readonly excludeResourceRules?: readonly NamedRuleWithOperations[];
  /** matchPolicy defines how the "MatchResources" list is used to match incoming requests. */
  readonly matchPolicy?: string;
  /** namespaceSelector decides whether to run the admission control policy on an object based on whether the namespace for that object matches the selector. */
  readonly namespaceSelector?: LabelSelector;
  /** objectSelector decides whether to run the validation based on if the object has matching labels. objectSelector is evaluated against both the oldObject and … */
  readonly objectSelector?: LabelSelector;
  /** resourceRules describes what operations on what resources/subresources the ValidatingAdmissionPolicy matches. */
  readonly resourceRules?: readonly NamedRuleWithOperations[];
}

/** MutatingWebhook describes an admission webhook and the resources and operations it applies to. */
export interface MutatingWebhook {
  /** admissionReviewVersions is an ordered list of preferred `AdmissionReview` versions the Webhook expects. */
  readonly admissionReviewVersions: readonly string[];
  /** clientConfig defines how to communicate with the hook. */
  readonly clientConfig: WebhookClientConfig;
  /** failurePolicy defines how unrecognized errors from the admission endpoint are handled - allowed values are Ignore or Fail. */
  readonly failurePolicy?: string;
  /** matchConditions is a list of conditions that must be met for a request to be sent to this webhook. */
  readonly matchConditions?: readonly MatchCondition[];
  /** matchPolicy defines how the "rules" list is used to match incoming requests. */
  readonly matchPolicy?: string;
  /** name is the name of the admission webhook. */
  readonly name: string;
  /** namespaceSelector decides whether to run the webhook on an object based on whether the namespace for that object matches the selector. */
  readonly namespaceSelector?: LabelSelector;
  /** objectSelector decides whether to run the webhook based on if the object has matching labels. objectSelector is evaluated against both the oldObject and … */
  readonly objectSelector?: LabelSelector;
  /** reinvocationPolicy indicates whether this webhook should be called multiple times as part of a single admission evaluation. */
  readonly reinvocationPolicy?: string;
  /** rules describes what operations on what resources/subresources the webhook cares about. */
  readonly rules?: readonly RuleWithOperations[];
  /** sideEffects states whether this webhook has side effects. */
  readonly sideEffects: string;
  /** timeoutSeconds specifies the timeout for this webhook. */
  readonly timeoutSeconds?: number;
}

/** MutatingWebhookConfiguration describes the configuration of and admission webhook that accept or reject and may change the object. */
export interface MutatingWebhookConfiguration extends KubeObject {
  /** webhooks is a list of webhooks and the affected resources and operations. */
  readonly webhooks?: readonly MutatingWebhook[];
}

/** NamedRuleWithOperations is a tuple of Operations and Resources with ResourceNames. */
export interface NamedRuleWithOperations {
  /** apiGroups is the API groups the resources belong to. '*' is all groups. */
  readonly apiGroups?: readonly string[];
  /** apiVersions is the API versions the resources belong to. '*' is all versions. */
  readonly apiVersions?: readonly string[];
  /** operations is the operations the admission hook cares about - CREATE, UPDATE, DELETE, CONNECT or * for all of those operations and any future admission … */
  readonly operations?: readonly string[];
  /** resourceNames is an optional white list of names that the rule applies to. */
  readonly resourceNames?: readonly string[];
  /** resources is a list of resources this rule applies to. */
  readonly resources?: readonly string[];
  /** scope specifies the scope of this rule. */
  readonly scope?: string;
}

/** ParamKind is a tuple of Group Kind and Version. */
export interface ParamKind {
  /** apiVersion is the API group version the resources belong to. */
  readonly apiVersion?: string;
  /** kind is the API kind the resources belong to. */
  readonly kind?: string;
}

/** ParamRef describes how to locate the params to be used as input to expressions of rules applied by a policy binding. */
export interface ParamRef {
  /** name is the name of the resource being referenced. */
  readonly name?: string;
  /** namespace is the namespace of the referenced resource. */
  readonly namespace?: string;
  /** parameterNotFoundAction controls the behavior of the binding when the resource exists, and name or selector is valid, but there are no parameters matched by … */
  readonly parameterNotFoundAction?: string;
  /** selector can be used to match multiple param objects based on their labels. */
  readonly selector?: LabelSelector;
}

/** RuleWithOperations is a tuple of Operations and Resources. */
export interface RuleWithOperations {
  /** apiGroups is the API groups the resources belong to. '*' is all groups. */
  readonly apiGroups?: readonly string[];
  /** apiVersions is the API versions the resources belong to. '*' is all versions. */
  readonly apiVersions?: readonly string[];
  /** operations is the operations the admission hook cares about - CREATE, UPDATE, DELETE, CONNECT or * for all of those operations and any future admission … */
  readonly operations?: readonly string[];
  /** resources is a list of resources this rule applies to. */
  readonly resources?: readonly string[];
  /** scope specifies the scope of this rule. */
  readonly scope?: string;
}

/** ServiceReference holds a reference to Service.legacy.k8s.io */
export interface ServiceReference {
  /** name is the name of the service. */
  readonly name: string;
  /** namespace is the namespace of the service. */
  readonly namespace: string;
  /** path is an optional URL path which will be sent in any request to this service. */
  readonly path?: string;
  /** port is the port on the service that hosts the webhook. */
  readonly port?: number;
}

/** TypeChecking contains results of type checking the expressions in the ValidatingAdmissionPolicy */
export interface TypeChecking {
  /** expressionWarnings contains the type checking warnings for each expression. */
  readonly expressionWarnings?: readonly ExpressionWarning[];
}

/** ValidatingAdmissionPolicy describes the definition of an admission validation policy that accepts or rejects an object without changing it. */
export interface ValidatingAdmissionPolicy extends KubeObject {
  /** spec defines the desired behavior of the ValidatingAdmissionPolicy. */
  readonly spec?: ValidatingAdmissionPolicySpec;
  /** status represents the current status of the ValidatingAdmissionPolicy, including warnings that are useful to determine if the policy behaves in the expected … */
  readonly status?: ValidatingAdmissionPolicyStatus;
}

/** ValidatingAdmissionPolicyBinding binds the ValidatingAdmissionPolicy with paramerized resources. */
export interface ValidatingAdmissionPolicyBinding extends KubeObject {
  /** spec defines the desired behavior of the ValidatingAdmissionPolicyBinding. */
  readonly spec: ValidatingAdmissionPolicyBindingSpec;
}

/** ValidatingAdmissionPolicyBindingSpec is the specification of the ValidatingAdmissionPolicyBinding. */
export interface ValidatingAdmissionPolicyBindingSpec {
  /** matchResources declares what resources match this binding and will be validated by it. */
  readonly matchResources?: MatchResources;
  /** paramRef specifies the parameter resource used to configure the admission control policy. */
  readonly paramRef?: ParamRef;
  /** policyName references a ValidatingAdmissionPolicy name which the ValidatingAdmissionPolicyBinding binds to. */
  readonly policyName: string;
  /** validationActions declares how Validations of the referenced ValidatingAdmissionPolicy are enforced. */
  readonly validationActions: readonly string[];
}

/** ValidatingAdmissionPolicySpec is the specification of the desired behavior of the AdmissionPolicy. */
export interface ValidatingAdmissionPolicySpec {
  /** auditAnnotations contains CEL expressions which are used to produce audit annotations for the audit event of the API request. validations and auditAnnotations … */
  readonly auditAnnotations?: readonly AuditAnnotation[];
  /** failurePolicy defines how to handle failures for the admission policy. */
  readonly failurePolicy?: string;
  /** matchConditions is a list of conditions that must be met for a request to be validated. */
  readonly matchConditions?: readonly MatchCondition[];
  /** matchConstraints specifies what resources this policy is designed to validate. */
  readonly matchConstraints?: MatchResources;
  /** paramKind specifies the kind of resources used to parameterize this policy. */
  readonly paramKind?: ParamKind;
  /** validations contain CEL expressions which is used to apply the validation. */
  readonly validations?: readonly Validation[];
  /** variables contain definitions of variables that can be used in composition of other expressions. */
  readonly variables?: readonly Variable[];
}

/** ValidatingAdmissionPolicyStatus represents the status of an admission validation policy. */
export interface ValidatingAdmissionPolicyStatus {
  /** conditions represent the latest available observations of a policy's current state. */
  readonly conditions?: readonly Condition[];
  /** observedGeneration is the generation observed by the controller. */
  readonly observedGeneration?: number;
  /** typeChecking contains the results of type checking for each expression. */
  readonly typeChecking?: TypeChecking;
}

/** ValidatingWebhook describes an admission webhook and the resources and operations it applies to. */
export interface ValidatingWebhook {
  /** admissionReviewVersions is an ordered list of preferred `AdmissionReview` versions the Webhook expects. */
  readonly admissionReviewVersions: readonly string[];
  /** clientConfig defines how to communicate with the hook. */
  readonly clientConfig: WebhookClientConfig;
  /** failurePolicy defines how unrecognized errors from the admission endpoint are handled - allowed values are Ignore or Fail. */
  readonly failurePolicy?: string;
  /** matchConditions is a list of conditions that must be met for a request to be sent to this webhook. */
  readonly matchConditions?: readonly MatchCondition[];
  /** matchPolicy defines how the "rules" list is used to match incoming requests. */
  readonly matchPolicy?: string;
  /** name is the name of the admission webhook. */
  readonly name: string;
  /** namespaceSelector decides whether to run the webhook on an object based on whether the namespace for that object matches the selector. */
  readonly namespaceSelector?: LabelSelector;
  /** objectSelector decides whether to run the webhook based on if the object has matching labels. objectSelector is evaluated against both the oldObject and … */
  readonly objectSelector?: LabelSelector;
  /** rules describes what operations on what resources/subresources the webhook cares about. */
  readonly rules?: readonly RuleWithOperations[];
  /** sideEffects states whether this webhook has side effects. */
  readonly sideEffects: string;
  /** timeoutSeconds specifies the timeout for this webhook. */
  readonly timeoutSeconds?: number;
}

/** ValidatingWebhookConfiguration describes the configuration of and admission webhook that accept or reject and object without changing it. */
export interface ValidatingWebhookConfiguration extends KubeObject {
  /** webhooks is a list of webhooks and the affected resources and operations. */
  readonly webhooks?: readonly ValidatingWebhook[];
}

/** Validation specifies the CEL expression which is used to apply the validation. */
export interface Validation {
  /** expression represents the expression which will be evaluated by CEL. ref: https://github.com/google/cel-spec CEL expressions have access to the contents of the … */
  readonly expression: string;
  /** message represents the message displayed when validation fails. */
  readonly message?: string;
  /** messageExpression declares a CEL expression that evaluates to the validation failure message that is returned when this rule fails. */
  readonly messageExpression?: string;
  /** reason represents a machine-readable description of why this validation failed. */
  readonly reason?: string;
}

/** Variable is the definition of a variable that is used for composition. */
export interface Variable {
  /** expression is the expression that will be evaluated as the value of the variable. */
  readonly expression: string;
  /** name is the name of the variable. */
  readonly name: string;
}

/** WebhookClientConfig contains the information to make a TLS connection with the webhook */
export interface WebhookClientConfig {
  /** caBundle is a PEM encoded CA bundle which will be used to validate the webhook's server certificate. */
  readonly caBundle?: string;
  /** service is a reference to the service for this webhook. */
  readonly service?: ServiceReference;
  /** url gives the location of the webhook, in standard URL form (`scheme://host:port/path`). */
  readonly url?: string;
}
