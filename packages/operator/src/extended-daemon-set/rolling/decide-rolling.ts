import type { ExtendedDaemonSetReplicaSet } from '@atoll/api';
import { scaleIntOrPercent, type ApiError, type Instant, type Pod, type Stored } from '@atoll/kube';
import { deletionName } from '../../engine/steps/deletion.ts';
import { earliest, earliestAfter } from '../../engine/earliest.ts';
import type { Hold } from '../../engine/hold.ts';
import type { RefusedTrials } from '../../engine/refused-trials.ts';
import {
  chooseTargets,
  isForItsPlace,
  type RolloutLimits,
  type TargetAnswer,
} from '../../engine/rollout/choose-targets.ts';
import { refusedLast, triedAgainAtMost } from '../../engine/rollout/deleted-in-turn.ts';
import { refusedHolds, type RefusedTarget } from '../../engine/rollout/refused-holds.ts';
import { joinTargetHolds, type HoldRule, type TargetHold } from '../../engine/rollout/target-hold.ts';
import type { Target } from '../../engine/rollout/target.ts';
import type { NodeTarget } from '../fleet/node-targets.ts';
import { madeInTurn, refusedInTurn } from './refused-in-turn.ts';
import { unresponsiveNodeCountsForMs } from './rolling-limits.ts';
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

/** What becomes of the pods of a replica set now. */
export interface Rolling {
  readonly replicaSet: ReplicaSet;
  readonly targets: readonly NodeTarget[];
  /** Nodes whose outdated pod is deleted, in order. */
  readonly deleted: readonly NodeTarget[];
  /** Nodes whose outdated pod could not be deleted before, and is to be now, in order. They have places that no others want. */
  readonly deletedAgain: readonly NodeTarget[];
  /** Nodes for which a pod is made, in order. */
  readonly created: readonly NodeTarget[];
  /** Nodes whose pod was refused and is tried again now, in order. They take no place of others. */
  readonly createdAgain: readonly NodeTarget[];
  /** Whose successor was refused, in the order of retries. */
  readonly refused: readonly RefusedNode[];
  /** Whose deletion was refused, of pods that are outdated and of those that have ended and keep the name. */
  readonly undeleted: readonly RefusedNode[];
  /** Where nothing runs, because the pod was refused. */
  readonly unmade: readonly RefusedNode[];
  /** Names of all that was refused on its nodes, also where it is held for other reasons meanwhile. */
  readonly remembers: readonly string[];
  readonly holds: readonly Hold[];
  readonly requeueAt: Instant | undefined;
}

/**
 * The pods that are deleted and made now, within the limits. A healthy pod is deleted only where its successor may be made: of the
 * creations that slow start allows, those for empty nodes come first.
 */
export function decideRolling(
  replicaSet: ReplicaSet,
  targets: readonly NodeTarget[],
  limits: RolloutLimits,
  {
    lastBatchAt,
    maxPodSchedulerFailure,
    refused,
    now,
  }: {
    readonly lastBatchAt: Instant | undefined;
    readonly maxPodSchedulerFailure: number | string;
    readonly refused: RefusedTrials;
    readonly now: Instant;
  },
): Rolling {
  const byId = new Map(targets.map((each) => [each.target.id, each]));
  const seen = countingLonger(targets, maxPodSchedulerFailure);
  const { successors, creations, undeletable, endsUndeleted } = refusedByNode(replicaSet, targets, refused);
  const whereRefused: HoldRule = ({ id }) =>
    [successors, creations, endsUndeleted].some((of) => of.has(id)) ? untilTaken : undefined;
  const holds = refused.size === 0 ? limits.holds : [...limits.holds, whereRefused];
  // Whatever becomes of one whose deletion was refused, it is inside the budget: no other one waits for its place.
  const within = { ...limits, holds, ...refusedLast(undeletable, now) };
  const chosen = chooseTargets({ targets: seen, limits: within, now, lastBatchAt });
  const [again, first] = partition([...chosen.byTarget], ([id]) => undeletable.has(id));
  const answers = withinCreations([...first, ...again], limits);
  const undeleted = answers.flatMap(([id, answer]) =>
    isForItsPlace(answer) ? (undeletable.get(id) ?? []) : [],
  );
  const isUndeleted = new Set(undeleted.map(({ node }) => node.target.id));
  const of = (does: TargetAnswer['do']): readonly NodeTarget[] =>
    answers.flatMap(([id, answer]) => {
      const found = answer.do === does ? byId.get(id) : undefined;
      return found === undefined ? [] : [found];
    });
  const [deletedAgain, deleted] = partition(of('start'), ({ target }) => isUndeleted.has(target.id));
  const held = answers.flatMap(([id, answer]) => (answer.do === 'hold' ? [[id, answer] as const] : []));
  const shown = held.filter(([id]) => !isUndeleted.has(id));
  const isRefused = ({ reason }: TargetHold): boolean => reason === untilTaken.reason;
  const heldIn = (of: ReadonlyMap<string, RefusedNode>): readonly RefusedNode[] =>
    shown.flatMap(([id, answer]) => (isRefused(answer) ? (of.get(id) ?? []) : []));
  const [stay, unmade, endsStay] = [heldIn(successors), heldIn(creations), heldIn(endsUndeleted)];
  const moreAt = held.map(([, { until }]) => until);
  return {
    replicaSet,
    targets,
    deleted,
    deletedAgain: deletedAgain.slice(0, triedAgainAtMost),
    created: of('create'),
    createdAgain: madeInTurn([...unmade, ...endsStay], now).map(({ node }) => node),
    refused: refusedInTurn(stay, now),
    undeleted: [...undeleted, ...endsStay],
    unmade,
    remembers: [successors, creations, undeletable, endsUndeleted].flatMap((of) =>
      [...of.values()].map(({ trial }) => trial),
    ),
    holds: forPeopleFirst([
      ...refusedHolds(untilTaken.reason, [...stay, ...unmade].map(answered)),
      ...refusedHolds('PodRefused', [...undeleted, ...endsStay].map(answered)),
      ...joinTargetHolds(shown.filter(([, answer]) => !isRefused(answer))),
    ]),
    requeueAt: earliest([
      chosen.requeueAt,
      earliestAfter(now, moreAt),
      earliestAfter(
        now,
        targets.map(({ changesAt }) => changesAt),
      ),
    ]),
  };
}

