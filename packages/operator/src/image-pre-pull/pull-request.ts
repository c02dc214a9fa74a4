import { daemonSetUpdate } from '@atoll/api';
import { conditionOf, type Pod, type PodCondition, type Stored } from '@atoll/kube';

const { needUpgrade, imageReady } = daemonSetUpdate.podConditions;

/** Reasons of the condition `PodImageReady`, those of OpenYurt's controller. */
export const pullReasons = { pulled: 'PullImageSuccess', failed: 'PullImageFail' } as const;

/**
 * The revision whose images are asked for: the node agent sets `PodImageReady` to False for the revision that the pod is to be
 * upgraded to. undefined: nothing is asked for, or the answer is there; who asks again takes its reason off.
 */
export function requestedRevision(pod: Stored<Pod>): string | undefined {
  const [asked, offered] = [conditionOf(pod, imageReady), conditionOf(pod, needUpgrade)];
  if (asked?.status !== 'False' || isAnswer(asked)) return undefined;
  const revision = revisionOf(asked);
  return offered?.status === 'True' && revisionOf(offered) === revision ? revision : undefined;
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
