import {
  extendedDaemonSetReplicaSets,
  extendedDaemonSets,
  extendedDaemonsetSettings,
  replicaSetConditions,
  type ExtendedDaemonSet,
} from '@atoll/api';
import type { Instant, Stored } from '@atoll/kube';
import { isTerminating } from '../children/child.ts';
import type { StatusWrite } from '../engine/controller.ts';
import { sameJson } from '../engine/same-meaning.ts';
import type { FoundCondition } from '../engine/status/conditions.ts';
import { conditionsLeftToOthers } from '../engine/status/left-to-others.ts';
import { statusDiff } from '../engine/status/status-diff.ts';
import type { Outcome } from '../engine/step.ts';
import type { ConflictingController } from './another-controller/conflict.ts';
import type { ExtendedDaemonSetDecision } from './decide.ts';
import type { ExtendedDaemonSetSnapshot } from './observe.ts';
import { whyUnused, type SettingSubject } from './overrides/setting-effect.ts';
import { settingStatus } from './overrides/setting-status.ts';
import { mergeOldConditions } from './replica-sets/conditions.ts';
import { failuresByNode } from './report/failures-by-node.ts';
import { happenedIn } from './report/happened.ts';
import { emptyStatus, objectStatus } from './report/object-status.ts';
import { replicaSetStatus } from './report/replica-set-status.ts';

/** The status of the object, of its replica sets and of its settings. */
export function report(
  { owner, certain, replicaSets, orphans, pods, settings }: ExtendedDaemonSetSnapshot,
  decision: ExtendedDaemonSetDecision,
  outcome: Outcome,
  now: Instant,
): readonly StatusWrite[] {
  if (!certain) return [];
  if (decision.conflict !== undefined)
    return owner === undefined ? [] : [leftToOthers(owner.object, decision.conflict, now)];
  const { byNode, errors } = decision.settings;
  const subject: SettingSubject = {
    applying: new Set([...byNode.values()].map(({ metadata }) => metadata.uid)),
    object: owner?.object,
    templates: replicaSets.map(({ spec }) => spec.template),
  };
  const ofSettings = settings
    .filter((setting) => !isTerminating(setting))
    .map((object): StatusWrite => {
      const error = errors.get(object.metadata.uid);
      const status = settingStatus(object, error, whyUnused(object, subject), now);
      return { resource: extendedDaemonsetSettings, object, status, urgent: true };
    });
  const { fleet } = decision;
  if (owner === undefined || fleet === undefined || isTerminating(owner.object)) return ofSettings;
  const { object } = owner;
  const failures = failuresByNode(outcome, fleet);
  const happened = happenedIn(object, outcome, failures);
  const recorded = object.status?.activeReplicaSet;
  const isRecorded =
    fleet.roles.active?.metadata.name === recorded ||
    !replicaSets.some((each) => each.metadata.name === recorded && !isTerminating(each));
  const ofReplicaSets = replicaSets
    .filter((each) => !isTerminating(each))
    .map((each) => {
      const status = replicaSetStatus(each, fleet, pods, happened, now, isRecorded);
      const turns =
        each.status?.status !== status.status || !sameConditions(each.status?.conditions, status.conditions);
      return { object: each, status, turns };
    });
  // An orphan counts, and its own status is written when it is the object's again.
  const ofOrphans = orphans.map((each) => {
    return { object: each, status: replicaSetStatus(each, fleet, pods, happened, now, isRecorded) };
  });
  const counts = [...ofReplicaSets, ...ofOrphans].map(({ object: each, status }) => {
    return { name: each.metadata.name, status };
  });
  const status = objectStatus(object, { ...decision, fleet }, counts, failures, now);
  const turns =
    object.status?.activeReplicaSet !== status.activeReplicaSet ||
    object.status.state !== status.state ||
    !sameJson(object.status.canary ?? null, status.canary ?? null) ||
    !sameConditions(object.status.conditions, status.conditions);
  return [
    ...ofReplicaSets.map(({ object: each, status: own, turns: urgent }): StatusWrite => {
      const written = synced(each.status, own, now);
      return { resource: extendedDaemonSetReplicaSets, object: each, status: written, urgent };
    }),
    { resource: extendedDaemonSets, object, status, urgent: turns },
    ...ofSettings,
  ];
}

/** That it is so, and nothing else of the status: who serves the object writes that, and the statuses of its replica sets and settings. */
function leftToOthers(
  object: Stored<ExtendedDaemonSet>,
  { hold }: ConflictingController,
  now: Instant,
): StatusWrite {
  const { status, metadata } = object;
  const { generation } = metadata;
  const found = status?.conditions as readonly FoundCondition[] | undefined;
  const conditions = conditionsLeftToOthers(found, hold, generation, now);
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
function synced(
  found: object | undefined,
  status: ReturnType<typeof replicaSetStatus>,
  now: Instant,
): typeof status {
  if (statusDiff(found, status) === undefined) return status;
  const statement = {
    type: replicaSetConditions.lastFullSync,
    holds: true,
    message: 'full sync',
    updatedAt: now,
  };
  return { ...status, conditions: mergeOldConditions(status.conditions, [statement], now) };
}
