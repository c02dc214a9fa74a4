import type { Hold, HoldCause } from '../hold.ts';
import { nameAFew } from '../status/conditions.ts';

/**
 * A hold as people read it, the same in condition, event and log: `bj, hz and 2 more: the pool has no nodes; waiting
 * until a node joins`. `named`: how many targets are named at most.
 */
export function describeHold(hold: Hold, named = 3): string {
  const { targets, count, causeOf } = hold;
  const where = count === 0 ? '' : `${nameTargets(targets, causeOf, named, count)}: `;
  return `${where}${describeCause(hold)}`;
}

/**
 * The targets of a message. Where the message is true of one alone, that one first: `bj (also hz and 2 more)`; otherwise
 * `bj, hz and 2 more`.
 */
export function nameTargets(
  targets: readonly string[],
  causeOf: string | undefined,
  named = 3,
  count = targets.length,
): string {
  if (causeOf === undefined) return nameAFew(targets, named, count);
  const others = targets.filter((target) => target !== causeOf);
  return `${causeOf} (also ${nameAFew(others, Math.max(1, named - 1), count - 1)})`;
}

/** The same without the names of what is held. */
export function describeCause({ problem, waitingUntil }: HoldCause): string {
  if (waitingUntil === undefined) return problem ?? '';
  const waiting = `waiting until ${waitingUntil}`;
  // A server's message may end with a full stop.
  return problem === undefined ? waiting : `${problem.replace(/\.$/, '')}; ${waiting}`;
}
