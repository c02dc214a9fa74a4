import type { Stored } from '@atoll/kube';
import type { ChildWorkload, RenderedChild } from '../../children/child.ts';
import { ownersOfFilledIn } from '../../children/ownership/filled-in.ts';

/** Whether a dry run shows what becomes of a child that is changed: not where two writes are needed, because the second alone would be refused. */
export function canBeTried(wanted: RenderedChild, live: Stored<ChildWorkload>): boolean {
  return ownersOfFilledIn(live, wanted) === undefined;
}
