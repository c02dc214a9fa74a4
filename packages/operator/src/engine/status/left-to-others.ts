import type { Instant } from '@atoll/kube';
import { describeHold } from '../problems/describe-hold.ts';
import type { Hold } from '../hold.ts';
import { mergeConditions, overallStatements, overallTypes, type FoundCondition } from './conditions.ts';

/** The conditions of an object that another controller serves: that it is so, and all others as that controller wrote them. */
export function conditionsLeftToOthers(
  found: readonly FoundCondition[] | undefined,
  held: Hold,
  generation: number | undefined,
  now: Instant,
): readonly FoundCondition[] {
  const { reason } = held;
  const message = describeHold(held);
  const trouble = { reason, message, since: now, stalls: 'now' } as const;
  const standing = { observed: true, done: false, moving: false, reason, message, trouble };
  return mergeConditions(found, overallStatements(standing, now), overallTypes, generation, now);
}
