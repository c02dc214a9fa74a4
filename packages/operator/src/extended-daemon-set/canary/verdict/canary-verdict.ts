import { canaryReasons } from '@atoll/api';
import type { Instant, Pod, Stored } from '@atoll/kube';
import { earliestAfter } from '../../../engine/earliest.ts';
import type { CanaryStrategy } from '../../read-strategy.ts';
import { cannotStart, startedAt } from './cannot-start.ts';
import { pauseMessage } from '../pause-by-person.ts';
import { tooManyRestarts } from './pod-restarts.ts';

/** What is known of a canary when it is judged. */
export interface CanaryEvidence {
  readonly strategy: Pick<CanaryStrategy, 'autoFail' | 'autoPause'>;
  /** Those of its pods that match. */
  readonly pods: readonly Stored<Pod>[];
  /** When it became the canary. */
  readonly since: Instant;
  /** The first and the last restart that were recorded. */
  readonly restarts: { readonly first: Instant; readonly last: Instant } | undefined;
  /** What was decided of it before: both stick. */
  readonly failed: { readonly reason: string; readonly message: string } | undefined;
  readonly paused: string | undefined;
  /** A person had paused it, whose annotation may be gone. */
  readonly pausedByPerson: boolean;
  /** The reason that belongs to the annotation `canary-paused`; undefined: the annotation is not set. */
  readonly pausedByAnnotation: string | undefined;
  /** The annotation `canary-unpaused` is set. */
  readonly unpausedByAnnotation: boolean;
  readonly now: Instant;
}

/** How a canary stands, and why. */
export type CanaryVerdict = (
  | { readonly is: 'failed'; readonly reason: string; readonly message: string; readonly by: string }
  | { readonly is: 'paused'; readonly reason: string; readonly message: string; readonly by: string }
  | { readonly is: 'running' }
) & { readonly requeueAt: Instant | undefined };

interface Judgement {
  readonly is: 'failed' | 'paused' | 'running';
  readonly reason: string;
  readonly message: string;
}

/** One link of the chain: the first that answers decides. */
interface CanaryPolicy {
  readonly name: string;
  readonly judge: (evidence: CanaryEvidence) => Judgement | undefined;
  /** When time alone may let it answer. */
  readonly at?: (evidence: CanaryEvidence) => Instant | undefined;
}

/** The policy that time alone lets fail a canary. */
export const timeoutPolicy = 'autoFail.canaryTimeout';

/** Policies by which a person has paused a canary: nothing is wrong with it. */
export const pausedByPeople: readonly string[] = ['canary-paused', 'canary-paused before'];

/**
 * In this order (`reference/extendeddaemonset.md` 3.5). Those of time are asked without any pod too (BUG-15), and each looks at all pods, not
 * at the last one (BUG-16).
 */
const canaryPolicies: readonly CanaryPolicy[] = [
  {
    name: 'failed before',
    judge: ({ failed }) =>
      failed === undefined
        ? undefined
        : {
            is: 'failed',
            reason: failed.reason,
            message: failed.message === '' ? 'its condition Canary-Failed was set' : failed.message,
          },
  },
  {
    name: 'autoFail.maxRestarts',
    judge: ({ strategy: { autoFail }, pods }) => {
      const found = tooManyRestarts(pods, autoFail);
      return found === undefined ? undefined : { is: 'failed', ...found };
    },
  },
  {
    name: 'autoFail.maxRestartsDuration',
    judge: ({ strategy: { autoFail }, restarts }) => {
      const most = autoFail?.maxRestartsMs;
      if (most === undefined || restarts === undefined || restarts.last - restarts.first <= most)
        return undefined;
      const message = `its pods have been restarting for longer than ${most / 1000} s`;
      return { is: 'failed', reason: canaryReasons.restartsTimeout, message };
    },
  },
  {
    name: timeoutPolicy,
    judge: ({ strategy: { autoFail }, since, now }) => {
      const most = autoFail?.timeoutMs;
      if (most === undefined || now - since <= most) return undefined;
      return {
        is: 'failed',
        reason: canaryReasons.timeout,
        message: `it has run for longer than ${most / 1000} s`,
      };
    },
    at: ({ strategy: { autoFail }, since }) =>
      autoFail?.timeoutMs === undefined ? undefined : since + autoFail.timeoutMs + 1,
  },
  {
    name: 'canary-unpaused',
    judge: ({ unpausedByAnnotation }) =>
      unpausedByAnnotation ? { is: 'running', reason: '', message: 'a person let it go on' } : undefined,
  },
  {
    name: 'canary-paused',
    judge: ({ pausedByAnnotation }) =>
      pausedByAnnotation === undefined
        ? undefined
        : { is: 'paused', reason: pausedByAnnotation, message: pauseMessage('set') },
  },
  {
    name: 'paused before',
    judge: ({ paused, pausedByPerson, pods, strategy: { autoPause }, now }) => {
      if (paused === undefined) return undefined;
      // The cause is shown as long as it is still there.
      const stuck = pods.flatMap((pod) => cannotStart(pod, undefined, now) ?? [])[0];
      const cause = stuck?.message ?? tooManyRestarts(pods, autoPause)?.message;
      if (!pausedByPerson) return { is: 'paused', reason: paused, message: cause ?? 'it was paused before' };
      return cause === undefined
        ? undefined
        : { is: 'paused', reason: paused, message: pauseMessage('removed', cause) };
    },
  },
  {
    // As in the old operator, it stays paused when the annotation is removed.
    name: 'canary-paused before',
    judge: ({ paused }) =>
      paused === undefined ? undefined : { is: 'paused', reason: paused, message: pauseMessage('removed') },
  },
  {
    name: 'autoPause of pods that cannot start',
    judge: ({ strategy: { autoPause }, pods, now }) => {
      if (autoPause === undefined) return undefined;
      const stuck = pods.flatMap((pod) => cannotStart(pod, autoPause.maxSlowStartMs, now) ?? [])[0];
      return stuck === undefined ? undefined : { is: 'paused', reason: stuck.reason, message: stuck.message };
    },
    at: ({ strategy: { autoPause }, pods, now }) => {
      const grace = autoPause?.maxSlowStartMs;
      if (grace === undefined) return undefined;
      return earliestAfter(
        now,
        pods.map((pod) => startedAt(pod) + grace + 1),
      );
    },
  },
  {
    name: 'autoPause.maxRestarts',
    judge: ({ strategy: { autoPause }, pods }) => {
      const found = tooManyRestarts(pods, autoPause);
      return found === undefined ? undefined : { is: 'paused', ...found };
    },
  },
];

/** Judges a canary by the chain; pure. */
export function judgeCanary(evidence: CanaryEvidence): CanaryVerdict {
  const requeueAt = earliestAfter(
    evidence.now,
    canaryPolicies.map(({ at }) => at?.(evidence)),
  );
  for (const { name, judge } of canaryPolicies) {
    const judgement = judge(evidence);
    if (judgement === undefined) continue;
    if (judgement.is === 'running') break;
    const { reason, message } = judgement;
    return { is: judgement.is, reason: reason === '' ? 'Unknown' : reason, message, by: name, requeueAt };
  }
  return { is: 'running', requeueAt };
}

/** The same canary, with all the time that it needs. */
export function withoutTimeout(evidence: CanaryEvidence): CanaryEvidence {
  const { strategy } = evidence;
  if (strategy.autoFail === undefined) return evidence;
  return { ...evidence, strategy: { ...strategy, autoFail: { ...strategy.autoFail, timeoutMs: undefined } } };
}
