import { canaryReasons, cannotStartReasons } from '@atoll/api';
import type { Instant, Pod, Stored } from '@atoll/kube';
import { earliestAfter } from '../../engine/earliest.ts';
import { containerStatusesOf } from '../../engine/rollout/health.ts';
import type { CanaryStrategy } from '../read-strategy.ts';
import { pauseMessage } from './pause-by-person.ts';

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

export interface Judgement {
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

const startProblems: ReadonlySet<string> = new Set(cannotStartReasons);

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

interface Restarted {
  readonly pod: string;
  readonly count: number;
  readonly reason: string;
}

function mostRestarts(pods: readonly Stored<Pod>[]): Restarted | undefined {
  let worst: Restarted | undefined;
  for (const pod of pods) {
    for (const { restartCount: count, lastState } of containerStatusesOf(pod)) {
      if (count <= (worst?.count ?? 0)) continue;
      worst = {
        pod: pod.metadata.name,
        count,
        reason: lastState?.terminated?.reason ?? canaryReasons.unknown,
      };
    }
  }
  return worst;
}

/** `limit` undefined: restarts are not asked. */
function tooManyRestarts(
  pods: readonly Stored<Pod>[],
  limit: { readonly maxRestarts: number } | undefined,
): Pick<Judgement, 'reason' | 'message'> | undefined {
  const worst = limit === undefined ? undefined : mostRestarts(pods);
  if (limit === undefined || worst === undefined || worst.count <= limit.maxRestarts) return undefined;
  const { pod, count, reason } = worst;
  return { reason, message: `pod ${pod} has restarted ${count} times, more than ${limit.maxRestarts}` };
}

export interface CannotStart {
  readonly reason: string;
  /** `Pod <pod> cannot start with reason: <reason>` first, as the old operator writes it. */
  readonly message: string;
}

/** Why a pod cannot start; undefined: nothing is known to be in its way, or it is given time. */
export function cannotStart(
  pod: Stored<Pod>,
  graceMs: number | undefined,
  now: Instant,
): CannotStart | undefined {
  const isPatient = graceMs !== undefined && now <= startedAt(pod) + graceMs;
  if (isPatient) return undefined;
  const waiting = containerStatusesOf(pod).flatMap(({ name, state }) =>
    state?.waiting === undefined ? [] : [{ name, ...state.waiting }],
  );
  const found = waiting.find(({ reason = '' }) => startProblems.has(reason));
  if (found !== undefined) return described(pod, found.reason ?? '', found.name, found.message);
  const slow =
    graceMs === undefined ? undefined : waiting.find(({ reason }) => reason === 'ContainerCreating');
  return slow === undefined
    ? undefined
    : described(pod, canaryReasons.slowStartTimeout, slow.name, slow.message);
}

function described(pod: Stored<Pod>, reason: string, container: string, detail = ''): CannotStart {
  const where = `node ${pod.spec?.nodeName ?? 'unknown'}, container ${container}`;
  const message = `Pod ${pod.metadata.name} cannot start with reason: ${reason} (${where}${detail === '' ? '' : `: ${detail}`})`;
  return { reason, message };
}

export interface LastRestart {
  readonly at: Instant;
  readonly message: string;
  readonly reason: string;
}

/** The newest restart of a container of these pods. */
export function lastRestart(pods: readonly Stored<Pod>[]): LastRestart | undefined {
  let last: LastRestart | undefined;
  for (const pod of pods) {
    for (const { restartCount, lastState } of containerStatusesOf(pod)) {
      const at = Date.parse(lastState?.terminated?.finishedAt ?? '');
      if (restartCount === 0 || Number.isNaN(at) || at <= (last?.at ?? -Infinity)) continue;
      const reason = lastState?.terminated?.reason ?? canaryReasons.unknown;
      last = { at, reason, message: `Pod ${pod.metadata.name} restarting with reason: ${reason}` };
    }
  }
  return last;
}

function startedAt({ metadata, status }: Stored<Pod>): Instant {
  const started = Date.parse(status?.startTime ?? '');
  return Number.isNaN(started) ? Date.parse(metadata.creationTimestamp) : started;
}
