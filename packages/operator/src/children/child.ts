import { byAge, type KubeObject, type Stored } from '@atoll/kube';

/** What is read of a workload that we own, alike for all kinds that run pods from a template. */
export interface ChildWorkload extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    /** Of a Deployment. */
    readonly paused?: boolean;
    /** Of a StatefulSet; those that are left out, of an Advanced StatefulSet. */
    readonly ordinals?: { readonly start?: number };
    readonly reserveOrdinals?: readonly (number | string)[];
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
    readonly template?: PodTemplate;
    /** Of a Deployment. */
    readonly strategy?: { readonly rollingUpdate?: { readonly maxUnavailable?: number | string } };
    readonly updateStrategy?: {
      readonly type?: string;
      /** Where a CloneSet of v1alpha1 has it. */
      readonly partition?: number | string;
      /** These two of a CloneSet. */
      readonly paused?: boolean;
      readonly maxUnavailable?: number | string;
      /** The last two of an Advanced StatefulSet. */
      readonly rollingUpdate?: {
        readonly partition?: number | string;
        readonly paused?: boolean;
        readonly minReadySeconds?: number;
      };
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

/** A child as it should be. */
export interface RenderedChild extends KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec: Readonly<Record<string, unknown>> & { readonly template: PodTemplate };
}

/** A child that an object of ours owns, by UID. */
export interface OwnedChild<Kind extends string = string> {
  readonly kind: Kind;
  readonly object: Stored<ChildWorkload>;
}

export function isTerminating(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/** A child with available pods first, then the oldest: of duplicate children the one that serves stays. */
export function byService(a: OwnedChild, b: OwnedChild): number {
  return Number(isServing(b)) - Number(isServing(a)) || byAge(a.object, b.object);
}

/**
 * The same of the children of one place where a template is known, for which `isWanted` answers of a child: before their age the one that needs no new
 * pods stays, if no other has more of them available.
 */
export function byServiceAmong(children: readonly OwnedChild[], isWanted: (child: OwnedChild) => boolean) {
  const most = Math.max(...children.map(availableOf));
  const isBetter = (child: OwnedChild): boolean =>
    isWanted(child) && isServing(child) && isObserved(child) && availableOf(child) >= most;
  return (a: OwnedChild, b: OwnedChild): number =>
    Number(isServing(b)) - Number(isServing(a)) ||
    Number(isBetter(b)) - Number(isBetter(a)) ||
    byAge(a.object, b.object);
}

/** Until its controller has seen the last spec, it may count pods of the one before. */
function isObserved({ object: { metadata, status } }: OwnedChild): boolean {
  return (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}

export function isServing(child: OwnedChild): boolean {
  return availableOf(child) > 0;
}

function availableOf({ object }: OwnedChild): number {
  return object.status?.availableReplicas ?? 0;
}
