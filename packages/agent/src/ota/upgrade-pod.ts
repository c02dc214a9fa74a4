import { isApiError, pods, type Pod, type Stored } from '@atoll/kube';
import { done, refusal, type Answer } from '../http/answer.ts';
import { whyImageNotReady, whyNotUpgradable } from '../pods/upgradable.ts';
import { doesNotExist, failedWrite, readLivePod, type PodName } from './live-pod.ts';
import { writeTimeoutMs, type OtaContext, type SaveFailure } from './ota-context.ts';
import type { UpgradeRecord } from './upgrade-record.ts';

/** Deletes a pod whose owner node asks for its upgrade; its DaemonSet makes the new one. */
export async function upgradePod(context: OtaContext, name: PodName): Promise<Answer> {
  return context.upgrades.once(name.namespace, name.name, async () => {
    const live = await readLivePod(context, name);
    if (!live.ok) return live.answer;
    return refuseUpgrade(live.pod, context.nodeName) ?? deletePod(context, name, live.pod);
  });
}

/** The answer to an upgrade that is not allowed; undefined: it is. In yurthub's order. */
export function refuseUpgrade(pod: Pod, nodeName: string): Answer | undefined {
  const why = whyNotUpgradable(pod, nodeName) ?? whyImageNotReady(pod);
  if (why !== undefined) return refusal(403, `Pre check update pod failed, ${why}`);
  const [owner] = pod.metadata.ownerReferences ?? [];
  if (owner === undefined) return refusal(400, 'Pod has no owner references');
  if (owner.kind === 'Node') return refuseStaticPod(pod.metadata.name ?? '', nodeName);
  if (owner.kind !== 'DaemonSet') return refusal(400, `Not support ota upgrade pod type ${owner.kind}`);
  return undefined;
}

/**
 * A static pod is owned by its Node. Its next manifest would be in a ConfigMap of a YurtStaticSet, and Atoll makes none: the answers are
 * those of yurthub on a cluster without it.
 */
function refuseStaticPod(name: string, nodeName: string): Answer {
  return name.endsWith(`-${nodeName}`)
    ? refusal(403, 'Configmap for static pod does not exist')
    : refusal(500, 'Static pod pre-check failed');
}

/**
 * Deletes the pod; what was asked for is on disk before, so that an agent that crashes meanwhile can report how it went on. Where the disk
 * does not take it, nothing is deleted.
 */
async function deletePod(context: OtaContext, name: PodName, pod: Stored<Pod>): Promise<Answer> {
  const { client, clock, logger, upgrades, save, compatStatusCodes } = context;
  const { uid, ownerReferences = [] } = pod.metadata;
  const record: UpgradeRecord = {
    namespace: name.namespace,
    pod: name.name,
    uid,
    owner: ownerReferences[0]?.uid ?? '',
    since: new Date(clock.now()).toISOString(),
    isConfirmed: false,
  };
  const before = upgrades.get(name.namespace, name.name);
  upgrades.put(record);
  const failure = await save();
  if (failure !== undefined) {
    forget(context, record, before);
    return notRecorded(name, failure);
  }
  try {
    // The uid that was judged: a pod that took its name meanwhile is another one.
    await client.delete(pods, name, { uid, timeoutMs: writeTimeoutMs });
  } catch (error) {
    if (!isApiError(error)) throw error;
    logger.warn({ err: error, pod: `${name.namespace}/${name.name}`, uid }, 'pod not deleted');
    // Without an answer the pod itself will show it.
    if (error.fate !== 'in-doubt') forget(context, record, before);
    if (error.reason === 'NotFound' && !compatStatusCodes) return doesNotExist(name);
    return failedWrite('Apply update failed', error, compatStatusCodes);
  }
  upgrades.put({ ...record, isConfirmed: true });
  await save();
  return done(`Start updating pod ${name.namespace}/${name.name}`);
}

/** As before this request, in the file too: an agent that starts with the record would take the pod's end, whatever its cause, for the upgrade. */
function forget(context: OtaContext, record: UpgradeRecord, before: UpgradeRecord | undefined): void {
  const { upgrades, changed } = context;
  upgrades.remove(record);
  if (before !== undefined) upgrades.put(before);
  changed();
}

const withoutRoom: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

function notRecorded({ namespace, name }: PodName, { file, error }: SaveFailure): Answer {
  const why = error instanceof Error ? error.message : String(error);
  const advice = withoutRoom.has((error as NodeJS.ErrnoException).code)
    ? 'Make room on that disk'
    : 'Make sure that the agent can write there';
  return refusal(
    503,
    `Pod ${namespace}/${name} is not upgraded: the upgrade cannot be recorded in ${file}: ${why}. ${advice}, then ask again`,
  );
}
