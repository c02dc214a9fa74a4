// Generated from the OpenAPI document of Kubernetes v1.36.3 by scripts/generate-types.ts. Do not edit.

import type { KubeObject } from '../objects/object.ts';

/** PriorityClass defines mapping from a priority class name to the priority integer value. */
export interface PriorityClass extends KubeObject {
  /** description is an arbitrary string that usually provides guidelines on when this priority class should be used. */
  readonly description?: string;
  /** globalDefault specifies whether this PriorityClass should be considered as the default priority for pods that do not have any priority class. */
  readonly globalDefault?: boolean;
  /** preemptionPolicy is the Policy for preempting pods with lower priority. */
  readonly preemptionPolicy?: string;
  /** value represents the integer value of this priority class. */
  readonly value?: number;
}
