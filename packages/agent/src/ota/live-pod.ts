import { isApiError, pods, type ApiError, type Pod, type Stored } from '@atoll/kube';
import { refusal, type Answer } from '../http/answer.ts';
import type { OtaContext } from './ota-context.ts';

/** Milliseconds after which the node counts as disconnected. */
const answersWithinMs = 4_000;

export interface PodName {
  readonly namespace: string;
  readonly name: string;
}

export type LivePod =
  { readonly ok: true; readonly pod: Stored<Pod> } | { readonly ok: false; readonly answer: Answer };

/** Reads the pod from the API server; otherwise yields the answer with the reason. */
export async function readLivePod(
  { client, compatStatusCodes, reached }: Pick<OtaContext, 'client' | 'compatStatusCodes' | 'reached'>,
  name: PodName,
): Promise<LivePod> {
  try {
    const pod = await client.get(pods, name, { timeoutMs: answersWithinMs });
    reached();
    // What has none cannot be named in a precondition: another pod may have its name by then.
    if (!hasUid(pod)) return { ok: false, answer: refusal(500, 'Get pod failed, the pod has no uid') };
    return { ok: true, pod };
  } catch (error) {
    if (!isApiError(error)) throw error;
    return { ok: false, answer: failedRead(error, name, compatStatusCodes) };
  }
}

/** Whatever answers for the API server is not bound to the type. */
function hasUid({ metadata }: Pod): boolean {
  return typeof metadata.uid === 'string' && metadata.uid !== '';
}

function failedRead(error: ApiError, name: PodName, compatStatusCodes: boolean): Answer {
  if (error.reason === 'NetworkError' || error.reason === 'Timeout')
    return refusal(503, 'OTA upgrade is not allowed when node is disconnected to cloud');
  if (error.reason === 'NotFound' && !compatStatusCodes) return doesNotExist(name);
  return refusal(500, `Get pod failed, ${causeOf(error)}`);
}

/** In the words of the API server, where it has answered. */
function causeOf(error: ApiError): string {
  return error.status?.message ?? error.message;
}

/** The answer where a write failed: with the cause, which yurthub leaves out. */
export function failedWrite(what: string, error: ApiError, compatStatusCodes: boolean): Answer {
  return refusal(500, compatStatusCodes ? what : `${what}, ${causeOf(error)}`);
}

export function doesNotExist({ namespace, name }: PodName): Answer {
  return refusal(404, `Pod ${namespace}/${name} does not exist`);
}
