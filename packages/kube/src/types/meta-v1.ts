// Generated from the OpenAPI document of Kubernetes v1.36.3 by scripts/generate-types.ts. Do not edit.

/** Condition contains details for one aspect of the current state of this API Resource. */
export interface Condition {
  /** lastTransitionTime is the last time the condition transitioned from one status to another. */
  readonly lastTransitionTime: string;
  /** message is a human readable message indicating details about the transition. */
  readonly message: string;
  /** observedGeneration represents the .metadata.generation that the condition was set based upon. */
  readonly observedGeneration?: number;
  /** reason contains a programmatic identifier indicating the reason for the condition's last transition. */
  readonly reason: string;
  /** status of the condition, one of True, False, Unknown. */
  readonly status: string;
  /** type of condition in CamelCase or in foo.example.com/CamelCase. */
  readonly type: string;
}

/** DeleteOptions may be provided when deleting an API object. */
export interface DeleteOptionsBody {
  /** APIVersion defines the versioned schema of this representation of an object. */
  readonly apiVersion?: string;
  /** When present, indicates that modifications should not be persisted. */
  readonly dryRun?: readonly string[];
  /** The duration in seconds before the object should be deleted. */
  readonly gracePeriodSeconds?: number;
  /** if set to true, it will trigger an unsafe deletion of the resource in case the normal deletion flow fails with a corrupt object error. */
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
  /** Kind is a string value representing the REST resource this object represents. */
  readonly kind?: string;
  /** Deprecated: please use the PropagationPolicy, this field will be deprecated in 1.7. */
  readonly orphanDependents?: boolean;
  /** Must be fulfilled before a deletion is carried out. */
  readonly preconditions?: Preconditions;
  /** Whether and how garbage collection will be performed. */
  readonly propagationPolicy?: string;
}

/** FieldSelectorRequirement is a selector that contains values, a key, and an operator that relates the key and values. */
export interface FieldSelectorRequirement {
  /** key is the field selector key that the requirement applies to. */
  readonly key: string;
  /** operator represents a key's relationship to a set of values. */
  readonly operator: string;
  /** values is an array of string values. */
  readonly values?: readonly string[];
}

/** A label selector is a label query over a set of resources. */
export interface LabelSelector {
  /** matchExpressions is a list of label selector requirements. */
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
  /** matchLabels is a map of {key,value} pairs. */
  readonly matchLabels?: Readonly<Record<string, string>>;
}

/** A label selector requirement is a selector that contains values, a key, and an operator that relates the key and values. */
export interface LabelSelectorRequirement {
  /** key is the label key that the selector applies to. */
  readonly key: string;
  /** operator represents a key's relationship to a set of values. */
  readonly operator: string;
  /** values is an array of string values. */
  readonly values?: readonly string[];
}

/** Preconditions must be fulfilled before an operation (update, delete, etc.) is carried out. */
export interface Preconditions {
  /** Specifies the target ResourceVersion */
  readonly resourceVersion?: string;
  /** Specifies the target UID. */
  readonly uid?: string;
}
