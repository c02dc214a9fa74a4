import type { ExtendedDaemonSetReplicaSet } from '@atoll/api';
import type { ApiError, Pod, Stored } from '@atoll/kube';
import { refusedAmong, type RefusedTrials } from '../../engine/refused-trials.ts';
import { heldTargets, type TargetAnswers } from '../../engine/rollout/choose-targets.ts';
import type { HeldTargets, HoldRule, TargetHold } from '../../engine/rollout/target-hold.ts';
import { deletionName } from '../../engine/steps/deletion.ts';
import type { NodeTarget } from '../fleet/node-targets.ts';
import { creationName, trialName } from './trial-name.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

/**
 * A node whose pod stays, outdated or ended, because the API server refused to delete it or, when it was tried, the one that is to replace it; or that has
 * none, because that was refused.
 */
export interface RefusedNode {
  readonly node: NodeTarget;
  readonly trial: string;
  readonly answer: ApiError;
}

/** What was refused on the nodes as they are now, each by node. */
export interface RefusedByNode {
  /** The pod that is to replace an outdated one, when it was tried. */
  readonly successors: ReadonlyMap<string, RefusedNode>;
  /** The pod of a node that has none. */
  readonly creations: ReadonlyMap<string, RefusedNode>;
  /** The deletion of an outdated pod. */
  readonly undeletable: ReadonlyMap<string, RefusedNode>;
  /** The deletion of a pod that has ended and keeps the name. */
  readonly endsUndeleted: ReadonlyMap<string, RefusedNode>;
}

export function refusedByNode(
  replicaSet: ReplicaSet,
  targets: readonly NodeTarget[],
  refused: RefusedTrials,
): RefusedByNode {
  const where = (nameOf: (node: NodeTarget) => string | undefined): ReadonlyMap<string, RefusedNode> =>
    refusedWhere(targets, refused, nameOf);
  return {
    successors: where((node) => (outdatedPod(node) === undefined ? undefined : trialName(replicaSet, node))),
    creations: where(({ target: { id, at } }) =>
      at === 'nothing' ? creationName(replicaSet, id) : undefined,
    ),
    undeletable: where((node) => deletionNameOf(outdatedPod(node))),
    endsUndeleted: where(({ replaces }) => deletionNameOf(replaces)),
  };
}

/** The names of all that was refused, for the plan to remember. */
export function trialsOf({
  successors,
  creations,
  undeletable,
  endsUndeleted,
}: RefusedByNode): readonly string[] {
  return [successors, creations, undeletable, endsUndeleted].flatMap((of) =>
    [...of.values()].map(({ trial }) => trial),
  );
}

/** Holds the nodes whose pod was refused: the budget is spent on others meanwhile. */
export function untilTaken({ successors, creations, endsUndeleted }: RefusedByNode): HoldRule {
  const refused = [successors, creations, endsUndeleted].filter(({ size }) => size > 0);
  return ({ id }) => (refused.some((of) => of.has(id)) ? notTaken : undefined);
}

export const notTaken = {
  reason: 'ChildRefused',
  waitsFor: 'person',
  waitingUntil: 'the API server takes the pod that is to replace it',
} as const satisfies TargetHold;

/** The nodes that wait for the API server to take their pod, by what it refused, and those that are held for other reasons. */
export interface HeldNodes {
  readonly successors: readonly RefusedNode[];
  readonly creations: readonly RefusedNode[];
  readonly endsUndeleted: readonly RefusedNode[];
  readonly otherwise: HeldTargets;
}

export function heldNodes(
  answers: TargetAnswers,
  { successors, creations, endsUndeleted }: RefusedByNode,
): HeldNodes {
  const held = heldTargets(answers);
  const waiting = held.filter(([, { reason }]) => reason === notTaken.reason);
  const among = (of: ReadonlyMap<string, RefusedNode>): readonly RefusedNode[] =>
    waiting.flatMap(([id]) => of.get(id) ?? []);
  return {
    successors: among(successors),
    creations: among(creations),
    endsUndeleted: among(endsUndeleted),
    otherwise: held.filter(([, { reason }]) => reason !== notTaken.reason),
  };
}

/** By node, what was refused under the name that it has there, if any. */
function refusedWhere(
  targets: readonly NodeTarget[],
  refused: RefusedTrials,
  nameOf: (node: NodeTarget) => string | undefined,
): ReadonlyMap<string, RefusedNode> {
  const found = refusedAmong(targets, refused, nameOf);
  return new Map(found.map(({ of: node, ...refusal }) => [node.target.id, { node, ...refusal }]));
}

function outdatedPod({ pods: { kept }, matches }: NodeTarget): NodeTarget['pods']['kept'] {
  return matches ? undefined : kept;
}

function deletionNameOf(pod: Stored<Pod> | undefined): string | undefined {
  return pod === undefined ? undefined : deletionName(pod);
}
