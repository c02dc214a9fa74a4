import { daemonSetUpdate } from '@atoll/api';
import { done, refusal, type Answer } from '../http/answer.ts';
import { hasPullCondition, whyNotUpgradable } from '../pods/upgradable.ts';
import { readLivePod, type PodName } from './live-pod.ts';
import type { OtaContext } from './ota-context.ts';
import { patchPullCondition } from './patch-pull-condition.ts';

const { imageReady } = daemonSetUpdate.podConditions;

/**
 * Takes back that images were asked for, answered or not: the pod can be upgraded without them, and the operator ends the Job that pulls them. Only the one
 * condition goes, and only where it is about such a pull.
 */
export async function takeBackPull(context: OtaContext, name: PodName): Promise<Answer> {
  const live = await readLivePod(context, name);
  if (!live.ok) return live.answer;
  const { pod } = live;
  const shown = `${name.namespace}/${name.name}`;
  const why = whyNotUpgradable(pod, context.nodeName);
  if (why !== undefined) return refusal(403, `Failed to check pod status ${shown}, error: ${why}`);
  if (!hasPullCondition(pod)) return done(`No image pre-pull is requested for pod ${shown}`);
  const { uid, resourceVersion } = pod.metadata;
  const removed = { $patch: 'delete', type: imageReady };
  const failed = await patchPullCondition(context, name, { uid, resourceVersion }, removed);
  return failed ?? done(`Image pre-pull taken back for pod ${shown}`);
}
