import { agentNames, daemonSetUpdate } from '@atoll/api';
import { conditionOf, isApiError, pods, type Pod, type Stored } from '@atoll/kube';
import { done, refusal, type Answer } from '../http/answer.ts';
import { revisionOf, whyNotUpgradable } from '../pods/upgradable.ts';
import { failedWrite, readLivePod, type PodName } from './live-pod.ts';
import { writeTimeoutMs, type OtaContext } from './ota-context.ts';

const { imageReady, needUpgrade } = daemonSetUpdate.podConditions;

/** Asks for the images of the pod's next revision: the operator pulls them and answers in the same condition. */
export async function pullImage(context: OtaContext, name: PodName): Promise<Answer> {
  const { client, nodeName, clock, logger, compatStatusCodes } = context;
  const live = await readLivePod(context, name);
  if (!live.ok) return live.answer;
  const { pod } = live;
  const shown = `${name.namespace}/${name.name}`;
  const revision = revisionOf(conditionOf(pod, needUpgrade));
  const why =
    whyNotUpgradable(pod, nodeName) ??
    (revision === undefined ? `condition ${needUpgrade} names no controllerrevision` : undefined);
  if (why !== undefined) return refusal(403, `Failed to check pod status ${shown}, error: ${why}`);
  try {
    await client.patch(
      pods,
      name,
      { type: 'strategic', body: requestOf(pod, revision ?? '', clock.now()) },
      { subresource: 'status', fieldManager: agentNames.fieldManager, timeoutMs: writeTimeoutMs },
    );
  } catch (error) {
    if (!isApiError(error)) throw error;
    logger.warn({ err: error, pod: shown, uid: pod.metadata.uid }, 'pod status not patched');
    return failedWrite('Patch pod status for imagepull failed', error, compatStatusCodes);
  }
  return done(`Image pre-pull requested for pod ${shown}`);
}

/**
 * Names one condition and nothing else: conditions are merged by their type, so that those of others stay as they are. The uid
 * is a precondition.
 */
function requestOf(pod: Stored<Pod>, revision: string, now: number): object {
  const before = conditionOf(pod, imageReady);
  const since =
    before?.status === 'False' && before.lastTransitionTime !== undefined
      ? before.lastTransitionTime
      : `${new Date(now).toISOString().slice(0, 19)}Z`;
  const condition = {
    type: imageReady,
    status: 'False',
    // That of an earlier pull would stay otherwise.
    reason: null,
    message: `controllerrevision: ${revision}`,
    lastTransitionTime: since,
  };
  return { metadata: { uid: pod.metadata.uid }, status: { conditions: [condition] } };
}
