import { replicaSetConditions, type ExtendedDaemonSetReplicaSet } from '@atoll/api';
import { conditionOf, instantOf, type Instant, type Stored } from '@atoll/kube';
import type { RefusedTrials } from '../../engine/refused-trials.ts';
import type { FleetView } from '../fleet/fleet-view.ts';
import type { Strategy } from '../read-strategy.ts';
import { trueCondition } from '../replica-sets/conditions.ts';
import { decideRolling, type Rolling } from './decide-rolling.ts';
import type { HeldBy } from './held-by.ts';
import { endOfSecond, rollingLimits } from './rolling-limits.ts';

/** The rolling update of the active replica set, on the nodes that are its own. */
export function rollActive(
  view: FleetView,
  active: Stored<ExtendedDaemonSetReplicaSet>,
  isOwn: (node: string) => boolean,
  {
    strategy,
    held,
    refused,
    now,
  }: {
    readonly strategy: Strategy;
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
  return decideRolling(active, targets, limits, { lastBatchAt, maxPodSchedulerFailure, refused, now });
}
