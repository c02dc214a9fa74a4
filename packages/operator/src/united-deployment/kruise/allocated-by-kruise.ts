import type { Subset } from '@atoll/api';
import type { IntOrPercent } from '@atoll/kube';
import type { AllocationMode } from '../allocation/allocate.ts';
import { readShare } from '../allocation/share.ts';
import type { Understood } from '../decision.ts';

type Numbers = Readonly<Record<string, number>>;

/**
 * Whether Kruise would leave these numbers of the subsets, or has left them so and nobody has changed one of the spec since. `isCarriedOut`: its status is of
 * this generation; that may be so, too, because we reported only that Kruise serves the object, so the total must be met all the same.
 */
export function isLeftSo(
  numbers: Numbers,
  desired: Understood,
  mode: AllocationMode,
  isCarriedOut: boolean,
): boolean {
  if (stopsKruise(desired, mode)) return true;
  if (isCarriedOut && meetsTotal(numbers, desired)) return true;
  // Fixed numbers are allocated here as there, so others are of a spec that was changed.
  return mode === 'adaptive' && staysForKruise(numbers, desired);
}

/**
 * Whether Kruise cannot allocate these numbers (`reference/uniteddeployment.md` 3.7.3 and 3.7.5): it changes no child then, and writes no status.
 */
function stopsKruise({ total, places }: Understood, mode: AllocationMode): boolean {
  const subsets = places.map(({ spec }) => spec);
  const read = (value: IntOrPercent | undefined): number | undefined => readShare(value, total)?.replicas;
  if (mode !== 'fixed' || areBounded(subsets))
    return subsets.some((each) => (read(each.minReplicas) ?? 0) > (read(each.maxReplicas) ?? Infinity));
  const shares = subsets.flatMap(({ replicas }) => read(replicas) ?? []);
  const areAll = shares.length === subsets.length;
  if (total === undefined) return !areAll;
  const sum = shares.reduce((all, each) => all + each, 0);
  return sum > total || (areAll && sum < total);
}

/** Whether they add up to the total, or each subset has its maximum. */
function meetsTotal(numbers: Numbers, { total, places }: Understood): boolean {
  const sum = places.reduce((all, { name }) => all + (numbers[name] ?? 0), 0);
  if (total === undefined || sum === total) return true;
  return places.every(({ name, spec }) => numbers[name] === readShare(spec.maxReplicas, total)?.replicas);
}

/** Whether Kruise, adaptive, would give the same again if all pods were ready (3.7.6): ready pods come before the minimum of a later subset. */
function staysForKruise(numbers: Numbers, desired: Understood): boolean {
  const { total, places } = desired;
  let left = total ?? 0;
  for (const { name, spec } of places) {
    const here = numbers[name] ?? 0;
    const min = readShare(spec.minReplicas, total)?.replicas ?? 0;
    const max = readShare(spec.maxReplicas, total)?.replicas ?? Infinity;
    if (here !== Math.min(Math.max(here, min), max, left)) return false;
    left -= here;
  }
  return meetsTotal(numbers, desired);
}

/** Whether `replicas` of subsets do not count. */
export function areBounded(subsets: readonly Subset[]): boolean {
  return subsets.some(({ minReplicas, maxReplicas }) => (minReplicas ?? maxReplicas) !== undefined);
}
