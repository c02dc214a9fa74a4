import { isReady, type Pod, type Stored } from '@atoll/kube';
import { sameJson } from '../same-meaning.ts';

/**
 * Whether two versions of the pod of a node are the same for every rollout over nodes: it is there, on the same node, as ready, of the same
 * template, and to be deleted or not.
 */
export function isSamePodForRollouts(old: Stored<Pod>, pod: Stored<Pod>): boolean {
  return (
    isReady(old) === isReady(pod) &&
    (old.metadata.deletionTimestamp === undefined) === (pod.metadata.deletionTimestamp === undefined) &&
    old.status?.phase === pod.status?.phase &&
    old.spec?.nodeName === pod.spec?.nodeName &&
    old.status?.conditions?.length === pod.status?.conditions?.length &&
    sameJson(old.metadata.labels, pod.metadata.labels)
  );
}
