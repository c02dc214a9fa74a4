import { evenOut } from './even-out.ts';
import { levelOut } from './level-out.ts';
import { roundToSum } from './round-to-sum.ts';
import { readShare, type Share } from './share.ts';
import { listNames, listNumbers, presentReplicas, type Decision, type Subset } from './subset.ts';

/**
 * Every subset with `replicas` gets them, and the others divide the rest evenly (`reference/uniteddeployment.md`, 3.7.3).
 *
 * Percentages are rounded, and half of a replica counts as one. Where only that makes the sum wrong, because the exact
 * shares add up to the total, or to less and others take the rest, they are rounded by the largest remainder instead: percentages that add up to 100 work for every total.
 *
 * The fallback, where the numbers cannot be met whatever the rounding (more than the total, or less and nobody left to
 * take the rest): they count no more, and every subset is scaled by water-filling from what it has, so that a total
 * that is changed by an autoscaler or a person is always obeyed, with as few moves as it takes. In an empty world that is
 * an even spread.
 *
 * - A number that is none counts as left out.
 * - Without a total, subsets with a whole number get it and the others keep what they have: their sum is what the
 *   workload has now, so nothing is scaled by an omission. Where nothing is given and nothing is there, the total is 1,
 *   as for every workload of Kubernetes.
 */
export function allocateSpecified(total: number | undefined, subsets: readonly Subset[]): Decision {
  const asked = subsets.map((subset) => ({ subset, share: readShare(subset.replicas, total) }));
  const problems = asked.flatMap(({ subset, share }) => misreading(subset, share, total));
  const { replicas, problem } = total === undefined ? withoutTotal(asked) : withTotal(total, asked);
  return { replicas, problems: problem === undefined ? problems : [...problems, problem] };
}

interface Asked {
  readonly subset: Subset;
  readonly share: Share | undefined;
}

interface Given extends Asked {
  readonly share: Share;
}

interface Result {
  readonly replicas: ReadonlyMap<string, number>;
  readonly problem: string | undefined;
}

function withTotal(total: number, asked: readonly Asked[]): Result {
  const given = asked.filter((each): each is Given => each.share !== undefined);
  const open = asked.filter(({ share }) => share === undefined).map(counted);
  const sum = given.reduce((all, { share }) => all + share.replicas, 0);
  if (sum === total || (sum < total && open.length > 0)) {
    const specified = given.map(({ subset, share }) => [subset.name, share.replicas] as const);
    return { replicas: new Map([...specified, ...rest(total - sum, open)]), problem: undefined };
  }
  const hundredths = given.reduce((all, { share }) => all + share.hundredths, 0);
  if (hundredths === total * 100 || (hundredths < total * 100 && open.length > 0)) {
    const exact = given.map(({ subset, share }) => ({
      ...counted({ subset }),
      hundredths: share.hundredths,
    }));
    return { replicas: new Map([...roundToSum(total, exact), ...rest(0, open)]), problem: undefined };
  }
  const boundedSubsets = asked.map((each) => ({ ...counted(each), min: 0, max: Infinity }));
  return { replicas: levelOut(total, boundedSubsets), problem: wrongSum(total, sum, given) };
}

function withoutTotal(asked: readonly Asked[]): Result {
  const open = asked.filter(({ share }) => share === undefined);
  const sum = asked.reduce((all, { subset, share }) => all + (share?.replicas ?? presentReplicas(subset)), 0);
  const replicas =
    sum === 0 && open.length === asked.length
      ? evenOut(1, asked.map(counted))
      : new Map(asked.map(({ subset, share }) => [subset.name, share?.replicas ?? presentReplicas(subset)]));
  // What they have is no part of the message: a condition must not change with every scaling of a child.
  const names = listNames(open.map(({ subset }) => subset.name));
  const problem = `spec.replicas is not set, and replicas is not a whole number in ${names}, which keep what they have`;
  return { replicas, problem: open.length === 0 ? undefined : problem };
}

function rest(total: number, open: ReturnType<typeof counted>[]): ReadonlyMap<string, number> {
  return open.length === 0 ? new Map() : evenOut(total, open);
}

function counted({ subset }: Pick<Asked, 'subset'>): { readonly name: string; readonly replicas: number } {
  return { name: subset.name, replicas: presentReplicas(subset) };
}

function wrongSum(total: number, sum: number, given: readonly Given[]): string {
  const parts = given.map(({ subset, share }) => {
    const { replicas } = subset;
    return [
      subset.name,
      typeof replicas === 'string' ? `${replicas} = ${share.replicas}` : share.replicas,
    ] as const;
  });
  const relation = sum > total ? 'more than' : 'less than';
  return (
    `replicas of the subsets add up to ${sum} (${listNumbers(parts)}), ${relation} spec.replicas ${total}: ` +
    'they are ignored, and every subset is scaled from what it has'
  );
}

function misreading(
  { name, replicas }: Subset,
  share: Share | undefined,
  total: number | undefined,
): readonly string[] {
  if (replicas === undefined || share !== undefined) return [];
  // A percentage without a total is reported with the total.
  if (total === undefined && readShare(replicas, 0) !== undefined) return [];
  return [
    `replicas ${JSON.stringify(replicas)} of subset ${name} is no number and no percentage: it counts as left out`,
  ];
}
