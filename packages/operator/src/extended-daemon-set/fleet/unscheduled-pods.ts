import type { Instant } from '@atoll/kube';
import type { Hold } from '../../engine/hold.ts';
import type { Rolling } from '../rolling/decide-rolling.ts';
import { isBound } from './pods-by-node.ts';
import { stuckHolds } from './stuck-pods.ts';

/** Pods of a replica set that are not scheduled, with what the scheduler answered. */
export function unscheduledHolds({ targets }: Pick<Rolling, 'targets'>, now: Instant): readonly Hold[] {
  const waits = { reason: 'WaitingForReady', waitingUntil: 'the pods are Ready' } as const;
  return stuckHolds(
    targets,
    ({ kept }) => (kept === undefined || isBound(kept) ? undefined : kept),
    waits,
    now,
  );
}
