import type { SubsetNumbers, SubsetStanding } from './allocation.ts';

/** A subset of the spec and where it stands; undefined where it has no child. */
export interface Subset extends SubsetNumbers {
  readonly standing: SubsetStanding | undefined;
}

/** What an allocator decides. */
export interface Decision {
  /** By subset name. */
  readonly replicas: ReadonlyMap<string, number>;
  /** Which numbers of the spec are not met, with the arithmetic. */
  readonly problems: readonly string[];
}

/** What the subset has now. */
export function presentReplicas({ standing }: Subset): number {
  return standing?.replicas ?? 0;
}

/** `a 1, b 2 and 3 more`: enough to check a sum by, in a condition's message. */
export function listNumbers(numbers: Iterable<readonly [name: string, value: string | number]>): string {
  return listNames([...numbers].map(([name, value]) => `${name} ${value}`));
}

/** `a, b and 3 more`. */
export function listNames(names: readonly string[]): string {
  const shown = names.slice(0, shownAtMost).join(', ');
  return names.length <= shownAtMost ? shown : `${shown} and ${names.length - shownAtMost} more`;
}

const shownAtMost = 5;
