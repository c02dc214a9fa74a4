import {
  everything,
  nodeMisfit,
  selectorMatches,
  untoleratedTaint,
  type Node,
  type PodTemplateSpec,
  type Selector,
  type Stored,
  type Taint,
  type Toleration,
} from '@atoll/kube';
import { readablePlacement } from '../../../children/pods/placement/refused-placement.ts';
import type { PlacedPodSpec } from '../../../engine/rollout/node-fit.ts';
import { lastingTaints, withLastingTaints } from '../../../engine/rollout/nodes.ts';
import { daemonTolerations } from './daemon-tolerations.ts';

/**
 * How a template applies to a node, in the native controller's two predicates.
 *
 * - `eligible`: it is to have a pod, and one can be made now.
 * - `away`: it is to have one, and one can be made when the node is back: only the taints of its absence keep pods off.
 * - `tainted`: a pod that is there stays, and none is made: somebody tainted the node `NoSchedule`.
 * - `unfit`: a pod that is there is deleted.
 */
export type NodeEligibility = 'eligible' | 'away' | 'tainted' | 'unfit';

/** The eligibility of nodes for a template; `selector`: the object's own, which selects nodes (`spec.selector`). */
export function nodeEligibility(
  template: PodTemplateSpec,
  selector: Selector = everything,
): (node: Stored<Node>) => NodeEligibility {
  // No pod is ended for a rule with which none can be made: its nodes are to have one, which is tried first and refused with its field.
  const spec = readablePlacement((template.spec ?? {}) as PlacedPodSpec);
  const tolerations = tolerationsOf(spec);
  const made: PlacedPodSpec = { ...spec, tolerations };
  const fits = (node: Stored<Node>): boolean => nodeMisfit(made, node) === undefined;
  return (node) => {
    if (!selectorMatches(selector, node.metadata.labels)) return 'unfit';
    if (fits(node)) return 'eligible';
    if (fits(withLastingTaints(node))) return 'away';
    const ends = untoleratedTaint(node.spec?.taints ?? [], tolerations, ['NoExecute']) !== undefined;
    return !ends && fits({ ...node, spec: { ...node.spec, taints: [] } }) ? 'tainted' : 'unfit';
  };
}

/** The taint of a node that is `tainted`. */
export function keepingTaint(template: PodTemplateSpec, node: Stored<Node>): Taint | undefined {
  return untoleratedTaint(lastingTaints(node), tolerationsOf((template.spec ?? {}) as PlacedPodSpec), [
    'NoSchedule',
  ]);
}

/** What a pod with this spec tolerates. */
export function tolerationsOf({ tolerations }: PlacedPodSpec): readonly Toleration[] {
  // A value that is not a list is refused in the pod, with its field.
  const own = Array.isArray(tolerations) ? (tolerations as readonly Toleration[]) : [];
  return [...own, ...daemonTolerations];
}
