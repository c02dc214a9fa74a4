import {
  canaryPromotionPolicies,
  extendedDaemonSetAnnotations as annotations,
  replicaSetConditions,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetReplicaSet,
} from '@atoll/api';
import { conditionOf, instantOf, type Instant, type Pod, type Stored } from '@atoll/kube';
import type { RefusedTrials } from '../../engine/refused-trials.ts';
import { sameJson } from '../../engine/same-meaning.ts';
import type { FleetView } from '../fleet/fleet-view.ts';
import type { NodeTarget } from '../fleet/nodes/node-targets.ts';
import type { CanaryStrategy } from '../read-strategy.ts';
import { trueCondition, wasActive } from '../replica-sets/conditions.ts';
import { canarySince, decidedBefore, decidedByPeople, restartsOf } from './verdict/canary-evidence.ts';
import { judgeCanary, timeoutPolicy, withoutTimeout } from './verdict/canary-verdict.ts';
import type { CanaryEvidence, CanaryVerdict } from './verdict/canary-verdict.ts';
import { chooseCanaryNodes, type CanaryNodes } from './nodes/choose-canary-nodes.ts';
import { annotationsOfBefore } from './end-of-canary.ts';
import { judgedPods } from './verdict/judged-pods.ts';
import { mayPromote, type Promotion } from './verdict/may-promote.ts';
import type { LastRestart } from './verdict/pod-restarts.ts';
import { refusedCanaryNodes } from './nodes/refused-canary-nodes.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

/** A template that is tried before it goes to all nodes. */
export interface Canary {
  readonly replicaSet: ReplicaSet;
  readonly chosen: CanaryNodes;
  /** One for each of its nodes. */
  readonly targets: readonly NodeTarget[];
  /** The pods by whose restarts and starts it is judged. */
  readonly judged: readonly Stored<Pod>[];
  readonly verdict: CanaryVerdict;
  readonly promotion: Promotion;
  readonly restart: LastRestart | undefined;
  /** From when its duration counts: since it was made, or is tried again, without the time that it was paused. */
  readonly countsFrom: Instant;
  /** `canary-paused` is set, and has no effect beside `canary-unpaused`. */
  readonly isPauseInVain: boolean;
  /** Annotations that are meant for the canary before it. */
  readonly annotationsOfBefore: readonly string[];
  /** Names of what was refused, by which its nodes are chosen. */
  readonly remembers: readonly string[];
}

/** What a canary is judged by. */
export interface CanaryContext {
  readonly object: Stored<ExtendedDaemonSet>;
  readonly view: FleetView;
  /** The object's, and those that wait for their adoption. */
  readonly replicaSets: readonly ReplicaSet[];
  /** What of the spec a person must correct. */
  readonly problem: string | undefined;
  /** What the API server refused when it was tried. */
  readonly refused: RefusedTrials;
  readonly now: Instant;
}

/** Chooses the nodes of the canary, and judges it by its pods there. */
export function canaryOf(context: CanaryContext, replicaSet: ReplicaSet, strategy: CanaryStrategy): Canary {
  const { object, view, replicaSets, refused, now } = context;
  const { chosen, remembers } = nodesOf(context, replicaSet, strategy);
  const nodes = new Set(chosen.nodes);
  const targets = view.canaryTargets(replicaSet, (node) => nodes.has(node));
  const judged = judgedPods(replicaSet, targets, refused, now);
  const restarts = restartsOf(replicaSet, judged, now);
  // They are taken off before this one is recorded.
  const ofBefore = annotationsOfBefore(object, replicaSet.metadata.name, replicaSets);
  const evidence: CanaryEvidence = {
    strategy,
    pods: judged,
    since: canarySince(replicaSet, now),
    restarts: restarts.span,
    ...decidedBefore(replicaSet),
    ...decidedByPeople(object, ofBefore),
    now,
  };
  const tried = { replicaSet, strategy, chosen, targets, lastRestartAt: restarts.lastAt };
  const judgedBy = (asked: CanaryEvidence): Judged => withPromotion(judgeCanary(asked), context, tried);
  return {
    replicaSet,
    chosen,
    targets,
    judged,
    ...promotedInTime(judgedBy(evidence), () => judgedBy(withoutTimeout(evidence))),
    restart: restarts.newest,
    isPauseInVain: evidence.pausedByAnnotation !== undefined && evidence.unpausedByAnnotation,
    annotationsOfBefore: ofBefore,
    remembers,
  };
}

