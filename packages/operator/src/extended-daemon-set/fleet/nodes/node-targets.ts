import { controllerOf, type Instant, type Node, type Pod, type Stored, type Toleration } from '@atoll/kube';
import { healthOfPod, type BlockedContainer } from '../../../engine/rollout/health.ts';
import type { PlacedPodSpec } from '../../../engine/rollout/node-fit.ts';
import { podPlace } from '../../../engine/rollout/nodes.ts';
import type { At, Health, Reach, Target } from '../../../engine/rollout/target.ts';
import { extendedDaemonSetTimes, type ExtendedDaemonSetReplicaSet } from '@atoll/api';
import { hasOverrides, isWithoutSetting, type PodOverrides } from '../../overrides/pod-overrides.ts';
import { failuresWith, replaceAt } from '../failed-pods.ts';
import { tolerationsOf, type NodeEligibility } from './node-eligibility.ts';
import { misplacedUntil } from './misplaced-pods.ts';
import { isBound, noPods, type NodePods } from '../pods-by-node.ts';

/** A node that is to run a pod of one replica set. */
export interface NodeTarget {
  readonly target: Target;
  /** The node as it was seen. */
  readonly seen: Stored<Node>;
  readonly pods: NodePods;
  readonly overrides: PodOverrides;
  /** False: its own absence, or a taint, keeps a new pod off it. */
  readonly canBeMade: boolean;
  /** The kept pod is of the replica set, with the overrides of the node. */
  readonly matches: boolean;
  /** Why the kept pod does not match. */
  readonly outdatedBy: 'template' | 'overrides' | undefined;
  readonly ready: boolean;
  /** Why the kept pod does not start. */
  readonly blocked: BlockedContainer | undefined;
  /** The pod is not scheduled, or does not end, for so long that the node counts as unresponsive. */
  readonly isUnresponsive: boolean;
  /** Since when that is so on a node that is there, where the pod is not one that is replaced anyway. */
  readonly stuckSince?: Instant;
  /** A pod that has ended and is to be replaced now. */
  readonly replaces: Stored<Pod> | undefined;
  /** The pod that was made for the node and does not name it. */
  readonly misplaced?: Stored<Pod>;
  readonly failures: number;
  /** When time alone changes it. */
  readonly changesAt?: Instant;
}

export interface TargetsOf {
  readonly replicaSet: Stored<ExtendedDaemonSetReplicaSet>;
  /** uids of replica sets of the same meaning. */
  readonly same: ReadonlySet<string>;
  readonly nodes: readonly { readonly node: Stored<Node>; readonly eligibility: NodeEligibility }[];
  readonly pods: ReadonlyMap<string, NodePods>;
  /** By the node that they were made for. */
  readonly misplaced: ReadonlyMap<string, Stored<Pod>>;
  /** Whether nodes count on which a pod of the replica set stays, and none can be made. */
  readonly withStaying: boolean;
  readonly overrides: (node: Stored<Node>) => PodOverrides;
  readonly now: Instant;
}

/** After so long a pod that is not scheduled, or does not end, is the node's fault (`reference/extendeddaemonset.md` 3.8). */
const unresponsiveAfterMs = extendedDaemonSetTimes.schedulerIssue;

/**
 * Whether the kept pod stays as it is, because the setting that it was made with may have gone with the definition of all of them. Only its overrides differ:
 * a new template, or the one that is put back, comes to it all the same.
 */
export function staysAsMade({ outdatedBy, overrides }: NodeTarget): boolean {
  return outdatedBy === 'overrides' && overrides.lost !== undefined;
}

/** A target for each of the nodes on which the replica set is to run a pod. */
export function nodeTargets({
  replicaSet,
  same,
  nodes,
  pods,
  misplaced,
  withStaying,
  overrides,
  now,
}: TargetsOf): readonly NodeTarget[] {
  const wanted = replicaSet.metadata.uid;
  const tolerations = tolerationsOf((replicaSet.spec.template.spec ?? {}) as PlacedPodSpec);
  return nodes.flatMap(({ node, eligibility }) => {
    const found = pods.get(node.metadata.name) ?? noPods;
    const isTarget = eligibility === 'tainted' ? withStaying && stays(found, same) : eligibility !== 'unfit';
    return isTarget
      ? [
          withMisplaced(
            targetOf(node, eligibility, found, overrides(node), { wanted, same, tolerations, now }),
            misplaced.get(node.metadata.name),
          ),
        ]
      : [];
  });
}

function withMisplaced(target: NodeTarget, misplaced: Stored<Pod> | undefined): NodeTarget {
  if (misplaced === undefined) return target;
  return { ...target, misplaced, changesAt: misplacedUntil(misplaced) };
}

