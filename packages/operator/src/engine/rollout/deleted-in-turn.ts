import type { Instant } from '@atoll/kube';
import { refusedRetryMs } from '../executor/answers/refusals.ts';
import type { RolloutLimits } from './choose-targets.ts';
import { rankedBy } from './order.ts';

/** So many pods whose deletion was refused, or variants that were, are tried again at a time: they may stay refused for long. */
export const triedAgainAtMost = 20;

/** The number of the present turn: it passes with the interval of retries. */
export function turnAt(now: Instant): number {
  return Math.floor(now / refusedRetryMs);
}

/**
 * The place of each pod whose deletion was refused among those that are deleted. As many are passed with each turn as are tried at a time, and with each
 * round one more: where there is one place for all, each one is first in one of the rounds.
 */
export function deletedInTurn(nodes: readonly string[], now: Instant): ReadonlyMap<string, number> {
  const turns = Math.max(1, Math.ceil(nodes.length / triedAgainAtMost));
  const passed = turnAt(now);
  const first =
    ((passed % turns) * triedAgainAtMost + Math.floor(passed / turns)) % Math.max(1, nodes.length);
  return new Map(beginningAt([...nodes].sort(), first).map((node, index) => [node, index]));
}

/** The limit that puts the targets whose deletion was refused after all others, in their turn; they are the keys. */
export function refusedLast(
  undeletable: ReadonlyMap<string, unknown>,
  now: Instant,
): Pick<RolloutLimits, 'last'> {
  if (undeletable.size === 0) return {};
  const turn = deletedInTurn([...undeletable.keys()], now);
  return { last: rankedBy(({ id }) => turn.get(id) ?? -1) };
}

/** All of them, from one on. */
export function beginningAt<T>(all: readonly T[], first: number): readonly T[] {
  return [...all.slice(first), ...all.slice(0, first)];
}
