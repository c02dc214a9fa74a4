import { compareTexts } from '@atoll/kube';

/** A subset and what it has now; a subset without a child has 0. */
export interface Counted {
  readonly name: string;
  readonly replicas: number;
}

/**
 * Spreads a total so that no two subsets differ by more than one. What does not divide goes to those that have most
 * already, to the last by name among equals: that moves the least, and a second time nothing.
 */
export function evenOut(total: number, subsets: readonly Counted[]): ReadonlyMap<string, number> {
  const base = Math.floor(total / subsets.length);
  const extra = total % subsets.length;
  const ordered = subsets.toSorted((a, b) => b.replicas - a.replicas || compareTexts(b.name, a.name));
  return new Map(ordered.map(({ name }, i) => [name, i < extra ? base + 1 : base]));
}
