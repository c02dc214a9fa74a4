import { since } from '../../causes/found-pod.ts';
import type { Instant } from '@atoll/kube';
import { keepsPlaceUntil, stuckAt, type JudgedPod } from '../../children/pods/pod-facts.ts';
import { earliestAfter } from '../../engine/earliest.ts';
import { counted } from '../../engine/problems/counted.ts';
import type { FoundSubsetCondition, SchedulingJudgement, SubsetCondition, Windows } from './judgement.ts';
import { kept, saysUnschedulable, stated } from './subset-condition.ts';

export interface SchedulingInput {
  /** Of the subset's child, each once. */
  readonly pods: readonly JudgedPod[];
  /** The subset's condition Schedulable, as the status stores it. */
  readonly condition: FoundSubsetCondition | undefined;
  readonly windows: Windows;
}

/**
 * Adaptive without reservation (`reference/uniteddeployment.md`, 3.10): a subset is unschedulable while a pod is stuck,
 * and until the window that began with the first one is over. A pod that is stuck beyond the window begins the next one
 * at once. The condition is the only memory, so that no restart loses a window.
 *
 * Pods are watched: `requeueAt` is for what time alone changes, the end of a window and of a pod's patience.
 */
export function judgeScheduling(
  { pods, condition, windows }: SchedulingInput,
  now: Instant,
): SchedulingJudgement {
  const dues = pods.map((pod) => stuckAt(pod, windows.criticalMs)).filter((due) => due !== undefined);
  const stuck = dues.filter((due) => due <= now).length;
  const ending = pods.flatMap((pod) => {
    const until = keepsPlaceUntil(pod, windows.criticalMs) ?? now;
    return until > now ? [{ uid: pod.metadata.uid, until }] : [];
  });
  const recovery = saysUnschedulable(condition)
    ? since(condition?.lastTransitionTime) + windows.unschedulableMs
    : undefined;
  const open = recovery !== undefined && now < recovery;
  const next = nextCondition(stuck, open, condition, now);
  const unschedulable = next?.status === 'False';
  return {
    unschedulable,
    marked: saysUnschedulable(condition),
    stuckPods: stuck,
    endingPods: ending.map(({ uid }) => uid),
    reservedPods: 0,
    labelPods: [],
    condition: next,
    requeueAt: earliestAfter(now, [
      ...dues,
      // A replica may be stuck when the place of another pod is none any more.
      ...(stuck === 0 ? [] : ending.map(({ until }) => until)),
      unschedulable ? since(next.lastTransitionTime) + windows.unschedulableMs : undefined,
    ]),
  };
}

function nextCondition(
  stuck: number,
  open: boolean,
  found: FoundSubsetCondition | undefined,
  now: Instant,
): SubsetCondition | undefined {
  if (stuck > 0) {
    const statement = { status: 'False', reason: 'reschedule', message: noNode(stuck) } as const;
    return stated(statement, open ? found : undefined, now);
  }
  if (found === undefined) return undefined;
  if (open) return kept(found, { status: 'False', reason: 'reschedule', message: noNode(0) });
  if (!saysUnschedulable(found)) return kept(found, { status: 'True', reason: 'recover', message: '' });
  return stated({ status: 'True', reason: 'recover', message: 'the window is over' }, undefined, now);
}

function noNode(pods: number): string {
  return pods === 0 ? 'pods found no node' : `${counted(pods, 'pod')} found no node in time`;
}
