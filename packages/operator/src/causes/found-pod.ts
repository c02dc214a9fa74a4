import { instantOf, type Instant } from '@atoll/kube';

/** What the catalogue reads of a pod. */
export interface FoundPod {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
  };
  readonly spec?: {
    readonly nodeName?: string;
    readonly schedulerName?: string;
    readonly schedulingGates?: readonly { readonly name: string }[];
    readonly readinessGates?: readonly { readonly conditionType: string }[];
    readonly initContainers?: readonly FoundContainerSpec[];
    readonly containers?: readonly FoundContainerSpec[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly conditions?: readonly FoundPodCondition[];
    readonly initContainerStatuses?: readonly FoundContainer[];
    readonly containerStatuses?: readonly FoundContainer[];
  };
}

export interface FoundContainerSpec {
  readonly name: string;
  readonly image?: string;
  readonly livenessProbe?: object;
  readonly startupProbe?: object;
}

export interface FoundPodCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string | null;
}

export interface FoundContainer {
  readonly name: string;
  readonly image?: string;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly state?: FoundState;
  readonly lastState?: FoundState;
}

export interface FoundState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly running?: { readonly startedAt?: string };
  readonly terminated?: { readonly exitCode?: number; readonly reason?: string; readonly message?: string };
}

/** So long, in milliseconds, a start that names no reason counts as going on. */
export const youngMs = 15_000;

/** The instant of a timestamp; what has none is long ago. */
export function since(timestamp: unknown): Instant {
  return instantOf(timestamp) ?? 0;
}
