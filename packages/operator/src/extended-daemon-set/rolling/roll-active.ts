import { replicaSetConditions, type ExtendedDaemonSetReplicaSet } from '@atoll/api';
import { conditionOf, instantOf, type Instant, type Stored } from '@atoll/kube';
import type { RefusedTrials } from '../../engine/refused-trials.ts';
import type { HoldRule } from '../../engine/rollout/target-hold.ts';
import type { Promotion } from '../canary/verdict/may-promote.ts';
import type { FleetView } from '../fleet/fleet-view.ts';
import type { NodeTarget } from '../fleet/nodes/node-targets.ts';
import type { Strategy } from '../read-strategy.ts';
import { trueCondition } from '../replica-sets/conditions.ts';
import { decideRolling, type Rolling } from './decide-rolling.ts';
import type { HeldBy } from './held-by.ts';
import { endOfSecond, rollingLimits } from './rolling-limits.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

export interface CameBack {
  readonly replicaSet: ReplicaSet;
  /** undefined: it is not judged yet, or promoted now. */
  readonly promotion: Extract<Promotion, { readonly promote: false }> | undefined;
}

/** The rolling update of the active replica set, on the nodes that are its own. */
export function rollActive(
  view: FleetView,
  active: ReplicaSet,
  isOwn: (node: string) => boolean,
  {
    strategy,
    cameBack,
    held,
    refused,
    now,
  }: {
    readonly strategy: Strategy;
    /** The one of the template in the spec, which was active before and is tried again. */
    readonly cameBack: CameBack | undefined;
    readonly held: HeldBy | undefined;
    readonly refused: RefusedTrials;
    readonly now: Instant;
  },
): Rolling {
  const targets = view.targets(active, isOwn);
  const { uid } = active.metadata;
  const created = targets.flatMap(({ pods }) =>
    [...(pods.kept === undefined ? [] : [pods.kept]), ...pods.ending]
      .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid))
      .map(({ metadata }) => Date.parse(metadata.creationTimestamp)),
  );
  const limits = rollingLimits({
    strategy,
    held,
    nodes: targets.length,
    activeSince: instantOf(trueCondition(active, replicaSetConditions.active)?.lastTransitionTime),
    created,
    unfit: new Set(targets.flatMap(({ canBeMade, target }) => (canBeMade ? [] : [target.id]))),
    now,
  });
  const deletedAt = instantOf(conditionOf(active, replicaSetConditions.podDeletion)?.lastUpdateTime);
  // A clock that was set back must not hold the rollout until it is as late again; whole seconds do not show a shorter interval.
  const { reconcileEveryMs } = strategy;
  const isKnown = deletedAt !== undefined && reconcileEveryMs >= 1_000 && deletedAt <= now + reconcileEveryMs;
  const lastBatchAt = isKnown ? endOfSecond(deletedAt, reconcileEveryMs) : undefined;
  const { maxPodSchedulerFailure } = strategy;
  const holds = cameBack === undefined ? limits.holds : [...limits.holds, whereBack(view, targets, cameBack)];
  return decideRolling(
    active,
    targets,
    { ...limits, holds },
    { lastBatchAt, maxPodSchedulerFailure, refused, now },
  );
}

/**
 * Pods of a template that came back into the spec are not replaced by those of the one that was withdrawn: they are there where it was withdrawn
 * in mid rollout.
 */
function whereBack(
  view: FleetView,
  targets: readonly NodeTarget[],
  { replicaSet, promotion }: CameBack,
): HoldRule {
  const isBack = view.isOfTemplate(replicaSet);
  const stay = new Set(
    targets.flatMap(({ target, pods: { kept } }) => (kept !== undefined && isBack(kept) ? [target.id] : [])),
  );
  const { waitsFor = 'time', waitingUntil = 'it is promoted or has failed' } = promotion ?? {};
  const which = `canary ${replicaSet.metadata.name}, of whose template their pods are`;
  const held = { reason: 'CanaryRunning', waitsFor, waitingUntil: `${waitingUntil} (${which})` } as const;
  return ({ id }) => (stay.has(id) ? held : undefined);
}
