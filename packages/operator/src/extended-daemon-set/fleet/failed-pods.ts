import type { Instant, Pod, Stored } from '@atoll/kube';
import { extendedDaemonSetAnnotations, extendedDaemonSetTimes } from '@atoll/api';

const { failedPods: failures } = extendedDaemonSetAnnotations;
const { first: firstWaitMs, longest: longestWaitMs } = extendedDaemonSetTimes.failedPodBackOff;

/** How many pods failed on the node one after the other before this one: its maker wrote it there. */
function failuresBefore({ metadata }: Stored<Pod>): number {
  const text = metadata.annotations?.[failures] ?? '';
  return /^[0-9]{1,4}$/.test(text) ? Number(text) : 0;
}

/**
 * How many have failed with this one. One that lived for longer than any wait begins anew. How long it lived is not known where its end lies ahead, by
 * the clock of its kubelet: on such a node each pod that fails at once would be replaced at once.
 */
export function failuresWith(pod: Stored<Pod>, now: Instant): number {
  const lived = endOf(pod) - startOf(pod);
  return lived > longestWaitMs && endOf(pod) <= now ? 1 : failuresBefore(pod) + 1;
}

/**
 * When a pod that has ended is replaced: the first at once, then after 10 s, 20 s, … up to 15 minutes. The count is written on the pods
 * themselves, so that it outlives the process.
 */
export function replaceAt(pod: Stored<Pod>, now: Instant): Instant {
  const before = failuresWith(pod, now) - 1;
  // A kubelet's clock may be ahead by days; that of the API server made the pod.
  const ended = endOf(pod) > now ? startOf(pod) : endOf(pod);
  return before === 0 ? ended : ended + Math.min(longestWaitMs, firstWaitMs * 2 ** (before - 1));
}

function startOf({ metadata }: Stored<Pod>): Instant {
  return Date.parse(metadata.creationTimestamp);
}

/** When its last container ended; of an evicted pod, when it ceased to be ready; at the latest known. */
function endOf(pod: Stored<Pod>): Instant {
  const { containerStatuses = [], conditions = [] } = pod.status ?? {};
  const signs = [
    ...containerStatuses.map(({ state }) => state?.terminated?.finishedAt),
    ...conditions.map(({ type, lastTransitionTime }) => (type === 'Ready' ? lastTransitionTime : undefined)),
  ]
    .map((text) => Date.parse(text ?? ''))
    .filter((moment) => !Number.isNaN(moment));
  return Math.max(startOf(pod), ...signs);
}
