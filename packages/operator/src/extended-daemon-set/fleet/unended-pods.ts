import type { Instant } from '@atoll/kube';
import { causeOf } from '../../causes/cause-of.ts';
import { causeHold } from '../../children/pods-hold.ts';
import { hold, joinHolds, type Hold } from '../../engine/hold.ts';
import type { Rolling } from '../rolling/decide-rolling.ts';

/**
 * Pods that should be gone for so long that they are stuck, on nodes that are there: their nodes get no other one, and the rollout may wait for them
 * until a person changes something.
 */
export function unendedHolds({ targets }: Pick<Rolling, 'targets'>, now: Instant): readonly Hold[] {
  const single = targets.flatMap(({ target: { id }, stuckSince, pods: { kept, ending } }) => {
    const [pod] = ending;
    if (stuckSince === undefined || kept !== undefined || pod === undefined) return [];
    const cause = causeOf(pod, now);
    if (cause === undefined) return [];
    const { word, text } = cause;
    const waits = hold('BeingDeleted', 'health', [id], { waitingUntil: 'the pods are gone' }, false);
    return causeHold({ word, message: `pod ${pod.metadata.name}: ${text}` }, waits);
  });
  return joinHolds(single);
}
