import { daemonSetUpdate } from '@atoll/api';
import { conditionOf, type Pod, type PodCondition, type Stored } from '@atoll/kube';

const {
  podConditions: { needUpgrade, imageReady },
  pullReasons,
} = daemonSetUpdate;

/**
 * - `open`: the images of the revision that the pod is to be upgraded to are asked for;
 * - `outdated`: those of another one are: the template changed after the request, or while the node agent wrote it;
 * - `held`: the owner of the node does not decide at present, as in a pause. What was asked for stays.
 */
export type PullRequest =
  | { readonly is: 'open'; readonly revision: string }
  | { readonly is: 'outdated'; readonly revision: string; readonly next: string }
  | { readonly is: 'held' };

/**
 * What the node agent asks for: it sets `PodImageReady` to False for a revision. undefined: nothing, or the answer is there, and who asks again takes its
 * reason off; or the pod is to be upgraded to none.
 */
export function pullRequestOf(pod: Stored<Pod>): PullRequest | undefined {
  const [asked, offered] = [conditionOf(pod, imageReady), conditionOf(pod, needUpgrade)];
  if (asked?.status !== 'False' || isAnswer(asked)) return undefined;
  const revision = revisionOf(asked);
  if (revision === undefined) return undefined;
  if (offered === undefined) return { is: 'held' };
  const next = revisionOf(offered);
  if (offered.status !== 'True' || next === undefined) return undefined;
  return next === revision ? { is: 'open', revision } : { is: 'outdated', revision, next };
}

/** Whether the pod takes part in pre-pulling: it is asked for, or was answered. */
export function hasPullCondition(pod: Stored<Pod>): boolean {
  return conditionOf(pod, imageReady) !== undefined;
}

/** Whether a condition is about a pull for an upgrade, of ours or of OpenYurt's controller: its type alone may be another controller's too. */
export function isPullCondition(condition: PodCondition): boolean {
  return condition.type === imageReady && (isAnswer(condition) || revisionOf(condition) !== undefined);
}

/** The message of both conditions for a revision, the old operator's; the node agent compares it as a whole. */
export function revisionMessage(revision: string): string {
  return `controllerrevision: ${revision}`;
}

function isAnswer({ reason }: PodCondition): boolean {
  return reason === pullReasons.failed || reason === pullReasons.pulled;
}

function revisionOf({ message = '' }: PodCondition): string | undefined {
  return /^controllerrevision:\s*(\S+)$/.exec(message)?.[1];
}
