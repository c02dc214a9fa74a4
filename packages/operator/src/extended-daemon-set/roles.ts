import {
  extendedDaemonSetAnnotations as annotations,
  replicaSetConditions,
  type ExtendedDaemonSetReplicaSet,
} from '@atoll/api';
import type { Stored } from '@atoll/kube';
import { isTerminating } from '../children/child.ts';
import type { CanaryVerdict } from './canary/verdict/canary-verdict.ts';
import { canaryOf, type Canary, type CanaryContext } from './canary/canary.ts';
import { hasUnpausedOfBefore } from './canary/end-of-canary.ts';
import type { Promotion } from './canary/verdict/may-promote.ts';
import type { CanaryStrategy } from './read-strategy.ts';
import { activeReplicaSet } from './replica-sets/active-replica-set.ts';
import { trueCondition } from './replica-sets/conditions.ts';
import { replicaSetOf } from './replica-sets/find-replica-set.ts';
import { lostActive, type LostActive } from './replica-sets/lost-active.ts';
import { toPutBack, wasUnknown } from './replica-sets/put-back.ts';
import { sameTemplate } from './replica-sets/template-meaning.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

/** The replica set of a template, which gets no pods: it was tried, and has failed or is paused, or any of several may be the active one. */
export interface StoppedTemplate {
  readonly replicaSet: ReplicaSet;
  readonly is: 'failed' | 'paused' | 'unclear';
}

/** Which replica set is what. */
export interface Roles {
  /** Of these each may be the active one. */
  readonly several: readonly ReplicaSet[];
  /** Those of them whose template, put back into the spec, shows that it was the active one. */
  readonly toPutBack: readonly ReplicaSet[];
  /** Whether the status shows that it was not known which one is active. */
  readonly wasUnknown: boolean;
  /** That of the template in the spec; undefined: it has to be made. */
  readonly upToDate: ReplicaSet | undefined;
  /** The one that should have the fleet; undefined: there is none yet. */
  readonly active: ReplicaSet | undefined;
  /** The one that is tried, or was until it failed or is promoted now. */
  readonly canary: Canary | undefined;
  /** `status.canary` as it should be. */
  readonly canaryToRecord: { readonly replicaSet: string; readonly nodes: readonly string[] } | undefined;
  /** The canary becomes the active one with the next plan; until then all roles are as before. */
  readonly promoted: Extract<Promotion, { readonly promote: true }> | undefined;
  /** The canary has failed. */
  readonly failed: Extract<CanaryVerdict, { readonly is: 'failed' }> | undefined;
  /** The active one is gone or not known, and that of the template may not take its place. */
  readonly stopped: StoppedTemplate | undefined;
  /** The active one is gone, and what is tried has not taken its place. */
  readonly lost: LostActive | undefined;
}

/**
 * Decides which replica set has the fleet, and which one is tried (`reference/extendeddaemonset.md` 3.3). One that waits for its adoption has its
 * role, and until it is the object's own no other one becomes active: the canary would take the place of an active one that has lost its owner.
 */
export function decideRoles(
  context: CanaryContext,
  orphans: readonly ReplicaSet[],
  strategy: CanaryStrategy | undefined,
): Roles {
  const live = context.replicaSets.filter((each) => !isTerminating(each));
  const roles = rolesAmong(live, context, strategy);
  if (orphans.length === 0) return roles;
  const recorded = context.object.status?.activeReplicaSet ?? '';
  const active = live.find(({ metadata }) => metadata.name === recorded);
  return { ...roles, active, promoted: undefined };
}

function rolesAmong(
  live: readonly ReplicaSet[],
  context: CanaryContext,
  strategy: CanaryStrategy | undefined,
): Roles {
  const { status } = context.object;
  const { pods } = context.view;
  const { named, several } = activeReplicaSet(context.object, live, pods);
  const upToDate = replicaSetOf(context.object, live, named, pods.size > 0);
  const isValidated =
    upToDate !== undefined &&
    context.object.metadata.annotations?.[annotations.canaryValid] === upToDate.metadata.name;
  const isStoppable = named === undefined && strategy !== undefined && !isValidated;
  const isLost = isStoppable && several.length === 0;
  const lost = isLost ? lostActive(context.object, live, upToDate, context.now) : undefined;
  const none = {
    several: isStoppable ? several : [],
    toPutBack: isStoppable ? toPutBack(upToDate, several, live, pods) : [],
    wasUnknown: wasUnknown(context.object),
    upToDate,
    canary: undefined,
    canaryToRecord: undefined,
    promoted: undefined,
    failed: undefined,
    stopped: undefined,
    lost,
  };
  if (upToDate === undefined) {
    // Until the template that follows has its replica set, the nodes and annotations of the canary before stay bound to that one.
    const isCanary = strategy !== undefined && (named !== undefined || lost !== undefined);
    const before = isCanary ? status?.canary : undefined;
    const canaryToRecord =
      before?.replicaSet === undefined
        ? undefined
        : { replicaSet: before.replicaSet, nodes: before.nodes ?? [] };
    return { ...none, active: named, canaryToRecord };
  }
  const stopped = isStoppable ? stoppedOf(context.object, upToDate, several, lost) : undefined;
  if (stopped !== undefined) return { ...none, active: undefined, stopped, lost: undefined };
  // With the same template it has another selector, and is there only while there is no pod (`replicaSetOf`): a canary pod would end that.
  const isKnown =
    named === undefined ? lost === undefined : sameTemplate(named.spec.template, upToDate.spec.template);
  if (isKnown || strategy === undefined) return { ...none, active: upToDate };
  const canary = canaryOf(context, upToDate, strategy);
  const { verdict, promotion, chosen } = canary;
  if (verdict.is === 'failed') return { ...none, active: named, canary, failed: verdict };
  if (hasUnpausedOfBefore(context.object, upToDate)) return { ...none, active: named };
  const promoted = promotion.promote ? promotion : undefined;
  const canaryToRecord = { replicaSet: upToDate.metadata.name, nodes: chosen.nodes };
  return { ...none, active: named, canary, canaryToRecord, promoted };
}

/**
 * Whether the template was tried and stopped before its active replica set was lost, or the name of that; a person may still validate it. One that is
 * tried again because all were lost is paused as every canary.
 */
function stoppedOf(
  { metadata: { annotations: found = {} } }: CanaryContext['object'],
  replicaSet: ReplicaSet,
  several: readonly ReplicaSet[],
  lost: LostActive | undefined,
): StoppedTemplate | undefined {
  if (several.length > 0) return { replicaSet, is: 'unclear' };
  if (trueCondition(replicaSet, replicaSetConditions.canaryFailed) !== undefined)
    return { replicaSet, is: 'failed' };
  const isPaused =
    trueCondition(replicaSet, replicaSetConditions.canaryPaused) !== undefined &&
    found[annotations.canaryUnpaused] !== 'true';
  const isTriedAgain = lost !== undefined && lost.followedAt === undefined;
  return isPaused && !isTriedAgain ? { replicaSet, is: 'paused' } : undefined;
}
