import type { DaemonSet, Instant, Node, Pod, Stored } from '@atoll/kube';
import { isTerminating } from '../../children/child.ts';
import { isActive } from '../../children/pods/pod-facts.ts';
import { healthOfPod } from '../../engine/rollout/health.ts';
import { allTolerations, fitsNode, type PlacedPodSpec } from '../../engine/rollout/node-fit.ts';
import { nodePlace, stillTainted, withLastingTaints } from '../../engine/rollout/nodes.ts';
import type { At, Health, Reach, Target } from '../../engine/rollout/target.ts';
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
  const minReadySeconds = spec?.minReadySeconds ?? 0;
  const byNode = groupByNode(pods);
  return nodes
    .filter((node) => !isTerminating(node))
    .map((node) => ({ node, fitsNow: fitsNode(template, node) }))
    .filter(({ node, fitsNow }) => fitsNow || fitsNode(template, withLastingTaints(node)))
    .map(({ node, fitsNow }): NodeTarget => {
      const { name: id, labels = {} } = node.metadata;
      const { zone, reach: seenReach, notReadySince } = nodePlace(node, now);
      const all = byNode.get(id) ?? [];
      const live = all.filter(isActive);
      const [pod, second] = live;
      // A node is back when it is Ready and its taints let the DaemonSet controller make a pod on it again.
      const reach: Reach =
        seenReach === 'reachable' && !fitsNow
          ? stillTainted(node, allTolerations(template), pod !== undefined, now)
          : seenReach;
      const place = {
        id,
        labels,
        reach,
        wanted: latest.hash,
        ...(zone === undefined ? {} : { zone }),
      };
      if (pod === undefined) {
        const [ended] = all;
        const at = ended === undefined ? 'nothing' : atOf(ended, latest);
        const ending = all.find(isTerminating);
        const target: Target = { ...place, at, health: 'gone' };
        return { target, seen: node, pod, ...(ending === undefined ? {} : { ending }) };
      }
      if (second !== undefined) {
        // The DaemonSet controller ends all but one.
        const at: At = { revision: latest.hash };
        return { target: { ...place, at, health: 'starting' }, seen: node, pod: undefined };
      }
      const at = atOf(pod, latest);
      const awaySince = reach === 'reachable' ? undefined : (notReadySince ?? reach.awaySince);
      const isUntouched = awaySince !== undefined && !isLatest(pod, latest);
      const judged = healthOfPod(pod, {
        now,
        minReadySeconds,
        ...(awaySince === undefined ? {} : { awaySince }),
      });
      // We have not ended what is still of an older template: that its node went away is not our doing.
      const health: Health = isUntouched ? 'healthy' : judged.health;
      const availableAt = judged.healthyAt === undefined ? {} : { availableAt: judged.healthyAt };
      return { target: { ...place, at, health }, seen: node, pod, ...availableAt };
    });
}

function atOf(pod: Stored<Pod>, latest: LatestTemplate): At {
  if (isLatest(pod, latest)) return { revision: latest.hash };
  return { revision: hashOf(pod) ?? 'unknown' };
}

/** The node that a pod is bound to, or that the DaemonSet controller made it for. */
export function nodeOf(pod: Pod): string | undefined {
  const { nodeName = '' } = pod.spec ?? {};
  return nodeName === '' ? nodeNamedBy(pod) : nodeName;
}

/** The node that the pod was made for, by its affinity alone. */
export function nodeNamedBy({ spec }: Pick<Pod, 'spec'>): string | undefined {
  const terms =
    spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  for (const { key, operator, values = [] } of (terms ?? []).flatMap(({ matchFields = [] }) => matchFields)) {
    if (key === 'metadata.name' && operator === 'In' && values.length === 1) return values[0];
  }
  return undefined;
}

/** By the node of {@link nodeOf}; a pod that names none is left out. */
export function groupByNode(pods: readonly Stored<Pod>[]): ReadonlyMap<string, readonly Stored<Pod>[]> {
  const byNode = new Map<string, Stored<Pod>[]>();
  for (const pod of pods) {
    const node = nodeOf(pod);
    if (node === undefined) continue;
    const found = byNode.get(node);
    if (found === undefined) byNode.set(node, [pod]);
    else found.push(pod);
  }
  return byNode;
}