/** Its nodes. A template that takes the place of another canary's is tried on the same ones. */
function nodesOf(
  { object, view, problem, refused, now }: CanaryContext,
  replicaSet: ReplicaSet,
  strategy: CanaryStrategy,
): Pick<Canary, 'chosen' | 'remembers'> {
  const recorded = object.status?.canary?.nodes ?? [];
  const candidates = view.candidates(replicaSet);
  const refusedOn = refusedCanaryNodes(replicaSet, candidates.nodes, view, refused);
  const { remembers } = refusedOn;
  // How many it is to have, and which, is not known while the strategy cannot be used.
  if (problem !== undefined) return { chosen: { nodes: recorded }, remembers };
  const isOfCanary = view.isOfTemplate(replicaSet);
  // Its pod stays as it is, so none of the canary would come.
  const staying = new Set(candidates.nodes.filter(view.isUnreadable).map((node) => node.metadata.name));
  const cannotTake = (node: string): boolean => {
    if (refusedOn.has(node)) return true;
    const kept = staying.has(node) ? view.pods.get(node)?.kept : undefined;
    return kept !== undefined && !isOfCanary(kept);
  };
  return { chosen: chooseCanaryNodes(strategy, recorded, candidates, cannotTake, now), remembers };
}

type Judged = Pick<Canary, 'verdict' | 'countsFrom' | 'promotion'>;

/** A verdict, and whether the canary is promoted with it. */
function withPromotion(
  verdict: CanaryVerdict,
  { object: { metadata, status }, problem, now }: CanaryContext,
  {
    replicaSet,
    strategy,
    chosen,
    targets,
    lastRestartAt,
  }: Pick<Canary, 'replicaSet' | 'chosen' | 'targets'> & {
    readonly strategy: CanaryStrategy;
    readonly lastRestartAt: Instant | undefined;
  },
): Judged {
  const { name } = replicaSet.metadata;
  const recorded = status?.canary;
  const found = metadata.annotations ?? {};
  const createdAt = instantOf(replicaSet.metadata.creationTimestamp) ?? now;
  const countsFrom = countsFromOf(replicaSet, createdAt, verdict, now);
  const withoutHealth = found[annotations.canaryPromotion] === canaryPromotionPolicies.afterDuration;
  const isOnNodes = sameJson((recorded?.nodes ?? []).toSorted(), chosen.nodes.toSorted());
  const promotion = mayPromote({
    object: metadata,
    replicaSet: name,
    strategy,
    verdict,
    valid: found[annotations.canaryValid],
    problem: problem ?? chosen.problem,
    // The old operator counts the time of pauses too.
    countsFrom: withoutHealth ? createdAt : countsFrom,
    lastRestartAt,
    wasActive: wasActive(replicaSet),
    targets,
    isRecorded: recorded?.replicaSet === name && isOnNodes,
    withoutHealth,
    now,
  });
  return { verdict, countsFrom, promotion };
}

/**
 * A canary that may be promoted does not fail because nobody looked at it in time, as while no operator ran. Only its timeout is passed over, and
 * only as long as no status has the failure.
 */
function promotedInTime(judged: Judged, untimed: () => Judged): Judged {
  const { verdict } = judged;
  if (verdict.is !== 'failed' || verdict.by !== timeoutPolicy) return judged;
  const other = untimed();
  return other.promotion.promote ? other : judged;
}

/**
 * One that was no canary for a while, and never the active one, is tried anew. A pause that ends now is added: its condition is still True,
 * and turns with the write that records the sum.
 */
function countsFromOf(
  replicaSet: ReplicaSet,
  createdAt: Instant,
  { is }: CanaryVerdict,
  now: Instant,
): Instant {
  const wasTried = conditionOf(replicaSet, replicaSetConditions.canary)?.status === 'False';
  if (wasTried && !wasActive(replicaSet)) return now;
  const recorded = instantOf(conditionOf(replicaSet, replicaSetConditions.canaryDuration)?.lastUpdateTime);
  const pausedAt = instantOf(
    trueCondition(replicaSet, replicaSetConditions.canaryPaused)?.lastTransitionTime,
  );
  const pausedMs = is === 'running' && pausedAt !== undefined ? Math.max(0, now - pausedAt) : 0;
  return (recorded ?? createdAt) + pausedMs;
}
