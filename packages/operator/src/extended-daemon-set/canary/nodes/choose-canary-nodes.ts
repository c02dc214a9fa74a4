import { compareTexts, compileSelector, scaleIntOrPercent, selectorMatches } from '@atoll/kube';
import type { Instant, Node, Selector, Stored } from '@atoll/kube';
import { earliestAfter } from '../../../engine/earliest.ts';
import type { CanaryStrategy } from '../../read-strategy.ts';
import { unresponsiveNodeCountsForMs } from '../../rolling/rolling-limits.ts';

/** The nodes on which a canary may run. */
export interface CanaryCandidates {
  readonly nodes: readonly Stored<Node>[];
  /** Nodes on which one runs and stays, and none can be made: somebody tainted them `NoSchedule`. */
  readonly staying: readonly Stored<Node>[];
  /** Since when a node is not Ready, or a taint of its absence keeps new pods off; undefined: a pod can be made there now. */
  readonly awaySince: (node: Stored<Node>) => Instant | undefined;
  /** Restarts of the object's pods on a node. */
  readonly restartsOn: (node: string) => number;
  /** A container of a canary's pod has run there. */
  readonly hasStarted: (node: string) => boolean;
}

export interface CanaryNodes {
  /** In the order in which they were chosen. */
  readonly nodes: readonly string[];
  /** How many more it is to have than can take its pod; undefined: none. */
  readonly missing?: number;
  /** When a node that is away now is given up, if it is not back. */
  readonly requeueAt?: Instant | undefined;
  /** The canary's own selector cannot be understood. */
  readonly problem?: string;
}

/** So many nodes are given up because the pod was refused there: what refuses more is mostly not a matter of the node. */
const refusedGivenUp = 3;

/**
 * The nodes of a canary. Those that are recorded stay as long as they fit; a lost one is replaced, and a smaller number shrinks the list from
 * its end (BUG-17). Lost is also one that has been away for a minute before the canary started there, where another one can take its place: not Ready, or with
 * a taint of its absence that the template does not tolerate.
 * And so is one on which its pod was refused, where another one can take its place: up to three. `isRefused`: whether it was there, and runs none.
 *
 * One on which it has started stays: it may be away because of it, and the next one would be too. So does one with a taint that ends no pod, as
 * long as the canary runs there.
 *
 * New ones are not away, have the fewest restarts, and are spread over the values of `nodeAntiAffinityKeys`: of the nodes that fit alone (BUG-5),
 * and where there are fewer values than nodes wanted, evenly. Fewer than wanted are no error (BUG-4).
 */
export function chooseCanaryNodes(
  {
    replicas,
    nodeSelector,
    antiAffinityKeys,
  }: Pick<CanaryStrategy, 'replicas' | 'nodeSelector' | 'antiAffinityKeys'>,
  recorded: readonly string[],
  { nodes: fitting, staying, awaySince, restartsOn, hasStarted }: CanaryCandidates,
  isRefused: (node: string) => boolean,
  now: Instant,
): CanaryNodes {
  const selector = selectorOf(nodeSelector);
  if (typeof selector === 'string') return { nodes: recorded, problem: selector };
  const tainted = staying.filter(({ metadata }) => recorded.includes(metadata.name));
  const wanted = scaleIntOrPercent(replicas, fitting.length + tainted.length, 'up');
  const selectedOf = (all: readonly Stored<Node>[]): ReadonlyMap<string, Stored<Node>> =>
    new Map(
      all
        .filter(({ metadata }) => selectorMatches(selector, metadata.labels))
        .map((node) => [node.metadata.name, node]),
    );
  const selected = selectedOf(fitting);
  const mayStay = selectedOf([...fitting, ...tainted]);
  const present = recorded.flatMap((name) => mayStay.get(name) ?? []);
  const givenUpAt = (node: Stored<Node>): Instant => {
    const since = hasStarted(node.metadata.name) ? undefined : awaySince(node);
    return since === undefined ? Infinity : since + unresponsiveNodeCountsForMs.tolerated;
  };
  const refusedOf = (all: readonly Stored<Node>[]): readonly Stored<Node>[] =>
    all.filter(({ metadata }) => isRefused(metadata.name));
  const taken = new Set(present.map(({ metadata }) => metadata.name));
  const others = [...selected.values()].filter(({ metadata }) => !taken.has(metadata.name));
  const mayGiveUp = Math.max(0, refusedGivenUp - refusedOf(others).length);
  const refused = new Set(refusedOf(present).slice(0, mayGiveUp));
  const isLost = (node: Stored<Node>): boolean => refused.has(node) || givenUpAt(node) <= now;
  const kept = present.filter((node) => !isLost(node)).slice(0, wanted);
  const requeueAt = earliestAfter(now, kept.map(givenUpAt).filter(Number.isFinite));
  const names = kept.map(({ metadata }) => metadata.name);
  if (kept.length === wanted) return { nodes: names, requeueAt };
  const rankOf = rankAmongAlike(antiAffinityKeys);
  for (const node of kept) rankOf(node);
  const more = others
    .filter((node) => awaySince(node) === undefined)
    .map((node) => ({ node, restarts: restartsOn(node.metadata.name) }))
    .sort(fewestRestarts)
    .map(({ node }) => ({ name: node.metadata.name, rank: rankOf(node) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ name }) => name);
  const lost = present.filter(isLost).map(({ metadata }) => metadata.name);
  // Of several that cannot take the pod the ones stay that are recorded: the canary must not go round.
  const next = [...more.filter((name) => !isRefused(name)), ...lost, ...more.filter(isRefused)];
  const all = [...names, ...next].slice(0, wanted);
  const missing = wanted - all.length;
  return { nodes: inOrderOf(recorded, all), ...(missing === 0 ? {} : { missing }), requeueAt };
}

/** Those that are recorded in their order, then the others: the same nodes in another order would be written again each time. */
function inOrderOf(recorded: readonly string[], chosen: readonly string[]): readonly string[] {
  return [
    ...recorded.filter((name) => chosen.includes(name)),
    ...chosen.filter((name) => !recorded.includes(name)),
  ];
}

/** Ranks nodes that have the same values of the keys: 0 for the first that is passed, 1 for the second. */
function rankAmongAlike(keys: readonly string[]): (node: Stored<Node>) => number {
  const ranked = new Map<string, number>();
  return ({ metadata: { labels } }) => {
    const values = keys.map((key) => labels?.[key] ?? '').join('$');
    const rank = ranked.get(values) ?? 0;
    ranked.set(values, rank + 1);
    return rank;
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
  return a.restarts - b.restarts || compareTexts(a.node.metadata.name, b.node.metadata.name);
}
