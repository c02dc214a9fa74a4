import type { ExtendedDaemonSetReplicaSet } from '@atoll/api';
import type { ApiError, Instant, Stored } from '@atoll/kube';
import { turnAt } from '../../engine/rollout/deleted-in-turn.ts';
import type { RefusedTrials } from '../../engine/refused-trials.ts';
import type { NodeTarget } from '../fleet/node-targets.ts';
import { variantOf } from '../overrides/pod-variant.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

/** A node, and the overrides that its pod would get. */
interface TriedNode extends Pick<NodeTarget, 'overrides'> {
  readonly target: Pick<NodeTarget['target'], 'id'>;
}

/** Names the creation of a node's pod, where nothing runs. */
export function creationName({ metadata: { uid } }: ReplicaSet, node: string): string {
  return `${uid} on ${node}`;
}

const turnMark = ' since turn ';

/**
 * Names the trial of a node's pod, with the turn in which it is tried first: no more than a few may be refused in each. Overrides are a part of it, because
 * what was refused says nothing of a pod with others.
 */
export function trialName(replicaSet: ReplicaSet, node: TriedNode, now: Instant): string {
  return `${triedPod(replicaSet, node)}${turnMark}${turnAt(now)}`;
}

/** A trial that was refused. */
export interface RefusedTrial {
  readonly trial: string;
  readonly turn: number;
  readonly answer: ApiError;
}

/** Of each node the trial of the pod that it would get now, if that was refused. */
export function refusedTrials(
  replicaSet: ReplicaSet,
  refused: RefusedTrials,
): (node: TriedNode) => RefusedTrial | undefined {
  const byPod = new Map(
    [...refused].flatMap(([trial, answer]): readonly (readonly [string, RefusedTrial])[] => {
      const end = trial.lastIndexOf(turnMark);
      if (end < 0) return [];
      return [[trial.slice(0, end), { trial, turn: Number(trial.slice(end + turnMark.length)), answer }]];
    }),
  );
  return byPod.size === 0 ? () => undefined : (node) => byPod.get(triedPod(replicaSet, node));
}

function triedPod({ metadata: { uid } }: ReplicaSet, { overrides, target }: TriedNode): string {
  return `${uid} ${variantOf(overrides)} on ${target.id}`;
}