/** Its budget is spent on others meanwhile. */
const untilTaken = {
  reason: 'ChildRefused',
  waitsFor: 'person',
  waitingUntil: 'the API server takes the pod that is to replace it',
} as const;

/** What was refused on the nodes as they are now, each by node. */
interface RefusedByNode {
  /** The pod that is to replace an outdated one, when it was tried. */
  readonly successors: ReadonlyMap<string, RefusedNode>;
  /** The pod of a node that has none. */
  readonly creations: ReadonlyMap<string, RefusedNode>;
  /** The deletion of an outdated pod. */
  readonly undeletable: ReadonlyMap<string, RefusedNode>;
  /** The deletion of a pod that has ended and keeps the name. */
  readonly endsUndeleted: ReadonlyMap<string, RefusedNode>;
}

function refusedByNode(
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

/** By node, what was refused under the name that it has there, if any. */
function refusedWhere(
  targets: readonly NodeTarget[],
  refused: RefusedTrials,
  nameOf: (node: NodeTarget) => string | undefined,
): ReadonlyMap<string, RefusedNode> {
  if (refused.size === 0) return new Map();
  return new Map(
    targets.flatMap((node): readonly [string, RefusedNode][] => {
      const trial = nameOf(node);
      const answer = trial === undefined ? undefined : refused.get(trial);
      return trial === undefined || answer === undefined ? [] : [[node.target.id, { node, trial, answer }]];
    }),
  );
}

function answered({ node: { target }, answer }: RefusedNode): RefusedTarget {
  return { id: target.id, answer };
}

function outdatedPod({ pods: { kept }, matches }: NodeTarget): NodeTarget['pods']['kept'] {
  return matches ? undefined : kept;
}

function deletionNameOf(pod: Stored<Pod> | undefined): string | undefined {
  return pod === undefined ? undefined : deletionName(pod);
}

function partition<T>(all: readonly T[], is: (each: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [all.filter(is), all.filter((each) => !is(each))];
}

/**
 * Of the nodes that are away, or have a stuck pod, `maxPodSchedulerFailure` tolerates those that have been so the longest: they stop counting after a
 * short time. Of the others, those that are away stop counting after a long one, so that no dead node stops a rollout for good (BUG-19), and many
 * that go away at once do. Those with a stuck pod count for good: the template may be why, and it must not take down one node after another.
 */
function countingLonger(
  targets: readonly NodeTarget[],
  maxPodSchedulerFailure: number | string,
): readonly Target[] {
  const atMost = scaleIntOrPercent(maxPodSchedulerFailure, targets.length, 'up');
  const unresponsive = targets
    .flatMap(({ target: { id, reach }, stuckSince }) => {
      const since = reach === 'reachable' ? stuckSince : reach.awaySince;
      return since === undefined ? [] : [{ id, since }];
    })
    .sort((a, b) => a.since - b.since || (a.id < b.id ? -1 : 1));
  const tolerated = new Set(unresponsive.slice(0, atMost).map(({ id }) => id));
  const longer = unresponsiveNodeCountsForMs.others - unresponsiveNodeCountsForMs.tolerated;
  return targets.map(({ target, stuckSince }) => {
    const isTolerated = tolerated.has(target.id);
    if (target.reach !== 'reachable') {
      return isTolerated ? target : { ...target, reach: { awaySince: target.reach.awaySince + longer } };
    }
    return isTolerated && stuckSince !== undefined ? { ...target, reach: { awaySince: stuckSince } } : target;
  });
}

type Answers = readonly (readonly [string, TargetAnswer])[];

function withinCreations(answers: Answers, { creations }: RolloutLimits): Answers {
  if (creations === undefined) return answers;
  let left = creations.atMost - answers.filter(([, { do: does }]) => does === 'create').length;
  return answers.map(([id, answer]) => {
    if (answer.do !== 'start') return [id, answer];
    left -= 1;
    if (left >= 0) return [id, answer];
    const waitingUntil = 'slow start allows a new pod in its place';
    const until = creations.moreAt === undefined ? {} : { until: creations.moreAt };
    return [id, { do: 'hold', reason: 'CreationLimitReached', waitsFor: 'time', waitingUntil, ...until }];
  });
}

function forPeopleFirst(holds: readonly Hold[]): readonly Hold[] {
  return [
    ...holds.filter(({ waitsFor }) => waitsFor === 'person'),
    ...holds.filter(({ waitsFor }) => waitsFor !== 'person'),
  ];
}
