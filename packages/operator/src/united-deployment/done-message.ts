import { counted } from '../engine/problems/counted.ts';
import { nameAFew } from '../engine/status/conditions.ts';
import { isFullyUpdated, type SubsetDecision } from './decision.ts';

/** The message of the conditions when nothing is left to do. */
export function doneMessage(subsets: readonly SubsetDecision[]): string {
  const given = subsets.reduce((sum, { replicas }) => sum + replicas, 0);
  const reserving = subsets.filter(({ reservedPods }) => reservedPods > 0);
  const reserved = reserving.reduce((sum, { reservedPods }) => sum + reservedPods, 0);
  const back = subsets.filter((each) => !isFullyUpdated(each)).map(({ place }) => place.name);
  const held = back.length === 0 ? '' : `; partitions hold back pods of ${nameAFew(back)}`;
  const all = subsets.length === 1 ? 'the one subset runs' : `all ${subsets.length} subsets run`;
  const total = counted(given - reserved, 'replica');
  if (reserved === 0) return `${all} the current template with ${total}, and every pod is available${held}`;
  const names = nameAFew(reserving.map(({ place }) => place.name));
  const waiting = reserved === 1 ? 'a reserved pod waits' : `${reserved} reserved pods wait`;
  return `${all} the current template with ${total}, all available; ${waiting} for room in ${names}${held}`;
}
