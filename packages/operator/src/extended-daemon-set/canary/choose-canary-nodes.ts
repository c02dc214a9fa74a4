import { compileSelector, scaleIntOrPercent, selectorMatches } from '@atoll/kube';
import type { Node, Selector, Stored } from '@atoll/kube';
import { isReadyNode } from '../../engine/rollout/nodes.ts';
import type { CanaryStrategy } from '../read-strategy.ts';

/** The nodes on which a canary may run. */
export interface CanaryCandidates {
  readonly nodes: readonly Stored<Node>[];
  /** Restarts of the object's pods on a node. */
  readonly restartsOn: (node: string) => number;
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
  { nodes: fitting, restartsOn }: CanaryCandidates,
): CanaryNodes {
  const selector = selectorOf(nodeSelector);
  if (typeof selector === 'string') return { nodes: recorded, wanted: recorded.length, problem: selector };
  const wanted = scaleIntOrPercent(replicas, fitting.length, 'up');
  const selected = new Map(
    fitting
      .filter(({ metadata }) => selectorMatches(selector, metadata.labels))
      .map((node) => [node.metadata.name, node]),
  );
  const kept = recorded.flatMap((name) => selected.get(name) ?? []).slice(0, wanted);
  const names = kept.map(({ metadata }) => metadata.name);
  if (kept.length === wanted) return { nodes: names, wanted };
  const turnOf = inTurn(antiAffinityKeys);
  for (const node of kept) turnOf(node);
  const taken = new Set(names);
  const more = [...selected.values()]
    .filter((node) => !taken.has(node.metadata.name) && isReadyNode(node))
    .map((node) => ({ node, restarts: restartsOn(node.metadata.name) }))
    .sort(fewestRestarts)
    .map(({ node }) => ({ name: node.metadata.name, turn: turnOf(node) }))
    .sort((a, b) => a.turn - b.turn)
    .slice(0, wanted - kept.length);
  return { nodes: [...names, ...more.map(({ name }) => name)], wanted };
}

/** How many nodes with the same values of the keys were asked about before. */
function inTurn(keys: readonly string[]): (node: Stored<Node>) => number {
  const asked = new Map<string, number>();
  return ({ metadata: { labels } }) => {
    const values = keys.map((key) => labels?.[key] ?? '').join('$');
    const turn = asked.get(values) ?? 0;
    asked.set(values, turn + 1);
    return turn;
  };
}

function selectorOf(selector: CanaryStrategy['nodeSelector']): Selector | string {
  try {
    return compileSelector(selector, 'spec.strategy.canary.nodeSelector');
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

interface Restarted {
  readonly node: Stored<Node>;
  readonly restarts: number;
}

function fewestRestarts(a: Restarted, b: Restarted): number {
  return a.restarts - b.restarts || (a.node.metadata.name < b.node.metadata.name ? -1 : 1);
}
