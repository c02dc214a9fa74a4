import { nodeMisfit } from '@atoll/kube';
import type { NodeLike, PodSpec, Toleration } from '@atoll/kube';

/** What of a pod's spec decides where it may be. */
export type PlacedPodSpec = Pick<
  PodSpec,
  'affinity' | 'hostNetwork' | 'nodeName' | 'nodeSelector' | 'tolerations'
>;

/**
 * Whether the DaemonSet controller makes a pod with this spec on the node (`NodeShouldRunDaemonPod` of kube-controller-manager). A
 * pod that is there already is not ended because of a NoSchedule taint, but it would not be made again.
 */
export function fitsNode(spec: PlacedPodSpec, node: NodeLike): boolean {
  return nodeMisfit({ ...spec, tolerations: allTolerations(spec) }, node) === undefined;
}

/** What a pod of the DaemonSet controller with this spec tolerates. */
export function allTolerations(spec: PlacedPodSpec): readonly Toleration[] {
  return [...(spec.tolerations ?? []), ...addedTolerations(spec)];
}

/** Those that the DaemonSet controller adds to every pod of its own. */
export function addedTolerations({ hostNetwork }: PlacedPodSpec): readonly Toleration[] {
  const taint = (name: string, effect: string): Toleration => ({
    key: `node.kubernetes.io/${name}`,
    operator: 'Exists',
    effect,
  });
  return [
    taint('not-ready', 'NoExecute'),
    taint('unreachable', 'NoExecute'),
    taint('disk-pressure', 'NoSchedule'),
    taint('memory-pressure', 'NoSchedule'),
    taint('pid-pressure', 'NoSchedule'),
    taint('unschedulable', 'NoSchedule'),
    ...(hostNetwork === true ? [taint('network-unavailable', 'NoSchedule')] : []),
  ];
}
