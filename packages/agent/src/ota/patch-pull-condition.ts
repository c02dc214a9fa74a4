import { agentNames } from '@atoll/api';
import { isApiError, pods, type Pod, type Stored } from '@atoll/kube';
import type { Answer } from '../http/answer.ts';
import { failedWrite, type PodName } from './live-pod.ts';
import { writeTimeoutMs, type OtaContext } from './ota-context.ts';

/**
 * Writes the one condition by which images are asked for, and nothing else: conditions are merged by their type, so that those of others stay as they
 * are. `metadata` is a precondition. Returns the answer to the caller where it failed; undefined: it is written.
 */
export async function patchPullCondition(
  { client, logger, compatStatusCodes }: OtaContext,
  name: PodName,
  metadata: Pick<Stored<Pod>['metadata'], 'uid'> & { readonly resourceVersion?: string },
  condition: object,
): Promise<Answer | undefined> {
  try {
    await client.patch(
      pods,
      name,
      { type: 'strategic', body: { metadata, status: { conditions: [condition] } } },
      { subresource: 'status', fieldManager: agentNames.fieldManager, timeoutMs: writeTimeoutMs },
    );
    return undefined;
  } catch (error) {
    if (!isApiError(error)) throw error;
    logger.warn(
      { err: error, pod: `${name.namespace}/${name.name}`, uid: metadata.uid },
      'pod status not patched',
    );
    return failedWrite('Patch pod status for imagepull failed', error, compatStatusCodes);
  }
}
