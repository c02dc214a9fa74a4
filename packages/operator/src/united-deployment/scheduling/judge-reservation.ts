import { labels } from '@atoll/api';
import { compareTexts } from '@atoll/kube';
import type { Instant } from '@atoll/kube';
import { isActive, readySince, stuckAt, type JudgedPod } from '../../children/pods/pod-facts.ts';
import { earliest } from '../../engine/earliest.ts';
import type {
  FoundSubsetCondition,
  PodLabelling,
  SchedulingJudgement,
  SubsetCondition,
  Windows,
} from './judgement.ts';
import { conditionUntilReady, saysUnschedulable, stated } from './subset-condition.ts';

export interface ReservationInput {
  /** Of the subset's child, each once. */
  readonly pods: readonly JudgedPod[];
  /** The subset's condition Schedulable, as the status stores it. */
  readonly condition: FoundSubsetCondition | undefined;
  readonly windows: Windows;
  /** The child's `spec.replicas`. */
  readonly replicas: number;
  /** What the pods' revision label should be. */
  readonly revision: string;
  /** Since when the workload is being updated; undefined where it is not. */
  readonly updatingSince: Instant | undefined;
  /** How many pods of this subset shall stay at the old revision. */
  readonly partition: number;
}

/**
 * Adaptive with reservation (`reference/uniteddeployment.md`, 3.11): pods that find no node, or wait too long for their
 * update, are reserved. They stay, others stand in for them, and they count again once they were ready for a while.
 *
 * Beyond the old operator: pods that a marked subset is to have and that do not exist yet count as reserved, because
 * they will start so, else their substitutes would go and come back; pods that the partition holds back are not late, and are
 * judged as those of the current revision;
 * pods that go, or have ended by themselves, count for nothing, because no workload counts them among its replicas; nobody stands in for
 * what a workload has beyond its replicas while it rolls (`maxSurge`); a
 * pod of a marked subset that has long been ready is not suspected.
 */
export function judgeReservation(input: ReservationInput, now: Instant): SchedulingJudgement {
  const marked = saysUnschedulable(input.condition);
  const pods = input.pods.filter(isActive);
  const heldBack = podsHeldBack(pods, input);
  const verdicts = pods.map((pod) => ({ pod, ...judge(pod, heldBack.has(pod), marked, input, now) }));
  const missing = marked ? Math.max(0, input.replicas - pods.length) : 0;
  const counted = verdicts.filter(({ reserved }) => !reserved).length;
  const waiting = pods.length - counted + missing;
  return {
    unschedulable: waiting > 0,
    marked,
    stuckPods: pods.filter((pod) => (stuckAt(pod, input.windows.criticalMs) ?? Infinity) <= now).length,
    endingPods: [],
    reservedPods: Math.min(waiting, Math.max(0, input.replicas - counted)),
    labelPods: verdicts.flatMap(labelling).toSorted((a, b) => compareTexts(a.name, b.name)),
    condition: stated(statement(waiting), input.condition, now),
    requeueAt: earliest(verdicts.map(({ requeueAt }) => requeueAt)),
  };
}

/**
 * What goes into the status after allocation. A subset that was marked, has no reserved pods left and is to grow stays
 * marked, so that its new pods start reserved: it is not known yet whether there is room for them.
 */
export function conditionAfterAllocation(
  judgement: SchedulingJudgement,
  found: FoundSubsetCondition | undefined,
  growth: { readonly from: number; readonly to: number },
  now: Instant,
): SubsetCondition | undefined {
  if (!judgement.marked || judgement.unschedulable || growth.to <= growth.from) return judgement.condition;
  return conditionUntilReady(found, now);
}

interface Verdict {
  readonly reserved: boolean;
  readonly requeueAt: Instant | undefined;
}

const free = { reserved: false };

function judge(
  pod: JudgedPod,
  isHeldBack: boolean,
  marked: boolean,
  { windows, revision, updatingSince }: ReservationInput,
  now: Instant,
): Verdict {
  const label = labelOf(pod);
  const current = revisionOf(pod) === revision;
  // Nobody waits for the update of one that is held back.
  const settled = current || isHeldBack;
  const late = !settled && updatingSince !== undefined && updatingSince + windows.criticalMs <= now;
  const trustedAt = (readySince(pod) ?? now) + windows.unschedulableMs;
  const trusted = pod.status?.phase === 'Running' && readySince(pod) !== undefined && trustedAt <= now;
  if (label === 'true') {
    if (settled && trusted) return { ...free, requeueAt: undefined };
    return { reserved: true, requeueAt: trustedAt > now ? trustedAt : undefined };
  }
  if (marked && label === undefined && !trusted) return { reserved: true, requeueAt: trustedAt };
  if (late) return { reserved: true, requeueAt: undefined };
  const stuck = stuckAt(pod, windows.criticalMs);
  if (stuck !== undefined && stuck <= now) return { reserved: true, requeueAt: trustedAt };
  const lateAt = settled || updatingSince === undefined ? undefined : updatingSince + windows.criticalMs;
  return { ...free, requeueAt: earliest([stuck, lateAt]) };
}

/** As many old pods as the partition holds back; those that are ready and count first, because they are the ones it is for. */
function podsHeldBack(
  pods: readonly JudgedPod[],
  { partition, revision }: ReservationInput,
): ReadonlySet<JudgedPod> {
  const rank = (pod: JudgedPod): number => {
    return (labelOf(pod) === 'true' ? 2 : 0) + (readySince(pod) === undefined ? 1 : 0);
  };
  const old = pods
    .filter((pod) => revisionOf(pod) !== revision)
    .toSorted((a, b) => rank(a) - rank(b) || compareTexts(a.metadata.name, b.metadata.name));
  return new Set(old.slice(0, Math.max(0, partition)));
}

function labelling({
  pod,
  reserved: isReserved,
}: Verdict & { readonly pod: JudgedPod }): readonly PodLabelling[] {
  const value = isReserved ? 'true' : 'false';
  if (labelOf(pod) === value) return [];
  const { name, uid } = pod.metadata;
  return [{ name, uid, value }];
}

function statement(waiting: number): Pick<SubsetCondition, 'status' | 'reason' | 'message'> {
  if (waiting === 0) return { status: 'True', reason: 'reschedule', message: '' };
  return { status: 'False', reason: 'reschedule', message: 'pods are reserved, others stand in for them' };
}

function labelOf({ metadata }: JudgedPod): string | undefined {
  return metadata.labels?.[labels.reservedPod];
}

function revisionOf({ metadata }: JudgedPod): string | undefined {
  return metadata.labels?.[labels.subsetRevision];
}
