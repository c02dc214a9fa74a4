import type { ExtendedDaemonSetReplicaSet } from '@atoll/api';
import { selectorMatches, type Node, type Stored } from '@atoll/kube';
import { hold, type Hold } from '../../engine/hold.ts';
import { hasFormerSetting } from '../overrides/pod-overrides.ts';
import type { Rolling } from '../rolling/decide-rolling.ts';
import { nodeSelectorOf } from './fleet-view.ts';

/** Overrides of nodes that cannot be used, pods of a setting that is gone, and a selector that is meant for pods and selects no node. */
export function fleetHolds(
  { replicaSet: { spec }, targets }: Pick<Rolling, 'replicaSet' | 'targets'>,
  nodes: readonly Stored<Node>[],
): readonly Hold[] {
  const holds: Hold[] = [];
  const wrong = targets.filter(({ overrides }) => overrides.problems.length > 0);
  const [first] = wrong;
  if (first !== undefined) {
    const names = wrong.map(({ target }) => target.id).sort();
    const problem = `${first.overrides.problems[0] ?? ''} (node ${first.target.id})`;
    holds.push(hold('InvalidOverride', 'person', names, { problem }, false));
  }
  const former = targets.filter(
    ({ matches, pods: { kept }, overrides }) =>
      matches && kept !== undefined && hasFormerSetting(kept, overrides),
  );
  if (former.length > 0) {
    const problem =
      'pods that the old operator made with an ExtendedDaemonsetSetting run on, although none applies to their nodes now';
    const names = former.map(({ target }) => target.id).sort();
    const waitingUntil = 'the pod template changes';
    holds.push(hold('OldRenderingKept', 'time', names, { problem, waitingUntil }, false));
  }
  if (targets.length === 0 && isMeantForPods(spec) && selectsNone(spec, nodes)) {
    const problem =
      'spec.selector selects nodes, not pods: it matches the labels of the pods and no node. Remove it, or label the nodes';
    holds.push(hold('InvalidSelector', 'person', [], { problem }, true));
  }
  return holds;
}

/** As in the manifest of a DaemonSet, which selects its pods (BUG-6). */
function isMeantForPods(spec: ExtendedDaemonSetReplicaSet['spec']): boolean {
  const selector = nodeSelectorOf({ spec });
  return selector.length > 0 && selectorMatches(selector, spec.template.metadata?.labels);
}

/** Where it selects nodes, and none is to run a pod, the canary has them, or taints keep pods off them. */
function selectsNone(spec: ExtendedDaemonSetReplicaSet['spec'], nodes: readonly Stored<Node>[]): boolean {
  const selector = nodeSelectorOf({ spec });
  return !nodes.some(({ metadata }) => selectorMatches(selector, metadata.labels));
}
