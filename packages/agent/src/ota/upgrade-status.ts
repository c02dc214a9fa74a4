import { controllerOf, isReady, type Pod, type Stored } from '@atoll/kube';
import type { UpgradeRecord } from './upgrade-record.ts';

/** How far an upgrade is, as `GET …/upgrade` shows it. */
export interface UpgradeStatus {
  /**
   * - `none`: this agent was not asked to upgrade the pod, or its deletion has not arrived;
   * - `deleting`: the old pod is still there; before the first list also where it is not known whether its deletion has arrived;
   * - `waiting`: it is gone, and the new one is not there or not Ready;
   * - `ready`: the new one is Ready.
   */
  readonly state: 'none' | 'deleting' | 'waiting' | 'ready';
  readonly oldUID?: string;
  readonly newPod?: { readonly name: string; readonly uid: string };
  /** RFC 3339: when the old pod was deleted. */
  readonly since?: string;
}

/**
 * What the pods of the node show of an upgrade that was asked for. `isListed`: they are those of the API server, and not as they were kept on disk,
 * which is from before the deletion. `pods` undefined: nothing was ever listed.
 */
export function upgradeStatus(
  record: UpgradeRecord | undefined,
  pods: readonly Stored<Pod>[] | undefined,
  isListed: boolean,
): UpgradeStatus {
  if (record === undefined) return { state: 'none' };
  const { uid, since } = record;
  const status = { oldUID: uid, since };
  if (pods === undefined) return { state: 'deleting', ...status };
  const old = pods.find((pod) => pod.metadata.uid === uid);
  if (old !== undefined) {
    const mayBeDeleted = record.isConfirmed || !isListed || old.metadata.deletionTimestamp !== undefined;
    return mayBeDeleted ? { state: 'deleting', ...status } : { state: 'none' };
  }
  const replacement = newestOf(record, pods);
  if (replacement === undefined) return { state: 'waiting', ...status };
  const { name, uid: newUid } = replacement.metadata;
  return { state: isReady(replacement) ? 'ready' : 'waiting', ...status, newPod: { name, uid: newUid } };
}

/** The pod that the DaemonSet runs on this node now. */
function newestOf(record: UpgradeRecord, pods: readonly Stored<Pod>[]): Stored<Pod> | undefined {
  return pods
    .filter(
      ({ metadata }) => metadata.namespace === record.namespace && metadata.deletionTimestamp === undefined,
    )
    .filter((pod) => controllerOf(pod)?.uid === record.owner)
    .toSorted((a, b) => (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? 1 : -1))[0];
}
