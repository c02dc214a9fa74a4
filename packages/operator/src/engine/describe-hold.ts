import type { Hold, HoldCause } from './hold.ts';
import { nameAFew } from './status/conditions.ts';

/**
 * A hold as people read it, the same in condition, event and log: `bj, hz and 2 more: the pool has no nodes; waiting
 * until a node joins`. `named`: how many targets are named at most.
 */
export function describeHold(hold: Hold, named = 3): string {
  const where = hold.count === 0 ? '' : `${nameAFew(hold.targets, named, hold.count)}: `;
  return `${where}${describeCause(hold)}`;
}

/** The same without the names of what is held. */
export function describeCause({ problem, waitingUntil }: HoldCause): string {
  if (waitingUntil === undefined) return problem ?? '';
  const waiting = `waiting until ${waitingUntil}`;
  // What a server said ends as a sentence.
  return problem === undefined ? waiting : `${problem.replace(/\.$/, '')}; ${waiting}`;
}
