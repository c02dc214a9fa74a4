import { ownField } from '@atoll/kube';
import type { ControllerRevision, DaemonSet, Node, Pod, Stored } from '@atoll/kube';
import { groupByNode } from '../../children/pods/placement/node-of-pod.ts';
import { templateIn } from '../../children/revisions/template-data.ts';
import { fitsNode, type PlacedPodSpec } from '../../engine/rollout/node-fit.ts';
import { hashOf } from './pod-revision.ts';

/** Labels of nodes, each with its value. */
type Selector = readonly (readonly [name: string, value: string])[];

/**
 * The nodes without those that OpenShift's DaemonSet controller leaves out by the node selector of the namespace, or the default one of the cluster. No template
 * has it, and admission puts it into every pod. A node is left out that has no pod and lacks what all pods select beyond their templates, where the controller
 * wants no more pods than the other nodes can have. That of Kubernetes wants one on each node: admission lets it never be bound, and it counts as unavailable.
 */
export function withoutLeftOut(
  { spec, status }: Stored<DaemonSet>,
  pods: readonly Stored<Pod>[],
  nodes: readonly Stored<Node>[],
  history: readonly Stored<ControllerRevision>[],
): readonly Stored<Node>[] {
  const added = addedToAll(pods, history);
  if (added.length === 0) return nodes;
  const byNode = groupByNode(pods);
  const others = nodes.filter(
    ({ metadata: { name, labels = {} } }) =>
      byNode.has(name) || added.every(([label, value]) => ownField(labels, label) === value),
  );
  const template = (spec?.template.spec ?? {}) as PlacedPodSpec;
  const fitting = others.filter((node) => fitsNode(template, node)).length;
  return (status?.desiredNumberScheduled ?? Infinity) <= fitting ? others : nodes;
}

/** What every pod selects beyond the template that it was made of; where one of these templates is not known, nothing. */
function addedToAll(pods: readonly Stored<Pod>[], history: readonly Stored<ControllerRevision>[]): Selector {
  const templates = new Map(history.map((each) => [hashOf(each), templateIn(each.data, 'template')]));
  let added: Selector | undefined;
  for (const pod of pods) {
    const template = templates.get(hashOf(pod));
    if (template === undefined) return [];
    const { nodeSelector: own = {} } = (template['spec'] ?? {}) as PlacedPodSpec;
    const found = pod.spec?.nodeSelector ?? {};
    const selected: Selector = added ?? Object.entries(found);
    added = selected.filter(
      ([label, value]) => ownField(found, label) === value && ownField(own, label) !== value,
    );
    if (added.length === 0) return [];
  }
  return added ?? [];
}
