import type { DaemonSet, Instant, Node, Pod, Stored, Toleration } from '@atoll/kube';
import { isTerminating } from '../../children/child.ts';
import { groupByNode } from '../../children/pods/placement/node-of-pod.ts';
import { isActive } from '../../children/pods/pod-facts.ts';
import { healthOfPod } from '../../engine/rollout/health.ts';
import { allTolerations, fitsNode, type PlacedPodSpec } from '../../engine/rollout/node-fit.ts';
import { podPlace, withLastingTaints } from '../../engine/rollout/nodes.ts';
import type { At, Health, Target } from '../../engine/rollout/target.ts';
import { hashOf, isLatest, type LatestTemplate } from './pod-revision.ts';

/** A node on which the DaemonSet is to run a pod. */
export interface NodeTarget {
  readonly target: Target;
  /** The node as it was seen. */
  readonly seen: Stored<Node>;
  /** Its pod that is not ending; undefined: there is none, or there are several, of which the DaemonSet controller keeps one. */
  readonly pod: Stored<Pod> | undefined;
  /** Its pod that is being deleted, where no other one is there. */
  readonly ending?: Stored<Pod>;
  /** When the pod becomes available by time alone. */
  readonly availableAt?: Instant;
}

/** What the targets of a DaemonSet have in common. */
interface Rollout {
  readonly latest: LatestTemplate;
  readonly minReadySeconds: number;
  readonly tolerations: readonly Toleration[];
  readonly now: Instant;
}

/**
 * A target for each node on which the DaemonSet controller would make a pod today, in the order of the nodes. Pods on other nodes are
 * none of ours, nor are those on nodes that are gone: nobody replaces them.
 */
export function nodeTargets(
  { spec }: Stored<DaemonSet>,
  pods: readonly Stored<Pod>[],
  nodes: readonly Stored<Node>[],
  latest: LatestTemplate,
  now: Instant,
): readonly NodeTarget[] {
  const template = (spec?.template.spec ?? {}) as PlacedPodSpec;
  const { minReadySeconds = 0 } = spec ?? {};
  const rollout: Rollout = { latest, minReadySeconds, tolerations: allTolerations(template), now };
  const byNode = groupByNode(pods);
  return nodes.flatMap((node) => {
    if (isTerminating(node)) return [];
    const isKeptOff = !fitsNode(template, node);
    if (isKeptOff && !fitsNode(template, withLastingTaints(node))) return [];
    return [targetOf(node, isKeptOff, byNode.get(node.metadata.name) ?? [], rollout)];
  });
}

/** `isKeptOff`: taints of its absence keep a new pod off the node. */
function targetOf(
  node: Stored<Node>,
  isKeptOff: boolean,
  pods: readonly Stored<Pod>[],
  rollout: Rollout,
): NodeTarget {
  const { name: id, labels = {} } = node.metadata;
  const { latest, tolerations, now } = rollout;
  const [pod, second] = pods.filter(isActive);
  const { awaySince, ...place } = podPlace(node, { isKeptOff, tolerations, hasPod: pod !== undefined }, now);
  const about = { id, labels, wanted: latest.hash, ...place };
  if (pod === undefined) return { seen: node, ...withoutPod(about, pods, latest) };
  // The DaemonSet controller ends all but one.
  if (second !== undefined) {
    const target: Target = { ...about, at: { revision: latest.hash }, health: 'starting' };
    return { seen: node, target, pod: undefined };
  }
  return { seen: node, ...withPod(about, pod, awaySince, rollout) };
}

type AboutTarget = Omit<Target, 'at' | 'health'>;

/** A node on which nothing serves: nothing at all, a pod that ends, or one that has ended. */
function withoutPod(
  about: AboutTarget,
  pods: readonly Stored<Pod>[],
  latest: LatestTemplate,
): Omit<NodeTarget, 'seen'> {
  const [ended] = pods;
  const at = ended === undefined ? 'nothing' : atOf(ended, latest);
  const ending = pods.find(isTerminating);
  const target: Target = { ...about, at, health: 'gone' };
  return { target, pod: undefined, ...(ending === undefined ? {} : { ending }) };
}

function withPod(
  about: AboutTarget,
  pod: Stored<Pod>,
  awaySince: Instant | undefined,
  { latest, minReadySeconds, now }: Rollout,
): Omit<NodeTarget, 'seen'> {
  const away = awaySince === undefined ? {} : { awaySince };
  const judged = healthOfPod(pod, { now, minReadySeconds, ...away });
  const isUntouched = awaySince !== undefined && !isLatest(pod, latest);
  // We have not ended what is still of an older template: that its node went away is not our doing.
  const health: Health = isUntouched ? 'healthy' : judged.health;
  const availableAt = judged.healthyAt === undefined ? {} : { availableAt: judged.healthyAt };
  return { target: { ...about, at: atOf(pod, latest), health }, pod, ...availableAt };
}

function atOf(pod: Stored<Pod>, latest: LatestTemplate): At {
  if (isLatest(pod, latest)) return { revision: latest.hash };
  return { revision: hashOf(pod) ?? 'unknown' };
}
