import {
  extendedDaemonSetAnnotations as annotations,
  replicaSetConditions,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetReplicaSet,
} from '@atoll/api';
import { conditionOf, instantOf, type Instant, type Pod, type Stored } from '@atoll/kube';
import { trueCondition } from '../../replica-sets/conditions.ts';
import type { CanaryEvidence } from './canary-verdict.ts';
import { pausedReason } from '../end-of-canary.ts';
import { pauseByPerson } from '../pause-by-person.ts';
import { lastRestart, type LastRestart } from './pod-restarts.ts';
import { restartByOwnClock } from './restart-by-own-clock.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

/** When it became the canary; now, where it is about to. */
export function canarySince(replicaSet: ReplicaSet, now: Instant): Instant {
  return instantOf(trueCondition(replicaSet, replicaSetConditions.canary)?.lastTransitionTime) ?? now;
}

/** Restarts of a canary's pods, as they are seen and as they were recorded. */
export interface CanaryRestarts {
  /** Of those that are seen. */
  readonly newest: LastRestart | undefined;
  /** undefined: there was none. */
  readonly span: CanaryEvidence['restarts'];
  readonly lastAt: Instant | undefined;
}

export function restartsOf(
  replicaSet: ReplicaSet,
  pods: readonly Stored<Pod>[],
  now: Instant,
): CanaryRestarts {
  const recorded = conditionOf(replicaSet, replicaSetConditions.podRestarting);
  const newest = restartByOwnClock(lastRestart(pods), recorded, now);
  // What was recorded in a trial that was given up is no restart of this one.
  const isTrialKnown = conditionOf(replicaSet, replicaSetConditions.canary) !== undefined;
  const recordedFirst = instantOf(recorded?.lastTransitionTime);
  const first =
    recordedFirst !== undefined && isTrialKnown
      ? Math.max(recordedFirst, canarySince(replicaSet, now))
      : (recordedFirst ?? newest?.at);
  const recordedLast = instantOf(recorded?.lastUpdateTime) ?? 0;
  // A record that lies ahead is of a clock that was, and would hold the canary until it is as late.
  const last = Math.max(newest?.at ?? 0, recordedLast > now ? 0 : recordedLast);
  return {
    newest,
    span: first === undefined ? undefined : { first, last },
    lastAt: last === 0 ? undefined : last,
  };
}

/** What was decided of the canary before, as its replica set records it. */
export function decidedBefore(
  replicaSet: ReplicaSet,
): Pick<CanaryEvidence, 'failed' | 'paused' | 'pausedByPerson'> {
  const failed = trueCondition(replicaSet, replicaSetConditions.canaryFailed);
  const paused = trueCondition(replicaSet, replicaSetConditions.canaryPaused);
  return {
    failed: failed === undefined ? undefined : { reason: failed.reason ?? '', message: failed.message ?? '' },
    paused: paused === undefined ? undefined : (paused.reason ?? ''),
    pausedByPerson: pauseByPerson(paused?.message ?? '') !== undefined,
  };
}

/** What the annotations ask for. `ofBefore`: those that are meant for the canary before. */
export function decidedByPeople(
  { metadata: { annotations: found = {} } }: Stored<ExtendedDaemonSet>,
  ofBefore: readonly string[],
): Pick<CanaryEvidence, 'pausedByAnnotation' | 'unpausedByAnnotation'> {
  const isSet = (annotation: string): boolean =>
    found[annotation] === 'true' && !ofBefore.includes(annotation);
  return {
    pausedByAnnotation: isSet(annotations.canaryPaused) ? pausedReason(found) : undefined,
    unpausedByAnnotation: isSet(annotations.canaryUnpaused),
  };
}
