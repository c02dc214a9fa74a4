import { labels } from '@atoll/api';
import type { Instant } from '@atoll/kube';
import { toTimestamp } from '../../engine/status/conditions.ts';
import type { JudgedPod } from '../../children/pods/pod-facts.ts';
import type { FoundSubsetCondition, SubsetCondition } from './judgement.ts';

/** The moment at which the vectors are judged. */
export const now: Instant = Date.parse('2026-01-01T12:00:00Z');

/** So many seconds before that moment. */
export function ago(seconds: number): string {
  return toTimestamp(now - seconds * 1000);
}

export function after(seconds: number): Instant {
  return now + seconds * 1000;
}

export interface PodTraits {
  readonly name?: string;
  /** Seconds since it was created. */
  readonly age?: number;
  readonly state: 'unschedulable' | 'gated' | 'pulling' | 'unready' | 'ready' | 'failed';
  /** Seconds since it became ready, or stopped being so. */
  readonly since?: number;
  readonly revision?: string | undefined;
  readonly reserved?: 'true' | 'false' | undefined;
  readonly terminating?: boolean;
}

export function podOf({ name = 'p', age = 60, state, since, ...traits }: PodTraits): JudgedPod {
  const { revision = 'v2', reserved, terminating } = traits;
  const scheduled = state !== 'unschedulable' && state !== 'gated';
  const ready = { type: 'Ready', status: state === 'ready' ? 'True' : 'False' };
  return {
    metadata: {
      name,
      uid: `uid-${name}`,
      creationTimestamp: ago(age),
      labels: {
        ...(revision === '' ? {} : { [labels.subsetRevision]: revision }),
        ...(reserved === undefined ? {} : { [labels.reservedPod]: reserved }),
      },
      ...(terminating === true ? { deletionTimestamp: ago(0) } : {}),
    },
    spec: scheduled ? { nodeName: 'n' } : {},
    status: {
      phase: state === 'failed' ? 'Failed' : state === 'ready' || state === 'unready' ? 'Running' : 'Pending',
      conditions: [
        scheduled
          ? { type: 'PodScheduled', status: 'True' }
          : {
              type: 'PodScheduled',
              status: 'False',
              reason: state === 'gated' ? 'SchedulingGated' : 'Unschedulable',
            },
        ...(scheduled ? [{ ...ready, lastTransitionTime: ago(since ?? age) }] : []),
      ],
    },
  };
}

export function condition(
  status: SubsetCondition['status'],
  seconds: number,
  reason: SubsetCondition['reason'] = 'reschedule',
): FoundSubsetCondition {
  return { type: 'Schedulable', status, reason, message: 'as it was', lastTransitionTime: ago(seconds) };
}
