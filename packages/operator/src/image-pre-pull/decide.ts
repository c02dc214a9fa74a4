import { formatKey, type Instant, type Job, type PodTemplateSpec, type Stored } from '@atoll/kube';
import { isTerminating } from '../children/child.ts';
import { templateIn } from '../children/revisions/template-data.ts';
import { isQuotaFull } from '../engine/executor/answers/judge-trial.ts';
import { refusedRetryMs } from '../engine/executor/answers/refusals.ts';
import type { RefusedTrial } from '../engine/refused-trials.ts';
import { hashOf, latestTemplate } from '../daemon-set/nodes/pod-revision.ts';
import { readUpgradeRequest } from '../daemon-set/strategy/upgrade-request.ts';
import type { Pull, PrePullSnapshot } from './observe.ts';
import { pullJobName } from './pull-job.ts';
import { pullRequestOf } from './pull-request.ts';
import { resultOf } from './pull-result.ts';

export interface PrePullDecision {
  /** The pull that is to be started. */
  readonly start: { readonly template: PodTemplateSpec | undefined; readonly revision: string } | undefined;
  readonly answer: Answer | undefined;
  /** Jobs that nobody waits for any more. */
  readonly obsolete: readonly Stored<Job>[];
  readonly requeueAt: Instant | undefined;
}

/** What goes into the condition of the pod. */
export type Answer =
  | { readonly is: 'pulled'; readonly revision: string; readonly job: string }
  /** `job`: which could not pull them; undefined: none was to, for the reason in `why`. */
  | { readonly is: 'failed'; readonly job?: string; readonly why: string };

const nothing: PrePullDecision = {
  start: undefined,
  answer: undefined,
  obsolete: [],
  requeueAt: undefined,
};

/** Starts a pull for what is asked for, answers when it is over, and clears Jobs that are not asked for. */
export function decide(snapshot: PrePullSnapshot, now: Instant): PrePullDecision {
  const { pod, certain, pulls, refused } = snapshot;
  // The Jobs of a pod that goes are collected with it.
  if (!certain || isTerminating(pod)) return nothing;
  const request = isAnswered(snapshot.daemonSet) ? pullRequestOf(pod) : undefined;
  if (request?.is === 'held') return nothing;
  const wanted = request?.is === 'open' ? wantedPull(snapshot, request.revision) : undefined;
  if (wanted === 'not known') return nothing;
  const name = wanted === undefined ? '' : pullJobName(pod, wanted.revision);
  const obsolete = pulls
    .filter(({ job }) => job.metadata.name !== name && !isTerminating(job))
    .map(({ job }) => job);
  if (request?.is === 'outdated') {
    const { revision, next } = request;
    const why = `the template changed: the images of revision ${revision} were asked for, and the pod is to be upgraded to revision ${next}`;
    return { ...nothing, obsolete, answer: { is: 'failed', why } };
  }
  if (wanted === undefined) return { ...nothing, obsolete };
  const current = pulls.find(({ job }) => job.metadata.name === name);
  if (current === undefined) {
    const refusal = refused.get(name);
    const until = refusal === undefined ? undefined : mayPassUntil(refusal);
    if (refusal === undefined || (until !== undefined && now < until))
      return { ...nothing, start: wanted, obsolete, requeueAt: until };
    const job = formatKey({ ...pod.metadata, name });
    const why = `Job ${job} was refused: ${refusal.answer.problem}`;
    return { ...nothing, obsolete, answer: { is: 'failed', why } };
  }
  // What is cleared answers nothing: it was for an earlier request.
  if (isTerminating(current.job)) return { ...nothing, obsolete };
  return { ...nothing, obsolete, ...answerOf(current, wanted.revision, now) };
}

/**
 * Until when a refused Job is asked for again before the request is answered, half a minute at least; undefined: not at all. A quota gives room when the Jobs
 * of other pods are gone, which takes as long, and the usage of a new one is not known at first.
 */
function mayPassUntil({ answer, turn }: RefusedTrial): Instant | undefined {
  const { message } = answer;
  const isOfQuota = isQuotaFull(message) || message.includes('status unknown for quota: ');
  return isOfQuota && turn !== undefined ? (turn + 2) * refusedRetryMs : undefined;
}

/** Whether the owners of nodes decide about the pods of the DaemonSet. */
function isAnswered(daemonSet: PrePullSnapshot['daemonSet']): boolean {
  return (
    daemonSet !== undefined && !isTerminating(daemonSet) && readUpgradeRequest(daemonSet).strategy === 'ota'
  );
}

/**
 * undefined: the template that is asked for is not the current one. `not known`: which one that is will be seen, as after every change of the
 * DaemonSet's spec; a pull that is under way may go on until then.
 */
function wantedPull(
  { pod, daemonSet, history }: PrePullSnapshot,
  revision: string,
): PrePullDecision['start'] | 'not known' {
  if (daemonSet === undefined) return undefined;
  const latest = latestTemplate(daemonSet, history, [pod]);
  if (latest === undefined) return 'not known';
  if (latest.hash !== revision) return undefined;
  // The DaemonSet may have a newer template, whose revision was not read yet.
  const recorded = templateIn(history.find((each) => hashOf(each) === revision)?.data, 'template');
  return { template: (recorded as PodTemplateSpec | undefined) ?? daemonSet.spec?.template, revision };
}

function answerOf(
  pull: Pull,
  revision: string,
  now: Instant,
): Partial<Pick<PrePullDecision, 'answer' | 'requeueAt'>> {
  const result = resultOf(pull, now);
  const job = formatKey(pull.job.metadata);
  switch (result.is) {
    case 'pulling':
      return { requeueAt: result.until };
    case 'pulled':
      return { answer: { is: 'pulled', revision, job } };
    case 'failed':
      return { answer: { is: 'failed', job, why: result.why } };
  }
}
