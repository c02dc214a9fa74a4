import { untoleratedTaint } from '@atoll/kube';
import type { DaemonSet, Node, Pod, Stored } from '@atoll/kube';
import { allTolerations, fitsNode, type PlacedPodSpec } from '../../engine/rollout/node-fit.ts';
import { lastingTaints } from '../../engine/rollout/nodes.ts';
import { describeTaint, type TaintedNode } from '../../engine/rollout/tainted-holds.ts';
import { isTerminating } from '../../children/child.ts';
import { isActive } from '../../children/pods/pod-facts.ts';
import { isLatest, type LatestTemplate } from './pod-revision.ts';

/**
 * The nodes that are none of the DaemonSet's any more because of a `NoSchedule` taint, and run a pod of another template: its controller ends none for it, and would
 * make none in its place.
 */
export function taintedNodes(
  { spec }: Stored<DaemonSet>,
  pods: readonly Stored<Pod>[],
  nodes: readonly Stored<Node>[],
  latest: LatestTemplate,
): readonly TaintedNode[] {
  const template = (spec?.template.spec ?? {}) as PlacedPodSpec;
  const tolerations = allTolerations(template);
  const outdated = new Set(
    pods.filter((pod) => isActive(pod) && !isLatest(pod, latest)).map((pod) => pod.spec?.nodeName),
  );
  return nodes.flatMap((node) => {
    const { name } = node.metadata;
    if (isTerminating(node) || !outdated.has(name)) return [];
    const taints = lastingTaints(node);
    const keeping = untoleratedTaint(taints, tolerations, ['NoSchedule']);
    const ends = untoleratedTaint(taints, tolerations, ['NoExecute']) !== undefined;
    if (keeping === undefined || ends) return [];
    if (!fitsNode(template, { ...node, spec: { ...node.spec, taints: [] } })) return [];
    return [{ node: name, taint: describeTaint(keeping) }];
  });
}
