import { compareTexts } from '@atoll/kube';

/** A subset between its bounds. */
export interface BoundedSubset {
  readonly name: string;
  /** What it has now; a subset without a child has 0. */
  readonly replicas: number;
  readonly min: number;
  /** Infinity where there is none. */
  readonly max: number;
}

/**
 * Water-filling: the smooth rescale from what is. Growing raises the lowest, the last by name among equals; shrinking
 * lowers the highest, the first by name among equals. So nobody is lowered while the total grows nor raised while it
 * shrinks, no more is moved than the difference, and where the sum is right nothing is.
 *
 * What stands outside its bounds is drawn into them first. Bounds end growing, and the sum stays short where all are at
 * their maximum; minima end shrinking until all are at theirs, and then count no more.
 */
export function levelOut(
  total: number,
  boundedSubsets: readonly BoundedSubset[],
): ReadonlyMap<string, number> {
  const levels: Level[] = boundedSubsets.map(({ name, replicas, min, max }) => ({
    name,
    min,
    max,
    replicas: Math.min(Math.max(replicas, min), max),
  }));
  const difference = total - sumOf(levels);
  if (difference > 0) raise(levels, difference);
  if (difference < 0) {
    const rest = lower(levels, -difference, ({ min }) => min);
    if (rest > 0) lower(levels, rest, () => 0);
  }
  return new Map(levels.map(({ name, replicas }) => [name, replicas]));
}

interface Level extends Omit<BoundedSubset, 'replicas'> {
  replicas: number;
}

/** One by one would be right too, and endless for a total of millions: the level is found by bisection. */
function raise(levels: readonly Level[], amount: number): void {
  const at = (level: Level, height: number): number => Math.max(level.replicas, Math.min(height, level.max));
  const cost = (height: number): number =>
    levels.reduce((sum, level) => sum + at(level, height) - level.replicas, 0);
  const height = greatest(Math.max(0, ...levels.map((level) => level.replicas)) + amount, (candidate) => {
    return cost(candidate) <= amount;
  });
  const rest = amount - cost(height);
  for (const level of levels) level.replicas = at(level, height);
  const next = levels.filter((level) => level.replicas === height && level.replicas < level.max);
  for (const level of next.toSorted((a, b) => compareTexts(b.name, a.name)).slice(0, rest))
    level.replicas += 1;
}

/** What could not be taken without going below the floor. */
function lower(levels: readonly Level[], amount: number, floor: (level: Level) => number): number {
  const at = (level: Level, height: number): number =>
    Math.min(level.replicas, Math.max(height, floor(level)));
  const gain = (height: number): number =>
    levels.reduce((sum, level) => sum + level.replicas - at(level, height), 0);
  const top = Math.max(0, ...levels.map((level) => level.replicas));
  const height = top - greatest(top, (depth) => gain(top - depth) <= amount);
  const rest = amount - gain(height);
  for (const level of levels) level.replicas = at(level, height);
  const next = levels.filter((level) => level.replicas === height && level.replicas > floor(level));
  const lowered = next.toSorted((a, b) => compareTexts(a.name, b.name)).slice(0, rest);
  for (const level of lowered) level.replicas -= 1;
  return rest - lowered.length;
}

/** The greatest whole number up to `high` that fits, at least 0; what is smaller than one that fits does so too. */
function greatest(high: number, fits: (candidate: number) => boolean): number {
  let [from, to] = [0, high];
  while (from < to) {
    const middle = from + Math.ceil((to - from) / 2);
    if (fits(middle)) from = middle;
    else to = middle - 1;
  }
  return from;
}

function sumOf(levels: readonly Level[]): number {
  return levels.reduce((sum, { replicas }) => sum + replicas, 0);
}
