import type { Instant } from '@atoll/kube';
import { causeOf } from '../causes/cause-of.ts';
import { waitingWords } from '../causes/cause-of-container.ts';
import { since, type FoundContainer, type FoundPod } from '../causes/found-pod.ts';
import type { Pull } from './observe.ts';

/** How far a pull is. */
export type PullResult =
  | { readonly is: 'pulling'; readonly until: Instant }
  | { readonly is: 'pulled' }
  /** `why`: a clause for people. */
  | { readonly is: 'failed'; readonly why: string };

/**
 * For so long a kubelet may try. The Job itself is stopped half a minute later, and its pods are deleted then: before, they show
 * why.
 */
const pullMs = 570_000;

/** For so long the end of the pod of a Job that failed is waited for: the Job itself is gone after 30 s, and would be made again. */
const behindMs = 10_000;

/**
 * Whether all images are on the node. What the containers do is no matter: an image without a program `true` was pulled all the
 * same, although its container cannot be started.
 */
export function resultOf({ job, pods }: Pull, now: Instant): PullResult {
  const is = (type: string) =>
    job.status?.conditions?.find((each) => each.type === type && each.status === 'True');
  if (is('Complete') !== undefined || pods.some((pod) => isPulled(pod as FoundPod))) return { is: 'pulled' };
  const failed = is('Failed');
  const until = since(job.metadata.creationTimestamp) + pullMs;
  // No Job fails before its pod ended, or is to end: the cache of pods is behind that of Jobs.
  const isBehind = failed !== undefined && pods.some(goesOn);
  const end = isBehind ? Math.min(until, since(failed.lastTransitionTime) + behindMs) : until;
  if ((failed === undefined || isBehind) && now < end) return { is: 'pulling', until: end };
  const [cause] = pods.flatMap((pod) => causeOf(pod as FoundPod, now) ?? []);
  if (cause !== undefined) return { is: 'failed', why: cause.text };
  if (failed !== undefined) return { is: 'failed', why: failed.message ?? failed.reason ?? 'the Job failed' };
  const why =
    pods.length === 0 ? 'no pod could be made for it, as its events say' : 'the node did not start it';
  return { is: 'failed', why };
}

function goesOn({ metadata, status }: Pull['pods'][number]): boolean {
  const phase = status?.phase ?? 'Pending';
  return metadata.deletionTimestamp === undefined && (phase === 'Pending' || phase === 'Running');
}

/** A kubelet shows the states of all containers from the first on. */
function isPulled({ status = {} }: FoundPod): boolean {
  const { containerStatuses = [] } = status;
  return containerStatuses.length > 0 && containerStatuses.every(isBehindPull);
}

/** It ran, or it failed at a step that comes after the pull. */
function isBehindPull({ state = {} }: FoundContainer): boolean {
  if (state.running !== undefined) return true;
  if (state.terminated !== undefined) return state.terminated.reason !== 'ContainerStatusUnknown';
  const word = waitingWords[state.waiting?.reason ?? ''];
  return (
    word === 'CreateContainerConfigError' || word === 'CreateContainerError' || word === 'CrashLoopBackOff'
  );
}
