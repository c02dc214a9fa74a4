import type { ExtendedDaemonSet, ExtendedDaemonSetReplicaSet } from '@atoll/api';
import { compareTexts, selectorMatches, type Node, type Stored } from '@atoll/kube';
import { hold, type Hold } from '../../engine/hold.ts';
import {
  containersIn,
  hasFormerSetting,
  hasOverrides,
  isWithoutSetting,
} from '../overrides/pod-overrides.ts';
import type { Rolling } from '../rolling/decide-rolling.ts';
import { nodeSelectorOf } from './fleet-view.ts';
import type { NodeTarget } from './nodes/node-targets.ts';

/** Overrides of nodes that cannot be used, pods of a setting that is gone, and a selector that is meant for pods and selects no node. */
export function fleetHolds(
  { replicaSet: { spec }, targets }: Pick<Rolling, 'replicaSet' | 'targets'>,
  nodes: readonly Stored<Node>[],
  object: Pick<ExtendedDaemonSet, 'spec'>,
): readonly Hold[] {
  const holds: Hold[] = [];
  const ofSpec = containersIn(object.spec.template.spec?.containers).map(({ name }) => name);
  const wrong = targets
    .flatMap((each) => {
      const problem = problemOf(each, ofSpec);
      return problem === undefined ? [] : [{ id: each.target.id, problem }];
    })
    .sort((a, b) => compareTexts(a.id, b.id));
  const [first] = wrong;
  if (first !== undefined) {
    const names = wrong.map(({ id }) => id);
    const problem = `${first.problem} (node ${first.id})`;
    holds.push(hold('InvalidOverride', 'person', names, { problem }, false));
  }
  const former = targets.filter(
    ({ matches, pods: { kept }, overrides }) =>
      matches && kept !== undefined && hasFormerSetting(kept, overrides),
  );
  if (former.length > 0) {
    const problem =
      'pods that the old operator made with an ExtendedDaemonsetSetting run on, although none applies to their nodes now';
    holds.push(renderingKept(former, problem, 'the pod template changes'));
  }
  const without = targets.filter(
    ({ matches, pods: { kept }, overrides }) =>
      matches && kept !== undefined && isWithoutSetting(kept, overrides) && !hasOverrides(kept, overrides),
  );
  const setting = without
    .flatMap(({ overrides }) => overrides.setting?.metadata.name ?? [])
    .toSorted(compareTexts)[0];
  if (setting !== undefined) {
    const problem = `pods that the old operator made run on without the ExtendedDaemonsetSetting ${setting}, of which it had an error`;
    holds.push(renderingKept(without, problem, 'the pod template or that setting changes'));
  }
  if (targets.length === 0 && isMeantForPods(spec) && selectsNone(spec, nodes)) {
    const problem =
      'spec.selector selects nodes, not pods: it matches the labels of the pods and no node. Remove it, or label the nodes';
    holds.push(hold('InvalidSelector', 'person', [], { problem }, true));
  }
  return holds;
}

function renderingKept(targets: readonly NodeTarget[], problem: string, waitingUntil: string): Hold {
  const names = targets.map(({ target }) => target.id).sort();
  return hold('OldRenderingKept', 'time', names, { problem, waitingUntil }, false);
}

/** What of a node's overrides cannot be used, or changes no pod, also none of the template in the spec, which may not be the one that runs. */
function problemOf({ overrides }: NodeTarget, ofSpec: readonly string[]): string | undefined {
  const [problem] = overrides.problems;
  if (problem !== undefined) return problem;
  const unknown = overrides.unknown.find(({ container }) => !ofSpec.includes(container));
  if (unknown === undefined) return undefined;
  const { annotation, container } = unknown;
  return (
    `the annotation ${annotation} changes no pod: the template has no container ${container}, but ` +
    `${ofSpec.join(', ')}. Correct the name`
  );
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
