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
  /** Pods with this ordinal and above are to have it. */
  readonly partition: number;
}

export interface StuckPod {
  readonly pod: Stored<Pod> | undefined;
  readonly requeueAt: Instant | undefined;
}

const nothing: StuckPod = { pod: undefined, requeueAt: undefined };

/**
 * The one broken pod that keeps a StatefulSet from leaving its template: a StatefulSet waits for each pod to be ready
 * before it replaces the next, also for a pod that the newer template would heal (kubernetes#67250).
 *
 * To delete it can never be worse than to wait: it is of an older template, so it is the next to be replaced anyhow;
 * it has not been ready for a minute, so it serves nobody; only one goes at a time, the highest ordinal first, as the
 * StatefulSet would go itself; and none goes while a pod of the newer template is not ready, because then it is that
 * template that is broken.
 */
export function stuckPodOf({ pods, updateRevision, partition }: OrderedPods, now: Instant): StuckPod {
  const isNew = ({ metadata }: Stored<Pod>): boolean =>
    metadata.labels?.['controller-revision-hash'] === updateRevision;
  if (pods.some((pod) => isNew(pod) && unreadySince(pod) !== undefined)) return nothing;
  const unready = pods
    .filter((pod) => !isNew(pod) && !isTerminating(pod) && ordinalOf(pod) >= partition)
    .flatMap((pod) => {
      const since = unreadySince(pod);
      return since === undefined ? [] : [{ pod, due: since + brokenAfterMs }];
    })
    .sort((a, b) => ordinalOf(b.pod) - ordinalOf(a.pod));
  const broken = unready.find(({ due }) => due <= now);
  if (broken !== undefined) return { pod: broken.pod, requeueAt: undefined };
  if (unready.length === 0) return nothing;
  return { pod: undefined, requeueAt: Math.min(...unready.map(({ due }) => due)) };
}

/** The number at the end of the name of a pod of a StatefulSet; of any other, one that no partition lets go. */
function ordinalOf({ metadata }: Pod): number {
  return Number(/-(\d+)$/.exec(metadata.name ?? '')?.[1] ?? -1);
}
