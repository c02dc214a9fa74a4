import { compileSelector, scaleIntOrPercent, selectorMatches } from '@atoll/kube';
import type { Node, Selector, Stored } from '@atoll/kube';
import { isReadyNode } from '../../engine/rollout/nodes.ts';
import type { CanaryStrategy } from '../read-strategy.ts';

/** A node on which a canary may run. */
export interface CanaryCandidate {
  readonly node: Stored<Node>;
  /** Restarts of the object's pods there. */
  readonly restarts: number;
}

export interface CanaryNodes {
  /** In the order in which they were chosen. */
  readonly nodes: readonly string[];
  readonly wanted: number;
  /** The canary's own selector cannot be understood. */
  readonly problem?: string;
}

/**
 * The nodes of a canary. Those that are recorded stay as long as they fit; a lost one is replaced, and a smaller number shrinks the list from
 * its end (BUG-17). New ones are Ready, have the fewest restarts, and are spread over the values of `nodeAntiAffinityKeys`: of the nodes that
 * fit alone (BUG-5), and where there are fewer values than nodes wanted, evenly. Fewer than wanted are no error (BUG-4).
 */
export function chooseCanaryNodes(
  {
    replicas,
    nodeSelector,
    antiAffinityKeys,
  }: Pick<CanaryStrategy, 'replicas' | 'nodeSelector' | 'antiAffinityKeys'>,
  recorded: readonly string[],
  fitting: readonly CanaryCandidate[],
): CanaryNodes {
  const selector = selectorOf(nodeSelector);
  if (typeof selector === 'string') return { nodes: recorded, wanted: recorded.length, problem: selector };
  const wanted = scaleIntOrPercent(replicas, fitting.length, 'up');
  const selected = fitting.filter(({ node }) => selectorMatches(selector, node.metadata.labels));
  const byName = new Map(selected.map((each) => [each.node.metadata.name, each]));
  const kept = recorded.flatMap((name) => byName.get(name) ?? []).slice(0, wanted);
  const taken = new Set(kept);
  const open = selected.filter((each) => !taken.has(each) && isReadyNode(each.node)).sort(fewestRestarts);
  const bucketOf = ({ node }: CanaryCandidate): string =>
    antiAffinityKeys.map((key) => node.metadata.labels?.[key] ?? '').join('$');
  const sizes = new Map<string, number>();
  for (const each of kept) sizes.set(bucketOf(each), (sizes.get(bucketOf(each)) ?? 0) + 1);
  const chosen = [...kept];
  while (chosen.length < wanted && open.length > 0) {
    // The bucket with the fewest; among equals the node that comes first.
    let best = 0;
    if (antiAffinityKeys.length > 0) {
      for (const [index, each] of open.entries()) {
        const [size, least] = [each, open[best]].map((one) =>
          one === undefined ? 0 : (sizes.get(bucketOf(one)) ?? 0),
        );
        if ((size ?? 0) < (least ?? 0)) best = index;
      }
    }
    const [next] = open.splice(best, 1);
    if (next === undefined) break;
    sizes.set(bucketOf(next), (sizes.get(bucketOf(next)) ?? 0) + 1);
    chosen.push(next);
  }
  return { nodes: chosen.map(({ node }) => node.metadata.name), wanted };
}

function selectorOf(selector: CanaryStrategy['nodeSelector']): Selector | string {
  try {
    return compileSelector(selector, 'spec.strategy.canary.nodeSelector');
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function fewestRestarts(a: CanaryCandidate, b: CanaryCandidate): number {
  return a.restarts - b.restarts || (a.node.metadata.name < b.node.metadata.name ? -1 : 1);
}
