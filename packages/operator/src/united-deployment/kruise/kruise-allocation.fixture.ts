import type { Subset } from '@atoll/api';

/** By subset. */
export type KruiseNumbers = Readonly<Record<string, number>>;

/**
 * What Kruise allocates (`reference/uniteddeployment.md` 3.7.1 to 3.7.6) where all pods of `current` are ready and every subset has room;
 * undefined: it stops, and its children stay as they are.
 */
export function allocateByKruise(
  total: number,
  subsets: readonly Subset[],
  strategy: 'Fixed' | 'Adaptive',
  current: KruiseNumbers | undefined,
): KruiseNumbers | undefined {
  const isBounded = subsets.some(
    ({ minReplicas, maxReplicas }) => (minReplicas ?? maxReplicas) !== undefined,
  );
  return isBounded || strategy === 'Adaptive'
    ? byBounds(total, subsets, strategy === 'Adaptive' ? (current ?? {}) : {})
    : bySpecified(total, subsets, current ?? {});
}

function bySpecified(
  total: number,
  subsets: readonly Subset[],
  current: KruiseNumbers,
): KruiseNumbers | undefined {
  const given = subsets.flatMap(({ name, replicas }) =>
    replicas === undefined ? [] : [[name, shareOf(total, replicas)] as const],
  );
  const sum = given.reduce((all, [, replicas]) => all + replicas, 0);
  const others = subsets.filter(({ replicas }) => replicas === undefined);
  if (sum > total || (sum < total && others.length === 0)) return undefined;
  const base = Math.floor((total - sum) / Math.max(others.length, 1));
  const extra = (total - sum) % Math.max(others.length, 1);
  const sorted = others
    .map(({ name }) => name)
    .toSorted((a, b) => (current[a] ?? 0) - (current[b] ?? 0) || (a < b ? -1 : 1));
  const spread = sorted.map(
    (name, index) => [name, base + (index >= sorted.length - extra ? 1 : 0)] as const,
  );
  return Object.fromEntries([...given, ...spread]);
}

function byBounds(
  total: number,
  subsets: readonly Subset[],
  ready: KruiseNumbers,
): KruiseNumbers | undefined {
  const bounds = subsets.map(({ name, minReplicas = 0, maxReplicas }) => ({
    name,
    min: shareOf(total, minReplicas),
    max: maxReplicas === undefined ? Infinity : shareOf(total, maxReplicas),
  }));
  if (bounds.some(({ min, max }) => min > max)) return undefined;
  let left = total;
  const given: Record<string, number> = {};
  const give = (name: string, upTo: number): void => {
    const more = Math.min(Math.max(upTo - (given[name] ?? 0), 0), left);
    given[name] = (given[name] ?? 0) + more;
    left -= more;
  };
  // Ready pods of earlier subsets come before minima of later ones.
  for (const { name, min, max } of bounds) give(name, Math.min(Math.max(ready[name] ?? 0, min), max));
  for (const { name, max } of bounds) give(name, max);
  return given;
}

function shareOf(total: number, value: number | string): number {
  return typeof value === 'number' ? value : Math.floor((total * Number.parseInt(value, 10)) / 100 + 0.5);
}

/** A subset in reservation mode. */
export interface Reserved {
  /** Its child's `spec.replicas`. */
  readonly replicas: number;
  /** How many of its pods are reserved. */
  readonly reserved: number;
}

/** What Kruise allocates where it reserves pods (3.7.7). A subset that is not in `current` has no child. */
export function allocateReservingByKruise(
  total: number,
  subsets: readonly Subset[],
  current: Readonly<Record<string, Reserved>>,
): KruiseNumbers {
  const given: Record<string, number> = {};
  const room = new Map(
    Object.entries(current).flatMap(([name, { replicas, reserved }]) =>
      reserved === 0 ? [] : [[name, replicas - reserved] as const],
    ),
  );
  let left = total;
  const give = (name: string, upTo: number): void => {
    if (left <= 0) return;
    const more = Math.min(upTo - (given[name] ?? 0), left);
    given[name] = (given[name] ?? 0) + more;
    const rest = (room.get(name) ?? Infinity) - more;
    room.set(name, rest);
    left -= rest >= 0 ? more : Math.max(0, more + rest);
  };
  for (const { name, minReplicas = 0 } of subsets) {
    given[name] = 0;
    give(name, shareOf(total, minReplicas));
  }
  for (const { name, maxReplicas } of subsets) {
    const { replicas = 0, reserved = 0 } = current[name] ?? {};
    const most = maxReplicas === undefined ? Infinity : shareOf(total, maxReplicas);
    give(name, reserved > 0 ? replicas : most);
  }
  return given;
}
