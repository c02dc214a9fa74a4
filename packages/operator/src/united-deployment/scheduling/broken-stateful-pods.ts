import { labels } from '@atoll/api';
import type { Instant } from '@atoll/kube';
import type { JudgedPod } from './judgement.ts';
import { earliest, isTerminating, readySince, unreadySince } from './pod-facts.ts';

export interface StatefulPods {
  /** Of the StatefulSet, each once. */
  readonly pods: readonly JudgedPod[];
  /** Pods with this ordinal and above shall have the wanted revision. */
  readonly partition: number;
  readonly revision: string;
  /** How long a pod may take to become ready before it counts as broken, in milliseconds. */
  readonly patienceMs: number;
}

export interface BrokenPods {
  /** To be deleted, each with the uid and resourceVersion under which it was judged; the highest ordinal first. */
  readonly pods: readonly JudgedPod[];
  readonly lookAgainAt: Instant | undefined;
}

/**
 * The pods that keep a StatefulSet with ordered pods from ever leaving a broken template: it waits for each pod to be
 * ready before it replaces the next, also for pods that a newer template would heal (kubernetes#67250). Such a pod is of
 * another revision, released by the partition, and has not been ready for longer than anybody's patience: one that is
 * merely slow gets its time, unlike in the old operator.
 *
 * Only for `OrderedReady` with `RollingUpdate`, and only once the StatefulSet's controller has seen its last spec:
 * before that it would make the same pod again.
 */
export function brokenStatefulPods(given: StatefulPods, now: Instant): BrokenPods {
  const { partition, revision, patienceMs } = given;
  const unready = given.pods.flatMap((pod) => {
    const ordinal = ordinalOf(pod.metadata.name);
    if (ordinal === undefined || ordinal < partition || isTerminating(pod)) return [];
    if (pod.metadata.labels?.[labels.subsetRevision] === revision || readySince(pod) !== undefined) return [];
    return [{ pod, ordinal, due: (unreadySince(pod) ?? now) + patienceMs }];
  });
  return {
    pods: unready
      .filter(({ due }) => due <= now)
      .toSorted((a, b) => b.ordinal - a.ordinal)
      .map(({ pod }) => pod),
    lookAgainAt: earliest(unready.map(({ due }) => due).filter((due) => due > now)),
  };
}

/**
 * With `OnDelete` a StatefulSet has no partition: as many pods are held back as do not have the child's revision yet.
 */
export function partitionOfOnDelete(pods: readonly JudgedPod[], revision: string | undefined): number {
  return pods.filter((pod) => pod.metadata.labels?.[labels.subsetRevision] !== revision).length;
}

function ordinalOf(name: string): number | undefined {
  const [, digits] = /-(\d+)$/.exec(name) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
