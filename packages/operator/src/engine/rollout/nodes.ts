import { conditionOf, instantOf, untoleratedTaint } from '@atoll/kube';
import type { Instant, Node, Stored, Taint, Toleration } from '@atoll/kube';
import { earliest } from '../earliest.ts';
import { sameJson } from '../same-meaning.ts';
import type { Reach } from './target.ts';

/** What of a node is read; a cache may keep no more than this. */
export interface SeenNode {
  readonly metadata: Pick<Stored<Node>['metadata'], 'labels' | 'creationTimestamp'>;
  readonly spec?: Pick<NonNullable<Node['spec']>, 'taints'>;
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly lastTransitionTime?: string;
    }[];
  };
}

/** Whether two versions of a node are the same for a rollout: it is as ready, is to run the same pods, and is to be deleted or not. */
export function isSameForRollouts(old: Stored<Node>, node: Stored<Node>): boolean {
  return (
    conditionOf(old, 'Ready')?.status === conditionOf(node, 'Ready')?.status &&
    (old.metadata.deletionTimestamp === undefined) === (node.metadata.deletionTimestamp === undefined) &&
    sameJson(old.metadata.labels, node.metadata.labels) &&
    sameJson(old.spec?.taints, node.spec?.taints)
  );
}

/** Where a node stands, for a rollout. */
export interface NodePlace {
  readonly zone?: string;
  readonly reach: Reach;
  /** The earliest sign that it is not Ready, of whatever clock: to be compared with what its kubelet reports of pods. Undefined: it is Ready. */
  readonly notReadySince?: Instant;
}

/** The second is what kubelets before Kubernetes 1.17 set. */
const zoneLabels = ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone'] as const;

/** Set by the node lifecycle controller of Kubernetes when a node's Ready is False or Unknown. */
const awayTaints: readonly string[] = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/** The taints of a node but those of its absence. */
export function lastingTaints({ spec }: Pick<SeenNode, 'spec'>): readonly Taint[] {
  return (spec?.taints ?? []).filter(({ key }) => !awayTaints.includes(key));
}

/** The taints of a node that is away keep new pods off it. This is the node as it is when it is back. */
export function withLastingTaints(node: Stored<Node>): Stored<Node> {
  return { ...node, spec: { ...node.spec, taints: lastingTaints(node) } };
}

/** Zone and reachability of a node. */
export function nodePlace(node: SeenNode, now: Instant): NodePlace {
  const { labels = {} } = node.metadata;
  const zone = zoneLabels.map((name) => labels[name]).find(isNamed);
  return {
    ...(zone === undefined ? {} : { zone }),
    ...reachOf(node, now),
  };
}

/**
 * A node is reachable while its Ready condition is True, and away otherwise: also before it has one. Away since the earliest
 * sign of it that is still there, except that of a kubelet, whose clock may be behind: it reports False itself, and the node lifecycle
 * controller taints the node within seconds. Unknown is what that controller writes. A time in the future counts as now.
 */
function reachOf(node: SeenNode, now: Instant): Pick<NodePlace, 'reach' | 'notReadySince'> {
  const ready = conditionOf(node, 'Ready');
  const since = instantOf(ready?.lastTransitionTime);
  if (ready?.status === 'True') return { reach: 'reachable' };
  const isByKubelet = ready !== undefined && ready.status !== 'Unknown';
  const tainted = (node.spec?.taints ?? [])
    .filter(({ key }) => awayTaints.includes(key))
    .map(({ timeAdded }) => instantOf(timeAdded));
  const sign = earliest([isByKubelet ? undefined : since, ...tainted]);
  const withoutSign = isByKubelet ? now : instantOf(node.metadata.creationTimestamp);
  const awaySince = Math.min(sign ?? withoutSign ?? now, now);
  return { reach: { awaySince }, notReadySince: Math.min(awaySince, since ?? now) };
}

/**
 * Where a node is that is Ready, and that taints of its absence still keep new pods off: away since the earliest of them was added. One
 * without a time may have come after the last pod was ended there, so it counts as new. A pod that is there serves, or is about to, and
 * its kubelet says whether it does.
 */
export function stillTainted(
  node: SeenNode,
  tolerations: readonly Toleration[],
  hasPod: boolean,
  now: Instant,
): Reach {
  const taints = (node.spec?.taints ?? []).filter(
    (taint) => awayTaints.includes(taint.key) && untoleratedTaint([taint], tolerations) !== undefined,
  );
  const added = hasPod ? undefined : earliest(taints.map(({ timeAdded }) => instantOf(timeAdded)));
  const [first] = taints;
  return { awaySince: Math.min(added ?? now, now), ...(first === undefined ? {} : { taint: first.key }) };
}

/** A pod on a node, or the one that would be made there. */
export interface PlacedPod {
  /** Taints of the node's absence keep a new one off. */
  readonly isKeptOff: boolean;
  readonly tolerations: readonly Toleration[];
  /** One is there. */
  readonly hasPod: boolean;
}

/** Where a node stands for its pod. It is back when it is Ready and its taints let a pod be made on it again. */
export function podPlace(
  node: SeenNode,
  { isKeptOff, tolerations, hasPod }: PlacedPod,
  now: Instant,
): Omit<NodePlace, 'notReadySince'> & {
  /** To be compared with what the kubelet reports of the pod; undefined: the node is not away. */
  readonly awaySince: Instant | undefined;
} {
  const { reach: found, notReadySince, ...zone } = nodePlace(node, now);
  const reach = found === 'reachable' && isKeptOff ? stillTainted(node, tolerations, hasPod, now) : found;
  return {
    ...zone,
    reach,
    awaySince: reach === 'reachable' ? undefined : (notReadySince ?? reach.awaySince),
  };
}

/** Since when a node is away; undefined: it is Ready. */
export function awaySince(node: SeenNode, now: Instant): Instant | undefined {
  const { reach } = reachOf(node, now);
  return reach === 'reachable' ? undefined : reach.awaySince;
}

function isNamed(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}
