import { readBounds, type BoundedSubset } from './bounds.ts';
import { levelOut } from './level-out.ts';
import { presentReplicas, type Decision, type Subset } from './subset.ts';

/**
 * By `minReplicas` and `maxReplicas` (`reference/uniteddeployment.md`, 3.7.5): in the order of the spec first what each
 * must have, then what each may have. A total below the sum of the minima serves the first ones first; that is what a
 * minimum means here and no trouble.
 *
 * The fallback where a minimum is above its maximum: water-filling from what is, each subset within its bounds, so that
 * a slip of the pen moves as little as can be. Where the maxima add up to less than the total each gets its maximum and
 * the rest has no place: a maximum is a limit that somebody set on purpose, of capacity or of cost.
 */
export function allocateByBounds(total: number | undefined, subsets: readonly Subset[]): Decision {
  const { problems, ...bounds } = readBounds(total, subsets);
  if (bounds.subsets.some(({ contradictory }) => contradictory)) {
    const boundedSubsets = bounds.subsets.map(({ subset, min, max }) => {
      return { name: subset.name, replicas: presentReplicas(subset), min, max };
    });
    return { replicas: levelOut(bounds.total, boundedSubsets), problems };
  }
  const budget = new Budget(bounds.total);
  for (const { subset, min } of bounds.subsets) budget.giveUpTo(subset.name, min);
  for (const { subset, max } of bounds.subsets) budget.giveUpTo(subset.name, max);
  return { replicas: budget.given, problems };
}

/**
 * Adaptive without reservation (3.7.6): the same with bounds bent by what is known of the pods. First each gets its
 * minimum, then as many as are ready there, so that no ready pod is moved for any but a minimum's sake; a subset that had
 * no room for pods then as many as have a node, so that only those go that found none; then each of the others keeps what it has, and after that may
 * have its maximum. (The old operator kept ready pods of earlier subsets before minima of later ones, so that a minimum could be ignored for ever. And
 * it moved pods that were starting, so that each step of a rollout took replicas from the subset that rolled.)
 *
 * What is then left because no subset with room may have more stays where it is, and beyond that goes to the subsets
 * without room, in the order of the spec: pending pods are what a cluster grows by, and a total is never silently less.
 *
 * The fallback where a minimum is above its maximum: the subset stays where it is, drawn between the two; the others are
 * served as ever, because what is known of their pods still holds.
 */
export function allocateAdaptively(total: number | undefined, subsets: readonly Subset[]): Decision {
  const { problems, ...bounds } = readBounds(total, subsets);
  const bounded = bounds.subsets.map(withoutContradiction);
  const budget = new Budget(bounds.total);
  const bent = bounded.map(bendByPods);
  for (const { subset, min } of bounded) budget.giveUpTo(subset.name, min);
  for (const { subset, min } of bent) budget.giveUpTo(subset.name, min);
  for (const { subset, max } of bounded)
    budget.giveUpTo(subset.name, Math.min(scheduledWithoutRoom(subset), max));
  for (const { subset, max } of bent) budget.giveUpTo(subset.name, Math.min(presentReplicas(subset), max));
  for (const { subset, max } of bent) budget.giveUpTo(subset.name, max);
  for (const { subset, max } of bounded) budget.giveUpTo(subset.name, Math.min(presentReplicas(subset), max));
  for (const { subset, max } of bounded) budget.giveUpTo(subset.name, max);
  return { replicas: budget.given, problems };
}

/** A subset whose bounds contradict each other is held where it is, as near as the range between them allows. */
export function withoutContradiction(bounded: BoundedSubset): BoundedSubset {
  if (!bounded.contradictory) return bounded;
  const here = Math.min(Math.max(presentReplicas(bounded.subset), bounded.min), bounded.max);
  return { ...bounded, min: here, max: here };
}

/** No bend leaves what the user wrote as maximum. */
function bendByPods(bounded: BoundedSubset): BoundedSubset {
  const { standing } = bounded.subset;
  const ready = standing?.readyReplicas ?? 0;
  const min = Math.min(Math.max(ready, bounded.min), bounded.max);
  return { ...bounded, min, max: standing?.unschedulable === true ? min : bounded.max };
}

/** How many replicas keep the pods that have a node, in a subset that has none for others. */
function scheduledWithoutRoom({ standing }: Subset): number {
  return standing?.unschedulable === true ? standing.scheduledReplicas : 0;
}

/** A total that is given away. */
class Budget {
  readonly given = new Map<string, number>();
  private left: number;

  constructor(total: number) {
    this.left = total;
  }

  giveUpTo(name: string, wanted: number): void {
    const present = this.given.get(name) ?? 0;
    const more = Math.min(Math.max(wanted - present, 0), this.left);
    this.given.set(name, present + more);
    this.left -= more;
  }
}
