import type { ReasonWord } from '@atoll/api';
import { nameAFew, type Standing, type Trouble } from '../../engine/status/conditions.ts';
import { describeHold } from '../../engine/problems/describe-hold.ts';
import type { Failure } from '../../engine/problems/failures.ts';
import type { Hold } from '../../engine/hold.ts';

/** The message when nothing is left to do. */
export type Done = Pick<Standing, 'reason' | 'message'>;

/** These are about pods that run beside those that are wanted. */
const besides: readonly ReasonWord[] = ['OrphanLeft', 'UnknownChild'];
/** Nothing waits for what these are about. */
const asides: readonly ReasonWord[] = ['OldRenderingKept', ...besides];

/** How far the places are, pools or subsets, that are to have one child each. */
export interface Places {
  /** What people call them: `pools`, `subsets`. */
  readonly called: string;
  readonly count: number;
  /** Those for which something is left to do. */
  readonly open: readonly string[];
  /** Those of them for which nothing was sent, because a step before failed: without its revision no child is made. */
  readonly blocked?: readonly string[];
  /** The places that the children to be deleted served. */
  readonly toDelete: readonly (string | undefined)[];
  /** How many children are deleted as soon as others have taken their place. */
  readonly pendingDeletion: number;
  /** The message when nothing is left to do. */
  readonly done: () => Done;
}

/** How an object stands of whose children nothing was decided. */
export function standingUndecided(
  certain: boolean,
  [first]: readonly Hold[],
  trouble: Trouble | undefined,
): Standing {
  const reason = first?.reason ?? 'NotYetObserved';
  const message =
    first === undefined ? 'waiting until the operator has reconciled this object' : describeHold(first);
  return { observed: certain, done: false, moving: false, reason, message, trouble };
}

/** How an object with children stands: what holds for all places, what moves, what is wrong. */
export function standingOfPlaces(
  places: Places,
  holds: readonly Hold[],
  failures: readonly Failure[],
  trouble: Trouble | undefined,
): Standing {
  const { called, count, open, toDelete, pendingDeletion } = places;
  if (open.length + toDelete.length + pendingDeletion === 0) {
    const { reason, message } = places.done();
    const left = holds.filter(({ reason: word }) => besides.includes(word)).map((hold) => describeHold(hold));
    return {
      observed: true,
      done: true,
      moving: false,
      reason,
      message: [message, ...left].join('; '),
      trouble,
    };
  }
  const moving = moves(places, holds, failures);
  const waits = holds.find((hold) => !hold.bad && !asides.includes(hold.reason));
  const reason: ReasonWord = waits?.reason ?? 'RollingOut';
  const rest = [
    ...(open.length === 0 ? ['children that are not needed any more are being deleted'] : []),
    // The hold names those it is about.
    ...(open.length > 0 && (waits?.count ?? 0) === 0 ? [`not yet ${nameAFew(open)}`] : []),
    ...(waits === undefined ? [] : [describeHold(waits)]),
  ].join('; ');
  const message = `${count - open.length} of ${count} ${called} are updated and available; ${rest}`;
  const waitsForPerson = reason === 'Paused';
  return { observed: true, done: false, moving, waitsForPerson, reason, message, trouble };
}

/** Whether anything goes on where nothing is wrong; what is wrong with no place of its own is so with all. */
function moves(
  { open, blocked = [], toDelete, pendingDeletion }: Places,
  holds: readonly Hold[],
  failures: readonly Failure[],
): boolean {
  const resting = holds.filter(({ bad, reason }) => bad || reason === 'Paused');
  if (resting.some(({ count }) => count === 0)) return false;
  const stuck = new Set([
    ...blocked,
    ...failures.map(({ target }) => target),
    ...resting.flatMap(({ targets }) => targets),
  ]);
  // A hold names fifty at most.
  const unnamed = resting.reduce((sum, { count, targets }) => sum + count - targets.length, 0);
  const moving = [...open, ...toDelete].filter((place) => !stuck.has(place)).length > unnamed;
  // What is pending waits for places that are open, and does not move by itself.
  return moving || (open.length === 0 && pendingDeletion > 0);
}
