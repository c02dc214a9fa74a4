import type { Instant } from '@atoll/kube';
import { wrongWith } from '../children/late.ts';
import { isPaused, waitsForResume } from '../children/paused.ts';
import { podsHold } from '../children/pods-hold.ts';
import { isOnDelete, waitsForDeletion } from '../children/pods/on-delete.ts';
import { hold, type Hold } from '../engine/hold.ts';
import { awaitsPods, type PlaceDecision } from './decide-places.ts';

/** What a kind has found of the pods of a place. */
export interface AwaitedPods {
  /** How many are of an older template. */
  readonly outdated: number;
  /** The child stays as it is, and its pods are waited for whatever it was made of. */
  readonly isLeft?: boolean;
  /** A hold of the kind's own, in place of the general one. `wrong`: why the child counts as failed. */
  readonly instead: (wrong: string | undefined) => Hold | undefined;
}

/** What the child of a place waits for once it is as it should be; undefined: it is not there, or nothing is waited for. */
export function holdOfPods(
  decision: PlaceDecision,
  { outdated, isLeft = false, instead }: AwaitedPods,
  now: Instant,
): Hold | undefined {
  const { place, child, health, finding } = decision;
  if (child === undefined || health === undefined) return undefined;
  if (!(isLeft ? !(health.updated && health.available) : awaitsPods(decision))) return undefined;
  const { name } = place;
  const wrong = wrongWith(child, health, decision.lateAt, now);
  const own = instead(wrong);
  if (own !== undefined) return own;
  if (wrong !== undefined) {
    const overdue = hold('ProgressDeadlineExceeded', 'health', [name], { problem: wrong }, true);
    return podsHold(child, finding, overdue);
  }
  if (!health.updated && isPaused(child.object)) {
    return waitsForResume(name, `${child.kind} ${child.object.metadata.name}`);
  }
  if (!health.updated && isOnDelete(child.object)) return waitsForDeletion(name, outdated);
  const waitingUntil = 'the pods are available';
  return podsHold(child, finding, hold('WaitingForReady', 'health', [name], { waitingUntil }, false));
}
