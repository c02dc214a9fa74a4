import { daemonSetUpdate } from '@atoll/api';
import { compareTexts, type Pod, type Stored } from '@atoll/kube';
import { isActive } from '../children/pods/pod-facts.ts';
import { counted } from '../engine/problems/counted.ts';
import type { Finding } from './finding.ts';

const { templateGeneration } = daemonSetUpdate.podLabels;

/** Selects the pods that the cache of DaemonSets' pods does not hold. */
export const unseenSelector = `!${templateGeneration}`;

/**
 * Pods of a DaemonSet without the label that its controller gives to those that it makes: it adopts pods by its selector, and adds an owner only
 * (Kubernetes 1.36, `AdoptPod`). To hold all pods of a cluster for these few would cost too much memory. undefined: there are none.
 */
export function unseenPods(pods: readonly Stored<Pod>[]): Finding | undefined {
  const [first, ...rest] = pods
    .filter((pod) => isActive(pod) && pod.metadata.labels?.[templateGeneration] === undefined)
    .sort((a, b) => compareTexts(a.metadata.name, b.metadata.name));
  if (first === undefined) return undefined;
  const { nodeName = '' } = first.spec ?? {};
  const node = nodeName === '' ? '' : ` on node ${nodeName}`;
  const more = rest.length === 0 ? '' : ` and ${counted(rest.length, 'more pod')}`;
  const message =
    `pod ${first.metadata.name}${node}${more}: adopted without the label ${templateGeneration}, so its node counts as one without a pod. ` +
    `Give the pod the label ${templateGeneration}=0, so that it is upgraded as the others, or delete it`;
  // They have no names that the decision knows.
  return { word: 'PodNotSeen', message, pods: [], nodes: [] };
}
