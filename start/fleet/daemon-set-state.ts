import { daemonSetUpdate } from '@atoll/api';
import { daemonSets, isReady, type DaemonSet, type Pod } from '@atoll/kube';
import type { WorkloadState } from './fleet-state.ts';

const { annotations, podLabels } = daemonSetUpdate;

/** Whether Atoll upgrades it; of all others the view shows nothing. */
export function isUpgraded({ metadata }: DaemonSet): boolean {
  const asked = metadata.annotations ?? {};
  return annotations.updateStrategy in asked || annotations.upgradeStrategy in asked;
}

/** A DaemonSet with one line for each of its pods; it is ready when all pods are, of whatever template. */
export function describeDaemonSet(daemonSet: DaemonSet, pods: readonly Pod[]): WorkloadState {
  const { metadata, spec, status } = daemonSet;
  const generation = metadata.annotations?.[annotations.templateGeneration];
  const wanted = status?.desiredNumberScheduled ?? 0;
  const isSeen = status?.observedGeneration === metadata.generation;
  const isReady = isSeen && wanted > 0 && status?.numberAvailable === wanted;
  return {
    kind: daemonSets.kind,
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    image: spec?.template.spec?.containers[0]?.image ?? '',
    ready: isReady,
    reason: isSeen ? 'WaitingForReady' : 'NotYetObserved',
    message: '',
    places: 'node',
    children: pods
      .filter(({ metadata: found }) => found.ownerReferences?.some(({ uid }) => uid === metadata.uid))
      .map((pod) => ({
        place: pod.spec?.nodeName ?? '(none)',
        workloadName: pod.metadata.name,
        replicas: 1,
        ready: isReadyPod(pod) ? 1 : 0,
        updated: pod.metadata.labels?.[podLabels.templateGeneration] === generation ? 1 : 0,
      }))
      .sort((a, b) => a.place.localeCompare(b.place)),
  };
}

export function isReadyPod(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp === undefined && isReady(pod);
}
