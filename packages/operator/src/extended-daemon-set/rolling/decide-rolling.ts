import type { ExtendedDaemonSetReplicaSet } from '@atoll/api';
import type { Instant, Stored } from '@atoll/kube';
import { earliestAfter } from '../../engine/earliest.ts';
import type { Hold } from '../../engine/hold.ts';
import type { RefusedTrials } from '../../engine/refused-trials.ts';
import {
  chooseTargets,
  heldTargets,
  untilNodeBack,
  type RolloutLimits,
  type TargetAnswers,
} from '../../engine/rollout/choose-targets.ts';
import { refusedLast } from '../../engine/rollout/deleted-in-turn.ts';
import { deletionsOf } from '../../engine/rollout/deletions-of.ts';
import { refusedHolds, type RefusedTarget } from '../../engine/rollout/refused-holds.ts';
import { isAtWanted } from '../../engine/rollout/target.ts';
import {
  forPeopleFirst,
  joinTargetHolds,
  type HeldTargets,
  type HoldRule,
} from '../../engine/rollout/target-hold.ts';
import { untilPlaced } from '../fleet/nodes/misplaced-pods.ts';
import type { NodeTarget } from '../fleet/nodes/node-targets.ts';
import { goneSettings, whereSettingGone, type GoneSettings } from './gone-settings.ts';
import { unreadableHolds, whereUnreadable, withoutUnreadable } from './unreadable-settings.ts';
import { madeInTurn, successorsInTurn } from './refusals/refused-in-turn.ts';
import {
  heldNodes,
  notTaken,
  refusedByNode,
  trialsOf,
  untilTaken,
  type RefusedByNode,
} from './refusals/refused-nodes.ts';
import type { RefusedNode } from './refusals/refused-successors.ts';
import { countingLonger } from './unresponsive-nodes.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

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
  /** Whose successor was refused, or counts as refused because those of other nodes were. */
  readonly refused: readonly RefusedNode[];
  /** Those of them whose successor is tried again now. */
  readonly triedAgain: readonly RefusedNode[];
  /** Variants whose pods are tried one by one, each with how many may be refused (`RefusedSuccessors.doubtful`). */
  readonly doubtful: ReadonlyMap<string, number>;
  /** Whose deletion was refused, of pods that are outdated and of those that have ended and keep the name. */
  readonly undeleted: readonly RefusedNode[];
  /** Where nothing runs, because the pod was refused. */
  readonly unmade: readonly RefusedNode[];
  /** Names of all that was refused on its nodes, also where it is held for other reasons meanwhile. */
  readonly remembers: readonly string[];
  /** The settings that are gone, and that outdated pods were made with. */
  readonly settingsGone: GoneSettings;
  readonly holds: readonly Hold[];
  readonly requeueAt: Instant | undefined;
}

/** What a rolling update depends on besides its nodes and limits. */
interface Circumstances {
  /** When the last batch of deletions was sent; undefined: none was, or it is not known. */
  readonly lastBatchAt: Instant | undefined;
  readonly maxPodSchedulerFailure: number | string;
  readonly refused: RefusedTrials;
  readonly now: Instant;
}

/**
 * The pods that are deleted and made now, within the limits. A healthy pod is deleted only where its successor may be made: of the
 * creations that slow start allows, those for empty nodes come first.
 */
export function decideRolling(
  replicaSet: ReplicaSet,
  targets: readonly NodeTarget[],
  limits: RolloutLimits,
  circumstances: Circumstances,
): Rolling {
  const { now } = circumstances;
  const byId = new Map(targets.map((each) => [each.target.id, each]));
  const nodesOf = (ids: readonly string[]): readonly NodeTarget[] => ids.flatMap((id) => byId.get(id) ?? []);
  const refused = refusedByNode(replicaSet, targets, circumstances.refused, circumstances);
  const settingsGone = goneSettings(replicaSet, targets, now);
  const holds = [...limits.holds, whereSettingGone(targets, settingsGone)];
  const answers = answersFor(targets, { ...limits, holds }, refused, circumstances);
  const { deleted, deletedAgain, undeleted, others } = deletionsOf(answers, refused.undeletable);
  const held = heldNodes(others, refused);
  const allUndeleted = [...undeleted, ...held.endsUndeleted];
  const untils = heldTargets(answers).map(([, { until }]) => until);
  return {
    replicaSet,
    targets,
    deleted: nodesOf(deleted),
    deletedAgain: nodesOf(deletedAgain),
    created: nodesOf(answers.flatMap(([id, answer]) => (answer.do === 'create' ? [id] : []))),
    createdAgain: madeInTurn([...held.creations, ...held.endsUndeleted], now).map(({ node }) => node),
    refused: held.successors,
    triedAgain: successorsInTurn(
      held.successors.flatMap(({ node: { target } }) => refused.successors.known.get(target.id) ?? []),
      refused.successors,
      now,
    ),
    doubtful: refused.successors.doubtful,
    undeleted: allUndeleted,
    unmade: held.creations,
    remembers: trialsOf(refused),
    settingsGone,
    holds: forPeopleFirst([
      ...refusedHolds(notTaken.reason, [...held.successors, ...held.creations].map(answered)),
      ...refusedHolds('PodRefused', allUndeleted.map(answered)),
      ...unreadableHolds(targets),
      ...joinTargetHolds([...withoutUnreadable(held.otherwise), ...onAwayNodes(targets)]),
    ]),
    requeueAt: earliestAfter(now, [...untils, ...targets.map(({ changesAt }) => changesAt)]),
  };
}

/** An answer for each node. One whose deletion was refused is inside the budget, whatever becomes of it: no other one waits for its place. */
function answersFor(
  targets: readonly NodeTarget[],
  limits: RolloutLimits,
  refused: RefusedByNode,
  { lastBatchAt, maxPodSchedulerFailure, now }: Circumstances,
): TargetAnswers {
  const within = {
    ...limits,
    holds: [...limits.holds, whereUnreadable(targets), whereMisplaced(targets), untilTaken(refused)],
    ...refusedLast(refused.undeletable, now),
  };
  const counted = countingLonger(targets, maxPodSchedulerFailure);
  const { byTarget } = chooseTargets({ targets: counted, limits: within, now, lastBatchAt });
  const isAgain = ([id]: TargetAnswers[number]): boolean => refused.undeletable.has(id);
  const answers = [...byTarget];
  return withinCreations([...answers.filter((each) => !isAgain(each)), ...answers.filter(isAgain)], limits);
}

function whereMisplaced(targets: readonly NodeTarget[]): HoldRule {
  const misplaced = new Set(targets.flatMap(({ target, misplaced: pod }) => (pod ? [target.id] : [])));
  return ({ id, at }) => (at === 'nothing' && misplaced.has(id) ? untilPlaced : undefined);
}

/** Where the pod is as it should be, and nothing is to be done: only its node keeps it from being Ready. */
function onAwayNodes(targets: readonly NodeTarget[]): HeldTargets {
  return targets.flatMap(({ target }) =>
    isAtWanted(target) && target.reach !== 'reachable' ? [[target.id, untilNodeBack(target)] as const] : [],
  );
}

function answered({ node: { target }, answer }: RefusedNode): RefusedTarget {
  return { id: target.id, answer };
}

/** As many pods are deleted as slow start allows new ones in their places. */
function withinCreations(answers: TargetAnswers, { creations }: RolloutLimits): TargetAnswers {
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
