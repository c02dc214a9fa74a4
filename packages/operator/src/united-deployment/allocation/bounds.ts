import { readShare } from './share.ts';
import { listNumbers, presentReplicas, type Subset } from './subset.ts';

/** A subset with `minReplicas` and `maxReplicas` as numbers. */
export interface BoundedSubset {
  readonly subset: Subset;
  readonly min: number;
  /** Infinity where there is none. */
  readonly max: number;
  /** The minimum was above the maximum: `min` and `max` are the two in their order. */
  readonly contradictory: boolean;
}

export interface Bounds {
  readonly total: number;
  readonly subsets: readonly BoundedSubset[];
  readonly problems: readonly string[];
}

/**
 * Reads the bounds of all subsets. `minReplicas` left out is 0, `maxReplicas` left out is no limit, and what is no number
 * counts as left out. A minimum above its maximum is read as the range between the two, whichever was meant: that holds
 * what either number asks for as nearly as both allow. `replicas` beside bounds counts for nothing.
 *
 * Without a total it is what `replicas` of the subsets add up to where each gives a number, as it is filled in (docs/decisions/0008). Otherwise the
 * workload keeps what it has at present: an omission scales nothing. A percentage of such a total is none, or the workload would shrink with every look at it.
 */
export function readBounds(
  given: number | undefined,
  subsets: readonly Subset[],
  present: (subset: Subset) => number = presentReplicas,
): Bounds {
  const problems: string[] = [];
  const total = given ?? sumOfNumbers(subsets);
  const all = total ?? subsets.reduce((sum, subset) => sum + present(subset), 0);
  if (total === undefined) {
    problems.push(
      'spec.replicas is not set, and minReplicas and maxReplicas need it: the total stays what the subsets have now',
    );
  }
  const useless = subsets.filter(({ replicas }) => replicas !== undefined);
  if (useless.length > 0) {
    const listed = listNumbers(useless.map(({ name, replicas }) => [name, JSON.stringify(replicas)]));
    const counts = given === total ? 'counts for nothing' : `counts only for the total of ${all}`;
    problems.push(
      `replicas of subsets (${listed}) ${counts} beside minReplicas, maxReplicas or scheduleStrategy Adaptive`,
    );
  }
  const bounded = subsets.map((subset): BoundedSubset => {
    const min = bound(subset, 'minReplicas', total, problems) ?? 0;
    const max = bound(subset, 'maxReplicas', total, problems) ?? Infinity;
    // Nothing contradicts where there is nothing to give: a percentage of 0 is 0.
    const contradictory = min > max && total !== 0;
    if (contradictory) problems.push(contradiction(subset, min, max));
    return { subset, min: Math.min(min, max), max: contradictory ? min : max, contradictory };
  });
  const most = bounded.reduce((sum, { max }) => sum + max, 0);
  if (total !== undefined && most < total) {
    const listed = listNumbers(bounded.map(({ subset, max }) => [subset.name, max]));
    problems.push(
      `maxReplicas of the subsets add up to ${most} (${listed}), less than spec.replicas ${total}: ${total - most} have no place`,
    );
  }
  return { total: all, subsets: bounded, problems };
}

/** undefined: not every subset gives a number. */
function sumOfNumbers(subsets: readonly Subset[]): number | undefined {
  const numbers = subsets.flatMap(({ replicas }) => readShare(replicas, undefined)?.replicas ?? []);
  if (numbers.length < subsets.length) return undefined;
  return numbers.reduce((sum, number) => sum + number, 0);
}

function bound(
  subset: Subset,
  field: 'minReplicas' | 'maxReplicas',
  total: number | undefined,
  problems: string[],
): number | undefined {
  const value = subset[field];
  if (value === undefined) return undefined;
  const share = readShare(value, total);
  if (share === undefined) {
    const what =
      readShare(value, 0) === undefined ? 'no number and no percentage' : 'a percentage of nothing';
    problems.push(
      `${field} ${JSON.stringify(value)} of subset ${subset.name} is ${what}: it counts as left out`,
    );
  }
  return share?.replicas;
}

function contradiction({ name, minReplicas, maxReplicas }: Subset, min: number, max: number): string {
  const shown = (value: unknown, number: number): string =>
    typeof value === 'string' ? `${value} = ${number}` : String(number);
  return `minReplicas ${shown(minReplicas, min)} of subset ${name} is more than its maxReplicas ${shown(maxReplicas, max)}: it is kept between the two`;
}
