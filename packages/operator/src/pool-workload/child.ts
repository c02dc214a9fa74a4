import type { KubeObject, Stored } from '@atoll/kube';

/** The kinds that a template can be of: what `status.templateType` says. */
export type ChildKind = 'Deployment' | 'StatefulSet';

export const childKinds: readonly ChildKind[] = ['Deployment', 'StatefulSet'];

/** What is read of a child, alike for both kinds. */
export interface ChildWorkload extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
    readonly template?: PodTemplate;
    readonly updateStrategy?: {
      readonly type?: string;
      readonly rollingUpdate?: { readonly partition?: number };
    };
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
    readonly conditions?: readonly ChildCondition[];
  };
}

export interface ChildCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

export interface PodTemplate {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: object;
}

/** A child that this workload owns, by UID. */
export interface Child {
  readonly kind: ChildKind;
  readonly object: Stored<ChildWorkload>;
  /** The pool that it serves; undefined where nothing on it says so. */
  readonly pool: string | undefined;
}

export function isTerminating(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}
