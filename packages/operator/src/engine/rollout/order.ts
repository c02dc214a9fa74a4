import type { Target } from './target.ts';

/**
 * One link of an order: for targets that the links before leave equal, and that are sorted by id, a key each; the smaller one
 * goes first, numbers before texts. Pure, so that the order never depends on chance.
 */
export type Ranking = (group: readonly Target[]) => (target: Target) => number | string;

/** The targets in the order of a chain of rankings: each decides what those before it leave open, and the id the rest. */
export function inOrder(targets: readonly Target[], chain: readonly Ranking[]): readonly Target[] {
  return refine(
    [...targets].sort((a, b) => compare(a.id, b.id)),
    chain,
  );
}

/** Ranks each target by itself. */
export function rankedBy(key: (target: Target) => number | string): Ranking {
  return () => key;
}

/** What serves nobody goes before what serves: to change it takes nothing away. */
export const unhealthyFirst: Ranking = rankedBy(
  ({ health }) => ({ broken: 0, gone: 0, starting: 1, healthy: 2 })[health],
);

/** The first of each group, then the second of each, and so on; what names no group is one of its own. */
function interleavedBy(groupOf: (target: Target) => string | undefined): Ranking {
  return (group) => {
    const sizes = new Map<string | undefined, number>();
    const ranks = new Map<Target, number>();
    for (const target of group) {
      const name = groupOf(target);
      const rank = sizes.get(name) ?? 0;
      sizes.set(name, rank + 1);
      ranks.set(target, rank);
    }
    return (target) => ranks.get(target) ?? 0;
  };
}

/** Zones in turn, so that a revision that breaks things breaks them in no zone alone. */
export const zonesInterleaved: Ranking = interleavedBy(({ zone }) => zone);

function refine(group: readonly Target[], [first, ...rest]: readonly Ranking[]): readonly Target[] {
  if (first === undefined || group.length < 2) return group;
  const keyOf = first(group);
  const alike = new Map<number | string, Target[]>();
  for (const target of group) {
    const key = keyOf(target);
    const found = alike.get(key);
    if (found === undefined) alike.set(key, [target]);
    else found.push(target);
  }
  return [...alike.entries()].sort(([a], [b]) => compare(a, b)).flatMap(([, each]) => refine(each, rest));
}

function compare(a: number | string, b: number | string): number {
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
