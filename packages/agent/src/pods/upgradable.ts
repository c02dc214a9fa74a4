import { daemonSetUpdate } from '@atoll/api';
import { conditionOf, type Pod, type PodCondition } from '@atoll/kube';

const {
  podConditions: { needUpgrade, imageReady },
  pullReasons,
} = daemonSetUpdate;

/** Whether an upgrade of this pod may be asked for; that its image is ready is not looked at. */
export function isUpgradable(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp === undefined && conditionOf(pod, needUpgrade)?.status === 'True';
}

/** Why this agent must not upgrade the pod; undefined: it may. */
export function whyNotUpgradable(pod: Pod, nodeName: string): string | undefined {
  const name = `pod ${pod.metadata.namespace ?? ''}/${pod.metadata.name}`;
  if (pod.metadata.deletionTimestamp !== undefined) return `${name} is being deleted`;
  if (pod.spec?.nodeName !== nodeName)
    return `${name} is on node ${pod.spec?.nodeName ?? '(none)'}, not on ${nodeName}`;
  const condition = conditionOf(pod, needUpgrade);
  if (condition?.status !== 'True')
    return `condition ${needUpgrade} of ${name} is ${condition?.status ?? 'absent'}, not True`;
  return undefined;
}

/** Why the image that was asked for is not there; undefined: it is, or was not asked for. */
export function whyImageNotReady(pod: Pod): string | undefined {
  const image = conditionOf(pod, imageReady);
  if (image === undefined || !isPullCondition(image)) return undefined;
  const name = `pod ${pod.metadata.namespace ?? ''}/${pod.metadata.name}`;
  if (image.status !== 'True')
    return `condition ${imageReady} of ${name} is ${image.status}: ${whyNotPulled(image)}`;
  const wanted = revisionOf(conditionOf(pod, needUpgrade));
  const pulled = revisionOf(image);
  return pulled === wanted
    ? undefined
    : `condition ${imageReady} of ${name} is for revision ${pulled ?? '(none)'}, the pod is to be upgraded to ${wanted ?? '(none)'}. Ask for its images again (imagepull)`;
}

/** A request without an answer has a message for the operator alone. */
function whyNotPulled(image: PodCondition): string {
  const revision = isAnswer(image) ? undefined : revisionOf(image);
  if (revision === undefined) return image.message ?? 'no message';
  return `the images of revision ${revision} were asked for, and the operator has not answered yet (its controller image-pre-pull). To upgrade the pod without them, take the request back (DELETE imagepull)`;
}

/** Whether the condition of the pod is about images that were asked for. */
export function hasPullCondition(pod: Pod): boolean {
  const image = conditionOf(pod, imageReady);
  return image !== undefined && isPullCondition(image);
}

/** Whether the condition is about a pull for an upgrade, as for the operator: its type alone may be another controller's too. */
function isPullCondition(condition: PodCondition): boolean {
  return isAnswer(condition) || revisionOf(condition) !== undefined;
}

function isAnswer({ reason }: PodCondition): boolean {
  return reason === pullReasons.pulled || reason === pullReasons.failed;
}

/** The revision that a condition names in its message, `controllerrevision: <hash>` and no more, as for the operator. */
export function revisionOf(condition: PodCondition | undefined): string | undefined {
  return /^controllerrevision:\s*(\S+)$/.exec(condition?.message ?? '')?.[1];
}
