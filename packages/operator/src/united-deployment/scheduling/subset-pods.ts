import { labels } from '@atoll/api';
import { isReady, type KubeObject, type Pod, type Stored } from '@atoll/kube';
import type { Child } from '../subsets/child.ts';
import { isActive, stuckAt } from '../../children/pods/pod-facts.ts';

/** What is read of a pod; a cache may keep no more than this. */
export type SubsetPod = Stored<Pod>;

/** How many pods run what is in their child's template now. */
export interface UpdatedPods {
  readonly updated: number;
  readonly updatedReady: number;
}

/** Pods that run, or are to run, what is in the child's template now. The label is the template's, so it needs no revision. */
export function countUpdated(pods: readonly SubsetPod[], child: Child): UpdatedPods {
  const wanted = child.object.spec?.template?.metadata?.labels?.[labels.subsetRevision];
  let [updated, updatedReady] = [0, 0];
  for (const pod of pods) {
    if (!isActive(pod) || pod.metadata.labels?.[labels.subsetRevision] !== wanted) continue;
    updated += 1;
    if (isReady(pod)) updatedReady += 1;
  }
  return { updated, updatedReady };
}

/**
 * Pods that do not run what is in their child's template, or do not show what they run. Kruise calls this number the
 * partition of a child with `OnDelete` (`reference/uniteddeployment.md` 3.15); it holds nothing back, so here it only
 * shows people how many pods wait for them.
 */
export function countOutdated(pods: readonly SubsetPod[], child: Child): number {
  return pods.filter(isActive).length - countUpdated(pods, child).updated;
}

/** Pods that others stand in for, by their label: autoscalers see the same. */
export function countReserved(pods: readonly SubsetPod[]): number {
  return pods.filter((pod) => isActive(pod) && pod.metadata.labels?.[labels.reservedPod] === 'true').length;
}

/**
 * Without those of an earlier Deployment of the same name, which go as soon as the garbage collector comes to them: nothing is
 * moved because of them. A Deployment's pods are recognised by its name (`deployment-of-pod.ts`), all others by uid.
 */
export function sinceItWasMade(pods: readonly SubsetPod[], { kind, object }: Child): readonly SubsetPod[] {
  if (kind !== 'Deployment') return pods;
  const { creationTimestamp } = object.metadata;
  // A Deployment that took over the ReplicaSet of one before it counts the pods of that as its own.
  if (object.status?.replicas === pods.filter(isActive).length) return pods;
  return pods.filter(({ metadata }) => metadata.creationTimestamp >= creationTimestamp);
}

/** Pods for which the scheduler found no node. */
export function unschedulablePods(pods: readonly SubsetPod[]): readonly SubsetPod[] {
  return pods.filter((pod) => isActive(pod) && stuckAt(pod, 0) !== undefined);
}

/** Whether a node has taken the pod: it runs there, or is about to. */
export function hasNode(pod: SubsetPod): boolean {
  return isReady(pod) || (pod.spec?.nodeName ?? '') !== '';
}

/** The number at the end of the name of a pod of a StatefulSet. */
export function ordinalOf({ metadata }: KubeObject): number | undefined {
  const digits = /-(\d+)$/.exec(metadata.name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