/** Whether the pod of a node that is `tainted` is of one of these replica sets: it stays, and belongs to them. */
export function stays(pods: NodePods | undefined, same: ReadonlySet<string>): boolean {
  const kept = pods?.kept;
  return kept !== undefined && isBound(kept) && isOf(kept, same);
}

interface Wanted {
  readonly wanted: string;
  readonly same: ReadonlySet<string>;
  readonly now: Instant;
}

function targetOf(
  node: Stored<Node>,
  eligibility: NodeEligibility,
  pods: NodePods,
  overrides: PodOverrides,
  { wanted, same, tolerations, now }: Wanted & { readonly tolerations: readonly Toleration[] },
): NodeTarget {
  const { name: id, labels = {} } = node.metadata;
  const { kept } = pods;
  const placed = { isKeptOff: eligibility === 'away', tolerations, hasPod: kept !== undefined };
  const { reach, awaySince, ...zone } = podPlace(node, placed, now);
  const place = { id, labels, wanted, ...zone };
  const more = { seen: node, pods, overrides, canBeMade: eligibility === 'eligible' };
  if (kept === undefined) return { ...more, ...absent(place, pods, reach, { wanted, same, now }) };

  const outdatedBy = !isOf(kept, same)
    ? 'template'
    : isUncertain(overrides) || hasOverrides(kept, overrides) || isWithoutSetting(kept, overrides)
      ? undefined
      : 'overrides';
  const matches = outdatedBy === undefined;
  const at: At = { revision: matches ? wanted : `not ${wanted}` };
  const judged = healthOfPod(kept, { now, ...(awaySince === undefined ? {} : { awaySince }) });
  const created = Date.parse(kept.metadata.creationTimestamp);
  const isStuck = !isBound(kept) && created + unresponsiveAfterMs <= now;
  // One of an older template that is stuck is replaced like everything that does not serve (BUG-18).
  const stuckSince = awaySince === undefined && isStuck && matches ? created : undefined;
  // That its node went away is not our doing while we have not ended what runs there.
  const health: Health = awaySince !== undefined && !matches ? 'healthy' : judged.health;
  return {
    ...more,
    target: { ...place, at, health, reach },
    matches,
    outdatedBy,
    ready: judged.health === 'healthy' && awaySince === undefined,
    blocked: judged.blocked,
    isUnresponsive: isStuck,
    ...(stuckSince === undefined ? {} : { stuckSince }),
    replaces: undefined,
    failures: 0,
    ...(isBound(kept) ? {} : { changesAt: created + unresponsiveAfterMs }),
  };
}

/** Whether a pod stays as it was made, because it is not known what it should be made with. */
function isUncertain({ problems, unreadable }: PodOverrides): boolean {
  return problems.length > 0 || unreadable !== undefined;
}

/** A node on which nothing serves: nothing at all, a pod that ends, or one that has ended. */
function absent(
  place: Pick<Target, 'id' | 'labels' | 'wanted'>,
  { ending: [ending], ended: [ended] }: NodePods,
  reach: Reach,
  { wanted, same, now }: Wanted,
): Omit<NodeTarget, 'seen' | 'pods' | 'overrides' | 'canBeMade'> {
  const none = {
    matches: false,
    outdatedBy: undefined,
    ready: false,
    blocked: undefined,
    isUnresponsive: false,
    replaces: undefined,
    failures: 0,
  };
  const gone = { health: 'gone', at: { revision: `not ${wanted}` } } as const;
  if (ending !== undefined) {
    const { deletionTimestamp = '', deletionGracePeriodSeconds: grace = 30 } = ending.metadata;
    const overdue = Date.parse(deletionTimestamp) + 1000 * grace;
    const isUnresponsive = overdue <= now;
    const stuck = reach === 'reachable' && isUnresponsive ? { stuckSince: overdue } : {};
    return { ...none, target: { ...place, ...gone, reach }, isUnresponsive, ...stuck, changesAt: overdue };
  }
  const missing: Target = { ...place, at: 'nothing', health: 'gone', reach };
  if (ended === undefined) return { ...none, target: missing };
  // The back-off is for pods of the current template alone.
  const isCurrent = isOf(ended, same);
  const due = isCurrent ? replaceAt(ended, now) : now;
  if (due > now) {
    const at = { revision: wanted };
    return { ...none, target: { ...place, at, health: 'broken', reach }, changesAt: due };
  }
  return { ...none, target: missing, replaces: ended, failures: isCurrent ? failuresWith(ended, now) : 0 };
}

/** Whether the pod is of one of these replica sets. */
export function isOf(pod: Stored<Pod>, same: ReadonlySet<string>): boolean {
  const owner = controllerOf(pod)?.uid;
  return owner !== undefined && same.has(owner);
}
