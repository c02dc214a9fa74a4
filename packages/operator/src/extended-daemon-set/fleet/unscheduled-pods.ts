import type { Instant } from '@atoll/kube';
import { causeOf } from '../../causes/cause-of.ts';
import { causeHold } from '../../children/pods-hold.ts';
import { hold, joinHolds, type Hold } from '../../engine/hold.ts';
import { isBound } from './pods-by-node.ts';
import type { Rolling } from '../rolling/decide-rolling.ts';

/**
 * Pods of a replica set that are not scheduled for so long that they are stuck, with what the scheduler answered: the rollout may wait for them
 * until a person changes something.
 */
export function unscheduledHolds({ targets }: Pick<Rolling, 'targets'>, now: Instant): readonly Hold[] {
  const single = targets.flatMap(({ target: { id }, stuckSince, pods: { kept } }) => {
    if (stuckSince === undefined || kept === undefined || isBound(kept)) return [];
    const cause = causeOf(kept, now);
    if (cause === undefined) return [];
    const { word, text } = cause;
    const waits = hold('WaitingForReady', 'health', [id], { waitingUntil: 'the pods are Ready' }, false);
    return causeHold({ word, message: `pod ${kept.metadata.name}: ${text}` }, waits);
  });
  return joinHolds(single);
}
