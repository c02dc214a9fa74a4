import {
  canaryPromotionPolicies,
  extendedDaemonSetAnnotations as annotations,
  replicaSetConditions,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetReplicaSet,
} from '@atoll/api';
import type { Instant, Pod, Stored } from '@atoll/kube';
import { isTerminating } from '../children/child.ts';
import { lastRestart, judgeCanary, type CanaryVerdict, type LastRestart } from './canary/canary-verdict.ts';
import { chooseCanaryNodes, type CanaryCandidate, type CanaryNodes } from './canary/choose-canary-nodes.ts';
import { hasUnpausedOfBefore } from './canary/end-of-canary.ts';
import { mayPromote, type Promotion } from './canary/may-promote.ts';
import type { NodeTarget } from './fleet/node-targets.ts';
import type { CanaryStrategy } from './read-strategy.ts';
import { conditionOf, instantOf, trueCondition } from './replica-sets/conditions.ts';
import { replicaSetOf } from './replica-sets/find-replica-set.ts';
import { sameTemplate } from './replica-sets/template-meaning.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

/** A template that is tried before it goes to all nodes. */
export interface Canary {
  readonly replicaSet: ReplicaSet;
  readonly chosen: CanaryNodes;
  /** One for each of its nodes. */
  readonly targets: readonly NodeTarget[];
  readonly verdict: CanaryVerdict;
  readonly promotion: Promotion;
  readonly restart: LastRestart | undefined;
  readonly since: Instant;
}

/** Which replica set is what. */
export interface Roles {
  /** That of the template in the spec; undefined: it has to be made. */
  readonly upToDate: ReplicaSet | undefined;
  /** The one that should have the fleet; undefined: there is none yet. */
  readonly active: ReplicaSet | undefined;
  /** The one that is tried, or was until it failed or is promoted now. */
  readonly canary: Canary | undefined;
  /** `status.canary` as it should be. */
  readonly recordedCanary: { readonly replicaSet: string; readonly nodes: readonly string[] } | undefined;
  /** The canary becomes the active one with the next plan; until then all roles are as before. */
  readonly promoted: Extract<Promotion, { readonly promote: true }> | undefined;
  /** The canary has failed. */
  readonly failed: Extract<CanaryVerdict, { readonly is: 'failed' }> | undefined;
}

export interface RolesOf {
  readonly object: Stored<ExtendedDaemonSet>;
  readonly replicaSets: readonly ReplicaSet[];
  readonly strategy: CanaryStrategy | undefined;
  /** What of the spec a person must correct. */
  readonly problem: string | undefined;
  readonly candidatesFor: (replicaSet: ReplicaSet) => readonly CanaryCandidate[];
  readonly targetsFor: (replicaSet: ReplicaSet, nodes: readonly string[]) => readonly NodeTarget[];
  readonly now: Instant;
}

/** Decides which replica set has the fleet, and which one is tried (`reference/extendeddaemonset.md` 3.3). */
export function decideRoles(of: RolesOf): Roles {
  const { object, replicaSets, strategy } = of;
  const live = replicaSets.filter((each) => !isTerminating(each));
  const named = live.find(({ metadata }) => metadata.name === object.status?.activeReplicaSet);
  const { template } = object.spec;
  const upToDate =
    named !== undefined && sameTemplate(named.spec.template, template) ? named : replicaSetOf(template, live);
  const none = {
    upToDate,
    canary: undefined,
    recordedCanary: undefined,
    promoted: undefined,
    failed: undefined,
  };
  if (upToDate === undefined || named === undefined || upToDate === named || strategy === undefined) {
    const active =
      upToDate === undefined ? named : named === undefined || strategy === undefined ? upToDate : named;
    // Until the template that follows has its replica set, the nodes and annotations of the canary before stay bound to that one.
    const before = upToDate === undefined && strategy !== undefined ? object.status?.canary : undefined;
    const recordedCanary =
      active === undefined || before?.replicaSet === undefined
        ? undefined
        : { replicaSet: before.replicaSet, nodes: before.nodes ?? [] };
    return { ...none, active, recordedCanary };
  }
  const canary = canaryOf(of, upToDate, strategy);
  const { verdict, promotion, chosen } = canary;
  if (verdict.is === 'failed') return { ...none, active: named, canary, failed: verdict };
  if (hasUnpausedOfBefore(object)) return { ...none, active: named };
  const promoted = promotion.promote ? promotion : undefined;
  const recordedCanary = { replicaSet: upToDate.metadata.name, nodes: chosen.nodes };
  return { ...none, active: named, canary, recordedCanary, promoted };
}

function canaryOf(
  { object, problem, candidatesFor, targetsFor, now }: RolesOf,
  replicaSet: ReplicaSet,
  strategy: CanaryStrategy,
): Canary {
  const { name } = replicaSet.metadata;
  const recorded = object.status?.canary;
  // A template that takes the place of another canary's is tried on the same nodes.
  const chosen = chooseCanaryNodes(strategy, recorded?.nodes ?? [], candidatesFor(replicaSet));
  const targets = targetsFor(replicaSet, chosen.nodes);
  const pods = matchingPods(targets);
  const found = object.metadata.annotations ?? {};
  const createdAt = instantOf(replicaSet.metadata.creationTimestamp) ?? now;
  const since = instantOf(trueCondition(replicaSet, replicaSetConditions.canary)?.lastTransitionTime) ?? now;
  const restarting = conditionOf(replicaSet, replicaSetConditions.podRestarting);
  const restart = lastRestart(pods);
  const firstAt = instantOf(restarting?.lastTransitionTime) ?? restart?.at;
  const lastAt = Math.max(restart?.at ?? 0, instantOf(restarting?.lastUpdateTime) ?? 0);
  const failedBefore = trueCondition(replicaSet, replicaSetConditions.canaryFailed);
  const pausedBefore = trueCondition(replicaSet, replicaSetConditions.canaryPaused);
  // Those of the canary before are taken off before this one is recorded.
  const isBound = recorded === undefined || recorded === null || recorded.replicaSet === name;
  const verdict = judgeCanary({
    strategy,
    pods,
    since,
    restarts: firstAt === undefined ? undefined : { first: firstAt, last: lastAt },
    failed:
      failedBefore === undefined
        ? undefined
        : { reason: failedBefore.reason ?? '', message: failedBefore.message ?? '' },
    paused: pausedBefore === undefined ? undefined : (pausedBefore.reason ?? ''),
    asksPause:
      isBound && found[annotations.canaryPaused] === 'true'
        ? (found[annotations.canaryPausedReason] ?? 'Unknown')
        : undefined,
    asksUnpause: isBound && found[annotations.canaryUnpaused] === 'true',
    now,
  });
  const promotion = mayPromote({
    replicaSet: name,
    strategy,
    verdict,
    valid: found[annotations.canaryValid],
    problem: problem ?? chosen.problem,
    createdAt,
    lastRestartAt: lastAt === 0 ? undefined : lastAt,
    wasActive: conditionOf(replicaSet, replicaSetConditions.active) !== undefined,
    targets,
    wantedNodes: chosen.wanted,
    withoutHealth: found[annotations.canaryPromotion] === canaryPromotionPolicies.afterDuration,
    now,
  });
  return { replicaSet, chosen, targets, verdict, promotion, restart, since };
}

/** The pods of its template on its nodes. */
export function matchingPods(targets: readonly NodeTarget[]): readonly Stored<Pod>[] {
  return targets.flatMap(({ matches, pods }) => (matches && pods.kept !== undefined ? [pods.kept] : []));
}
