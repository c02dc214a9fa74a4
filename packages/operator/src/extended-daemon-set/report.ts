import {
  extendedDaemonSetReplicaSets,
  extendedDaemonSets,
  extendedDaemonsetSettings,
  replicaSetConditions,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetReplicaSet,
  type ExtendedDaemonSetReplicaSetStatus as ReplicaSetStatus,
  type ExtendedDaemonSetStatus,
} from '@atoll/api';
import type { Instant, Stored } from '@atoll/kube';
import { isTerminating } from '../children/child.ts';
import type { StatusWrite } from '../engine/controller.ts';
import type { Hold } from '../engine/hold.ts';
import { sameJson } from '../engine/same-meaning.ts';
import type { FoundCondition } from '../engine/status/conditions.ts';
import { conditionsLeftToOthers } from '../engine/status/left-to-others.ts';
import { statusDiff } from '../engine/status/status-diff.ts';
import type { Outcome } from '../engine/step.ts';
import type { ExtendedDaemonSetDecision, FleetDecision } from './decide.ts';
import type { ExtendedDaemonSetSnapshot } from './observe.ts';
import { whyUnused, type SettingSubject } from './overrides/setting-effect.ts';
import { settingStatus } from './overrides/setting-status.ts';
import { mergeOldConditions } from './replica-sets/conditions.ts';
import { failuresByNode } from './report/failures-by-node.ts';
import { happenedIn } from './report/happened.ts';
import { emptyStatus, objectStatus } from './report/object-status.ts';
import { replicaSetStatus } from './report/replica-set-status.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

/** The status of the object, of its replica sets and of its settings. */
export function report(
  snapshot: ExtendedDaemonSetSnapshot,
  decision: ExtendedDaemonSetDecision,
  outcome: Outcome,
  now: Instant,
): readonly StatusWrite[] {
  const { owner, certain } = snapshot;
  if (!certain) return [];
  if (decision.conflict !== undefined)
    return owner === undefined ? [] : [leftToOthers(owner.object, decision.conflict, now)];
  const ofSettings = settingStatuses(snapshot, decision, now);
  const { fleet } = decision;
  if (owner === undefined || fleet === undefined || isTerminating(owner.object)) return ofSettings;
  return [...fleetStatuses(snapshot, owner.object, { ...decision, fleet }, outcome, now), ...ofSettings];
}

function settingStatuses(
  { owner, replicaSets, settings }: ExtendedDaemonSetSnapshot,
  { settings: { byNode, errors } }: ExtendedDaemonSetDecision,
  now: Instant,
): readonly StatusWrite[] {
  const subject: SettingSubject = {
    applying: new Set([...byNode.values()].map(({ metadata }) => metadata.uid)),
    object: owner?.object,
    templates: replicaSets.map(({ spec }) => spec.template),
  };
  return settings
    .filter((setting) => !isTerminating(setting))
    .map((object) => {
      const error = errors.get(object.metadata.uid);
      const unused = error === undefined ? whyUnused(object, subject) : undefined;
      const status = settingStatus(object, error, unused, now);
      return { resource: extendedDaemonsetSettings, object, status, urgent: true };
    });
}

/** Of the replica sets, and of the object, which sums them up. */
function fleetStatuses(
  { replicaSets, orphans, pods, nodes }: ExtendedDaemonSetSnapshot,
  object: Stored<ExtendedDaemonSet>,
  decision: ExtendedDaemonSetDecision & { readonly fleet: FleetDecision },
  outcome: Outcome,
  now: Instant,
): readonly StatusWrite[] {
  const { fleet } = decision;
  const failures = failuresByNode(outcome, fleet);
  const happened = happenedIn(object, outcome, failures);
  const recorded = object.status?.activeReplicaSet;
  const isRecorded =
    fleet.roles.active?.metadata.name === recorded ||
    !replicaSets.some((each) => each.metadata.name === recorded && !isTerminating(each));
  const withStatus = (
    each: ReplicaSet,
  ): { readonly replicaSet: ReplicaSet; readonly status: ReplicaSetStatus } => {
    return {
      replicaSet: each,
      status: replicaSetStatus(each, fleet, { pods, nodes }, happened, now, isRecorded),
    };
  };
  const own = replicaSets.filter((each) => !isTerminating(each)).map(withStatus);
  // An orphan counts, and its own status is written when it is the object's again.
  const counts = [...own, ...orphans.map(withStatus)].map(({ replicaSet: { metadata }, status }) => {
    return { name: metadata.name, status };
  });
  const status = objectStatus(object, decision, counts, failures, now);
  return [
    ...own.map(({ replicaSet, status: next }): StatusWrite => {
      return {
        resource: extendedDaemonSetReplicaSets,
        object: replicaSet,
        status: synced(replicaSet.status, next, now),
        urgent: turnsReplicaSet(replicaSet.status, next),
      };
    }),
    { resource: extendedDaemonSets, object, status, urgent: turnsObject(object.status, status) },
  ];
}

/** Whether a status says more than other counts: somebody waits for it. */
function turnsReplicaSet(found: ReplicaSetStatus | undefined, status: ReplicaSetStatus): boolean {
  return found?.status !== status.status || !sameConditions(found.conditions, status.conditions);
}

function turnsObject(found: ExtendedDaemonSetStatus | undefined, status: ExtendedDaemonSetStatus): boolean {
  return (
    found?.activeReplicaSet !== status.activeReplicaSet ||
    found.state !== status.state ||
    !sameJson(found.canary ?? null, status.canary ?? null) ||
    !sameConditions(found.conditions, status.conditions)
  );
}

/** That it is so, and nothing else of the status: who serves the object writes that, and the statuses of its replica sets and settings. */
function leftToOthers(object: Stored<ExtendedDaemonSet>, conflict: Hold, now: Instant): StatusWrite {
  const { status, metadata } = object;
  const { generation } = metadata;
  const found = status?.conditions as readonly FoundCondition[] | undefined;
  const conditions = conditionsLeftToOthers(found, conflict, generation, now);
  const seen = generation === undefined ? {} : { observedGeneration: generation };
  return { resource: extendedDaemonSets, object, status: { ...emptyStatus, ...status, ...seen, conditions } };
}

type Conditions = readonly { readonly type: string; readonly status: string }[] | undefined;

function sameConditions(a: Conditions, b: Conditions): boolean {
  const statuses = (some: Conditions): unknown =>
    Object.fromEntries(
      (some ?? []).filter(({ type }) => !noise.includes(type)).map(({ type, status }) => [type, status]),
    );
  return sameJson(statuses(a), statuses(b));
}

/** Nothing waits for these. */
const noise: readonly string[] = [
  replicaSetConditions.podCreation,
  replicaSetConditions.podDeletion,
  replicaSetConditions.podsCleanupDone,
  replicaSetConditions.lastFullSync,
];

/** The time of the last full sync is written with other changes only: by itself it would be a write for each interval, for ever. */
function synced(found: object | undefined, status: ReplicaSetStatus, now: Instant): ReplicaSetStatus {
  if (statusDiff(found, status) === undefined) return status;
  const statement = {
    type: replicaSetConditions.lastFullSync,
    holds: true,
    message: 'full sync',
    updatedAt: now,
  };
  return { ...status, conditions: mergeOldConditions(status.conditions, [statement], now) };
}
