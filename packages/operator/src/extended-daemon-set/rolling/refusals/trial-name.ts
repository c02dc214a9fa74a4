import type { ExtendedDaemonSetReplicaSet } from '@atoll/api';
import type { Stored } from '@atoll/kube';
import type { NodeTarget } from '../../fleet/nodes/node-targets.ts';
import { variantOf } from '../../overrides/pod-variant.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

/** A node, and the overrides that its pod would get. */
interface TriedNode extends Pick<NodeTarget, 'overrides'> {
  readonly target: Pick<NodeTarget['target'], 'id'>;
}

/** Names the creation of a node's pod, where nothing runs. */
export function creationName({ metadata: { uid } }: ReplicaSet, node: string): string {
  return `${uid} on ${node}`;
}

/** Names the trial of a node's pod. Overrides are a part of it, because what was refused says nothing of a pod with others. */
export function trialName({ metadata: { uid } }: ReplicaSet, { overrides, target }: TriedNode): string {
  return `${uid} ${variantOf(overrides)} on ${target.id}`;
}
