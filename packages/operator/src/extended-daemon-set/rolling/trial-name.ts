import type { ExtendedDaemonSetReplicaSet } from '@atoll/api';
import type { Stored } from '@atoll/kube';
import type { NodeTarget } from '../fleet/node-targets.ts';
import { variantOf } from '../overrides/pod-variant.ts';

/** Names the creation of a node's pod, where nothing runs. */
export function creationName(
  { metadata: { uid } }: Stored<ExtendedDaemonSetReplicaSet>,
  node: string,
): string {
  return `${uid} on ${node}`;
}

/** Names the trial of a node's pod: the same for all pods of the replica set that have the same variant. */
export function trialName(
  { metadata: { uid } }: Stored<ExtendedDaemonSetReplicaSet>,
  { overrides }: NodeTarget,
): string {
  return `${uid} ${variantOf(overrides)}`;
}
