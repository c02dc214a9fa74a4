import { extendedDaemonSetLabels, extendedDaemonSets, type ExtendedDaemonSet } from '@atoll/api';
import type { Pod } from '@atoll/kube';
import { isReadyPod } from './daemon-set-state.ts';
import type { WorkloadState } from './fleet-state.ts';

/** An ExtendedDaemonSet with one line for each of its pods. Those of the canary are of the new template while it is tried. */
export function describeExtendedDaemonSet(object: ExtendedDaemonSet, pods: readonly Pod[]): WorkloadState {
  const { metadata, spec, status } = object;
  const { namespace = '', name } = metadata;
  const isSeen = status?.observedGeneration === metadata.generation;
  const condition = isSeen ? status?.conditions?.find(({ type }) => type === 'Ready') : undefined;
  const newest = status?.canary?.replicaSet ?? status?.activeReplicaSet;
  return {
    kind: extendedDaemonSets.kind,
    namespace,
    name,
    image: spec.template.spec?.containers[0]?.image ?? '',
    ready: condition?.status === 'True',
    reason: condition?.reason ?? 'NotYetObserved',
    message: condition?.message ?? '',
    places: 'node',
    children: pods
      .filter(
        ({ metadata: { namespace: of, labels } }) =>
          of === namespace && labels?.[extendedDaemonSetLabels.name] === name,
      )
      .map((pod) => ({
        place: pod.spec?.nodeName ?? '(none)',
        workloadName: pod.metadata.name,
        replicas: 1,
        ready: isReadyPod(pod) ? 1 : 0,
        updated: isSeen && pod.metadata.labels?.[extendedDaemonSetLabels.replicaSet] === newest ? 1 : 0,
      }))
      .sort((a, b) => a.place.localeCompare(b.place)),
  };
}
