import { agentNames, daemonSetUpdate } from '@atoll/api';
import { isApiError, pods } from '@atoll/kube';
import { done, refusal, type Answer } from '../http/answer.ts';
import { hasPullCondition, whyNotUpgradable } from '../pods/upgradable.ts';
import { failedWrite, readLivePod, type PodName } from './live-pod.ts';
import { writeTimeoutMs, type OtaContext } from './ota-context.ts';

const { imageReady } = daemonSetUpdate.podConditions;

/**
 * Takes back that images were asked for, answered or not: the pod can be upgraded without them, and the operator ends the Job that pulls them. Only the one
 * condition goes, and only where it is about such a pull.
 */
export async function takeBackPull(context: OtaContext, name: PodName): Promise<Answer> {
  const { client, nodeName, logger, compatStatusCodes } = context;
  const live = await readLivePod(context, name);
  if (!live.ok) return live.answer;
  const { pod } = live;
  const shown = `${name.namespace}/${name.name}`;
  const why = whyNotUpgradable(pod, nodeName);
  if (why !== undefined) return refusal(403, `Failed to check pod status ${shown}, error: ${why}`);
  if (!hasPullCondition(pod)) return done(`No image pre-pull is requested for pod ${shown}`);
  const body = {
    metadata: { uid: pod.metadata.uid, resourceVersion: pod.metadata.resourceVersion },
    status: { conditions: [{ $patch: 'delete', type: imageReady }] },
  };
  try {
    await client.patch(
      pods,
      name,
      { type: 'strategic', body },
      { subresource: 'status', fieldManager: agentNames.fieldManager, timeoutMs: writeTimeoutMs },
    );
  } catch (error) {
    if (!isApiError(error)) throw error;
    logger.warn({ err: error, pod: shown, uid: pod.metadata.uid }, 'pod status not patched');
    return failedWrite('Patch pod status for imagepull failed', error, compatStatusCodes);
  }
  return done(`Image pre-pull taken back for pod ${shown}`);
}
