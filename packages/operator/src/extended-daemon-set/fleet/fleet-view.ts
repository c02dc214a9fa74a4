import type { ExtendedDaemonSet, ExtendedDaemonSetReplicaSet } from '@atoll/api';
import { compileSelector, controllerOf, everything } from '@atoll/kube';
import type { Instant, Node, Pod, Selector, Stored } from '@atoll/kube';
import { isTerminating } from '../../children/child.ts';
import { canaryCandidates } from '../canary/nodes/canary-candidates.ts';
import type { CanaryCandidates } from '../canary/nodes/choose-canary-nodes.ts';
import { podOverrides, type PodOverrides } from '../overrides/pod-overrides.ts';
import { settingOf, type NodeSetting, type ResolvedSettings } from '../overrides/resolve-settings.ts';
import { sameMeaning } from '../replica-sets/find-replica-set.ts';
import { misplacedPods } from './nodes/misplaced-pods.ts';
import { nodeEligibility, type NodeEligibility } from './nodes/node-eligibility.ts';
import { isOf, nodeTargets, type NodeTarget, type TargetsOf } from './nodes/node-targets.ts';
import { podsByNode, type NodePods } from './pods-by-node.ts';
import { taintedNodes } from './nodes/tainted-nodes.ts';
import type { TaintedNode } from '../../engine/rollout/tainted-holds.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

/** The nodes and pods of an object, as its replica sets see them. */
export interface FleetView {
  readonly pods: ReadonlyMap<string, NodePods>;
  /** Pods that were made for a node and do not name it, by that node. */
  readonly misplaced: ReadonlyMap<string, Stored<Pod>>;
  readonly ownsPods: (uid: string) => boolean;
  /** Whether each node is to run a pod of a replica set; undefined: the node is gone. */
  readonly eligibilityFor: (replicaSet: ReplicaSet) => (node: string) => NodeEligibility | undefined;
  /** Nodes on which a pod of the replica set can be made now, or when they are back; and those on which one stays. */
  readonly candidates: (replicaSet: ReplicaSet) => CanaryCandidates;
  /** One for each node that is to run a pod of the replica set and that is asked for. */
  readonly targets: (replicaSet: ReplicaSet, isAsked: (node: string) => boolean) => readonly NodeTarget[];
  /** The same, and one for each node on which a pod of the replica set stays, and none can be made. */
  readonly canaryTargets: (
    replicaSet: ReplicaSet,
    isAsked: (node: string) => boolean,
  ) => readonly NodeTarget[];
  /** Of the nodes that are asked for, those whose taint keeps a pod of another template there. */
  readonly tainted: (replicaSet: ReplicaSet, isAsked: (node: string) => boolean) => readonly TaintedNode[];
  readonly overridesOf: (replicaSet: ReplicaSet, node: Stored<Node>) => PodOverrides;
  /** Whether a setting that cannot be read may be the node's, whose pod stays. */
  readonly isUnreadable: (node: Stored<Node>) => boolean;
  /** Whether a pod is of the template of a replica set. */
  readonly isOfTemplate: (replicaSet: ReplicaSet) => (pod: Stored<Pod>) => boolean;
}

export function fleetView(
  object: Stored<ExtendedDaemonSet>,
  replicaSets: readonly ReplicaSet[],
  allPods: readonly Stored<Pod>[],
  allNodes: readonly Stored<Node>[],
  settings: ResolvedSettings,
  now: Instant,
): FleetView {
  const pods = podsByNode(allPods);
  const owners = new Set(allPods.map((pod) => controllerOf(pod)?.uid));
  const nodes = allNodes.filter((node) => !isTerminating(node));
  const misplaced = misplacedPods(object, allPods, nodes, pods);
  const nodesWithEligibility = eligibilityOnce(nodes);
  const settingAt = (node: Stored<Node>): NodeSetting =>
    settingOf(settings, node, pods.get(node.metadata.name)?.kept);
  const overridesOf = (replicaSet: ReplicaSet, node: Stored<Node>): PodOverrides => {
    const { setting, ...more } = settingAt(node);
    const problem = setting === undefined ? undefined : settings.errors.get(setting.metadata.uid);
    const made = podOverrides(replicaSet.spec.template, object.metadata, node, setting, problem);
    return { ...made, ...more };
  };
  const asked = (replicaSet: ReplicaSet, isAsked: (node: string) => boolean = () => true) => ({
    replicaSet,
    same: sameMeaning(replicaSet, replicaSets),
    nodes: nodesWithEligibility(replicaSet).filter(({ node }) => isAsked(node.metadata.name)),
    pods,
    misplaced,
  });
  const targets = (replicaSet: ReplicaSet, isAsked: (node: string) => boolean, withStaying: boolean) =>
    nodeTargets({
      ...asked(replicaSet, isAsked),
      withStaying,
      overrides: (node) => overridesOf(replicaSet, node),
      now,
    });
  return {
    pods,
    misplaced,
    ownsPods: (uid) => owners.has(uid),
    overridesOf,
    isUnreadable: (node) =>
      settings.unreadable.size > 0 &&
      pods.get(node.metadata.name)?.kept !== undefined &&
      settingAt(node).unreadable !== undefined,
    isOfTemplate: (replicaSet) => {
      const same = sameMeaning(replicaSet, replicaSets);
      return (pod) => isOf(pod, same);
    },
    eligibilityFor: (replicaSet) => {
      const byName = new Map(
        nodesWithEligibility(replicaSet).map(({ node, eligibility }) => [node.metadata.name, eligibility]),
      );
      return (node) => byName.get(node);
    },
    candidates: (replicaSet) => canaryCandidates(asked(replicaSet), now),
    tainted: (replicaSet, isAsked) => taintedNodes(asked(replicaSet, isAsked)),
    targets: (replicaSet, isAsked) => targets(replicaSet, isAsked, false),
    canaryTargets: (replicaSet, isAsked) => targets(replicaSet, isAsked, true),
  };
}

/** The nodes with their eligibility for a replica set, which is computed once for each. */
function eligibilityOnce(nodes: readonly Stored<Node>[]): (replicaSet: ReplicaSet) => TargetsOf['nodes'] {
  const known = new Map<string, TargetsOf['nodes']>();
  return (replicaSet) => {
    const { uid } = replicaSet.metadata;
    const found = known.get(uid);
    if (found !== undefined) return found;
    const eligibilityOf = nodeEligibility(replicaSet.spec.template, nodeSelectorOf(replicaSet));
    const made = nodes.map((node) => ({ node, eligibility: eligibilityOf(node) }));
    known.set(uid, made);
    return made;
  };
}

/** `spec.selector` is one of nodes (BUG-6). One that cannot be understood selects all, so that no pod is deleted because of it. */
export function nodeSelectorOf({ spec }: Pick<ReplicaSet, 'spec'>): Selector {
  try {
    return spec.selector === undefined || spec.selector === null
      ? everything
      : compileSelector(spec.selector, 'spec.selector');
  } catch {
    return everything;
  }
}
