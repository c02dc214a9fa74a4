import type { Instant } from '@atoll/kube';
import { goesLateAt } from '../../children/late.ts';
import { hold, joinHolds, type Hold } from '../../engine/hold.ts';
import { nameAFew } from '../../engine/status/conditions.ts';
import type { DecidedPlaces, PlaceDecision } from '../decide-places.ts';
import type { PlaceChild } from '../place.ts';

/**
 * Children that should long be gone, and others that have the name of one. Until they are, their pods may run on beside those that are wanted, or a place may have no other child,
 * whose name is theirs.
 */
export function holdsOfGoing(
  { going }: Pick<DecidedPlaces<PlaceDecision>, 'going'>,
  now: Instant,
): readonly Hold[] {
  return joinHolds(going.filter(({ object }) => (goesLateAt(object) ?? Infinity) <= now).map(holdOf));
}

function holdOf({ kind, object: { metadata }, place }: PlaceChild): Hold {
  const { name, deletionTimestamp = '', finalizers = [] } = metadata;
  const held = finalizers.length === 0 ? '' : `, and its finalizers ${nameAFew(finalizers)} are still there`;
  const problem = `the old ${kind} ${name} is being deleted since ${deletionTimestamp}${held}`;
  const waiting = { problem, waitingUntil: 'it is gone' };
  return { ...hold('ChildTerminating', 'person', [place ?? name], waiting, true), mayPass: true };
}
