import type { Instant } from '@atoll/kube';
import type { Hold } from '../../engine/hold.ts';
import type { Rolling } from '../rolling/decide-rolling.ts';
import { stuckHolds } from './stuck-pods.ts';

/** Pods that should be gone, on nodes that are there: their nodes get no other one. */
export function unendedHolds({ targets }: Pick<Rolling, 'targets'>, now: Instant): readonly Hold[] {
  const waits = { reason: 'BeingDeleted', waitingUntil: 'the pods are gone' } as const;
  return stuckHolds(targets, ({ kept, ending }) => (kept === undefined ? ending[0] : undefined), waits, now);
}
