import type { Instant, Pod, Stored } from '@atoll/kube';
import { isTerminating } from '../child.ts';
import { unreadySince } from './pod-facts.ts';

/** How long, in milliseconds, a pod of an older template may be not ready before it counts as broken. */
const brokenAfterMs = 60_000;

export interface OrderedPods {
  /** Of one StatefulSet. */
  readonly pods: readonly Stored<Pod>[];
  /** The revision that its pods are to have, as its controller names it. */
  readonly updateRevision: string;
  /** Pods are to have it but for so many with the lowest ordinals. */
  readonly partition: number;
  /** That of its first pod. */
  readonly firstOrdinal: number;
}

export interface StuckPod {
  readonly pod: Stored<Pod> | undefined;
  readonly requeueAt: Instant | undefined;
}

const nothing: StuckPod = { pod: undefined, requeueAt: undefined };

/**
 * The one broken pod that keeps a StatefulSet from leaving its template: a StatefulSet waits for each pod to be ready
 * before it makes or replaces the next, also for a pod that the newer template would heal (kubernetes#67250).
 *
 * To delete it can never be worse than to wait: it is of an older template and to be replaced anyhow; it has not been ready
 * for a minute, so it serves nobody; it is the first that the StatefulSet waits for, so that it is made again at once; only one is
 * gone at a time; and none goes while a pod of the newer template is not ready, because then it is that template that is broken.
 */
export function stuckPodOf(
  { pods, updateRevision, partition, firstOrdinal }: OrderedPods,
  now: Instant,
): StuckPod {
  const isNew = ({ metadata }: Stored<Pod>): boolean =>
    metadata.labels?.['controller-revision-hash'] === updateRevision;
  if (pods.some((pod) => isTerminating(pod) || (isNew(pod) && unreadySince(pod) !== undefined)))
    return nothing;
  const inOrder = pods.toSorted((a, b) => ordinalOf(a) - ordinalOf(b));
  const before = inOrder.findIndex((pod) => unreadySince(pod) !== undefined);
  const pod = inOrder[before];
  const since = pod && unreadySince(pod);
  if (pod === undefined || since === undefined) return nothing;
  const ordinal = ordinalOf(pod);
  const isOneMissing = ordinal !== firstOrdinal + before;
  if (isOneMissing || before < partition) return nothing;
  const due = since + brokenAfterMs;
  return due <= now ? { pod, requeueAt: undefined } : { pod: undefined, requeueAt: due };
}

/** The number at the end of the name of a pod of a StatefulSet; of any other, one that no partition lets go. */
function ordinalOf({ metadata }: Pod): number {
  return Number(/-(\d+)$/.exec(metadata.name ?? '')?.[1] ?? -1);
}
