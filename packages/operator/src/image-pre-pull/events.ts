import { pods } from '@atoll/kube';
import { subjectOf } from '../children/ownership/owner.ts';
import type { Outcome, PlannedEvent } from '../engine/step.ts';
import type { PrePullSnapshot } from './observe.ts';

/** One event of the pod when a pull begins, and one when it ended, with the reason that the condition has. */
export function eventsOf({ pod }: PrePullSnapshot, { results }: Outcome): readonly PlannedEvent[] {
  const regarding = subjectOf({ resource: pods, object: pod });
  return results.flatMap(({ step, did }): readonly PlannedEvent[] => {
    if (did !== 'done' || step.do === 'delete') return [];
    const { word: reason, message: note } = step.why;
    const type = reason === 'PullImageFail' ? 'Warning' : 'Normal';
    return [{ type, regarding, reason, action: 'PullImage', note }];
  });
}
