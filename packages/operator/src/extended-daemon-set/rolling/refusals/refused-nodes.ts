import type { ExtendedDaemonSetReplicaSet } from '@atoll/api';
import type { Instant, Pod, Stored } from '@atoll/kube';
import { refusedRetryMs } from '../../../engine/executor/answers/refusals.ts';
import { refusedAmong, type RefusedTrials } from '../../../engine/refused-trials.ts';
import { heldTargets, isForItsPlace, type TargetAnswers } from '../../../engine/rollout/choose-targets.ts';
import { turnAt } from '../../../engine/rollout/deleted-in-turn.ts';
import type { HeldTargets, HoldRule, TargetHold } from '../../../engine/rollout/target-hold.ts';
import { deletionName } from '../../../engine/steps/deletion.ts';
import type { NodeTarget } from '../../fleet/nodes/node-targets.ts';
import {
  isOutdated,
  refusedSuccessors,
  type RefusedNode,
  type RefusedSuccessors,
} from './refused-successors.ts';
import { creationName } from './trial-name.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

/** What was refused on the nodes as they are now, each by node. */
export interface RefusedByNode {
  /** The pod that is to replace an outdated one, when it was tried. */
  readonly successors: RefusedSuccessors;
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
  times: { readonly lastBatchAt: Instant | undefined; readonly now: Instant },
): RefusedByNode {
  const where = (nameOf: (node: NodeTarget) => string | undefined): ReadonlyMap<string, RefusedNode> =>
    refusedWhere(targets, refused, nameOf);
  const creations = where(({ target: { id, at } }) =>
    at === 'nothing' ? creationName(replicaSet, id) : undefined,
  );
  return {
    successors: refusedSuccessors(replicaSet, targets, refused, creations, times),
    creations,
    undeletable: where((node) => deletionNameOf(isOutdated(node) ? node.pods.kept : undefined)),
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
  return [successors.known, creations, undeletable, endsUndeleted].flatMap((of) =>
    [...of.values()].map(({ trial }) => trial),
  );
}

/** Holds the nodes whose pod was refused, and those that are not tried in this turn: the budget is spent on others meanwhile. */
export function untilTaken({ successors, creations, endsUndeleted }: RefusedByNode): HoldRule {
  const { known, believed, later } = successors;
  const refused = [known, creations, endsUndeleted].filter(({ size }) => size > 0);
  return ({ id }, now) => {
    if (refused.some((of) => of.has(id))) return notTaken;
    if (!later.has(id)) return undefined;
    return believed.has(id) ? notTaken : { ...notTried, until: (turnAt(now) + 1) * refusedRetryMs };
  };
}

export const notTaken = {
  reason: 'ChildRefused',
  waitsFor: 'person',
  waitingUntil: 'the API server takes the pod that is to replace it',
} as const satisfies TargetHold;

const notTried = {
  reason: 'BatchInterval',
  waitsFor: 'time',
  waitingUntil: 'more pods are tried: the API server refused those of several nodes',
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
  const { known, believed } = successors;
  // One of them may be tried now: what is said of all does not depend on whose turn it is.
  const isBelieved = ([id, answer]: TargetAnswers[number]): boolean =>
    believed.has(id) && isForItsPlace(answer);
  const isNotTaken = ([, answer]: TargetAnswers[number]): boolean =>
    answer.do === 'hold' && answer.reason === notTaken.reason;
  const waiting = answers.filter((each) => isNotTaken(each) || isBelieved(each));
  const among = (of: ReadonlyMap<string, RefusedNode>): readonly RefusedNode[] =>
    waiting.flatMap(([id]) => of.get(id) ?? []);
  return {
    successors: [...among(known), ...among(believed)],
    creations: among(creations),
    endsUndeleted: among(endsUndeleted),
    otherwise: heldTargets(answers.filter((each) => !isNotTaken(each) && !isBelieved(each))),
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

function deletionNameOf(pod: Stored<Pod> | undefined): string | undefined {
  return pod === undefined ? undefined : deletionName(pod);
}
