import type { ExtendedDaemonSetReplicaSet } from '@atoll/api';
import { scaleIntOrPercent, type Instant, type Stored } from '@atoll/kube';
import { earliest, earliestAfter } from '../../engine/earliest.ts';
import { hold, joinHolds, type Hold } from '../../engine/hold.ts';
import type { RefusedTrials } from '../../engine/refused-trials.ts';
import { chooseTargets, type RolloutLimits, type TargetAnswer } from '../../engine/rollout/choose-targets.ts';
import { joinTargetHolds, type HoldRule, type TargetHold } from '../../engine/rollout/target-hold.ts';
import type { Target } from '../../engine/rollout/target.ts';
import type { NodeTarget } from '../fleet/node-targets.ts';
import { refusedInTurn } from './refused-in-turn.ts';
import { unresponsiveNodeCountsForMs } from './rolling-limits.ts';
import { trialName } from './trial-name.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

/** What becomes of the pods of a replica set now. */
export interface Rolling {
  readonly replicaSet: ReplicaSet;
  readonly targets: readonly NodeTarget[];
  /** Nodes whose outdated pod is deleted, in order. */
  readonly deleted: readonly NodeTarget[];
  /** Nodes for which a pod is made, in order. */
  readonly created: readonly NodeTarget[];
  /** Nodes whose outdated pod stays because the API server refused, when it was tried, the one that is to replace it; in the order of retries. */
  readonly refused: readonly NodeTarget[];
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
  const seen = countingLonger(
    targets.map(({ target }) => target),
    maxPodSchedulerFailure,
  );
  const answerTo = ({ id }: Target): string | undefined => {
    const found = byId.get(id);
    const isOutdated = found?.pods.kept !== undefined && !found.matches;
    return isOutdated ? refused.get(trialName(replicaSet, found)) : undefined;
  };
  const whereRefused: HoldRule = (target) => (answerTo(target) === undefined ? undefined : untilTaken);
  const holds = refused.size === 0 ? limits.holds : [...limits.holds, whereRefused];
  const chosen = chooseTargets({ targets: seen, limits: { ...limits, holds }, now, lastBatchAt });
  const answers = withinCreations([...chosen.byTarget], limits);
  const of = (does: TargetAnswer['do']): readonly NodeTarget[] =>
    answers.flatMap(([id, answer]) => {
      const found = answer.do === does ? byId.get(id) : undefined;
      return found === undefined ? [] : [found];
    });
  const held = answers.flatMap(([id, answer]) => (answer.do === 'hold' ? [[id, answer] as const] : []));
  const isRefused = ({ reason }: TargetHold): boolean => reason === untilTaken.reason;
  const stay = held.flatMap(([id, answer]) => (isRefused(answer) ? (byId.get(id) ?? []) : []));
  const moreAt = held.map(([, { until }]) => until);
  return {
    replicaSet,
    targets,
    deleted: of('start'),
    created: of('create'),
    refused: refusedInTurn(stay, now),
    holds: forPeopleFirst([
      ...refusedHolds(stay.map(({ target }) => [target.id, answerTo(target) ?? ''])),
      ...joinTargetHolds(held.filter(([, answer]) => !isRefused(answer))),
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

/** One hold with what the API server answered. The event is that of the trial. */
function refusedHolds(answers: readonly (readonly [string, string])[]): readonly Hold[] {
  const { reason, waitsFor } = untilTaken;
  const single = answers.map(([node, problem]) => hold(reason, waitsFor, [node], { problem }, false));
  return joinHolds(single).map((each) => ({ ...each, passing: true }));
}

/**
 * Of the nodes that are away `maxPodSchedulerFailure` tolerates those that have been so the longest: they stop counting after a short time, and the
 * others after a long one. So no dead node stops a rollout for good (BUG-19), and many that go away at once do.
 */
function countingLonger(
  targets: readonly Target[],
  maxPodSchedulerFailure: number | string,
): readonly Target[] {
  const tolerated = scaleIntOrPercent(maxPodSchedulerFailure, targets.length, 'up');
  const away = targets
    .flatMap(({ id, reach }) => (reach === 'reachable' ? [] : [{ id, since: reach.awaySince }]))
    .sort((a, b) => a.since - b.since || (a.id < b.id ? -1 : 1));
  const others = new Map(
    away
      .slice(tolerated)
      .map(({ id, since }) => [
        id,
        since + unresponsiveNodeCountsForMs.others - unresponsiveNodeCountsForMs.tolerated,
      ]),
  );
  return targets.map((target) => {
    const awaySince = others.get(target.id);
    return awaySince === undefined ? target : { ...target, reach: { awaySince } };
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
