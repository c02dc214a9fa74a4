import {
  conditionTypes,
  extendedDaemonSetConditions as types,
  extendedDaemonSetStates as states,
  canaryReasons,
  replicaSetConditions,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetReplicaSetStatus,
  type ExtendedDaemonSetStatus,
  type ReasonWord,
} from '@atoll/api';
import type { Instant, Stored } from '@atoll/kube';
import { describeHold } from '../../engine/problems/describe-hold.ts';
import { failureMessage, troubleOf } from '../../engine/problems/trouble.ts';
import type { Failure } from '../../engine/problems/failures.ts';
import {
  conditionSince,
  mergeConditions,
  nameAFew,
  overallStatements,
  overallTypes,
  type FoundCondition,
  type Standing,
} from '../../engine/status/conditions.ts';
import { isAtWanted } from '../../engine/rollout/target.ts';
import { failedMessage, withoutFailureOf } from '../canary/end-of-canary.ts';
import type { ExtendedDaemonSetDecision, FleetDecision } from '../decide.ts';
import type { HeldBy } from '../rolling/held-by.ts';
import type { Roles } from '../roles.ts';
import { mayBeNamed } from '../replica-sets/render-replica-set.ts';
import { mergeOldConditions, trueCondition, type OldStatement } from '../replica-sets/conditions.ts';

export const emptyStatus: ExtendedDaemonSetStatus = {
  desired: 0,
  current: 0,
  ready: 0,
  available: 0,
  upToDate: 0,
  ignoredUnresponsiveNodes: 0,
  activeReplicaSet: '',
};

/** The status of one of its replica sets, as it is written in the same reconcile. */
export interface ReplicaSetCounts {
  readonly name: string;
  readonly status: ExtendedDaemonSetReplicaSetStatus;
}

/** The status of an object: roles, state and counts in one write, because clients wait for the one and read the others once. */
export function objectStatus(
  object: Stored<ExtendedDaemonSet>,
  decision: ExtendedDaemonSetDecision & { readonly fleet: FleetDecision },
  replicaSets: readonly ReplicaSetCounts[],
  failures: readonly Failure[],
  now: Instant,
): ExtendedDaemonSetStatus {
  const { fleet, holds } = decision;
  const { roles } = fleet;
  const { generation } = object.metadata;
  const of = (name: string | undefined): ExtendedDaemonSetReplicaSetStatus | undefined =>
    replicaSets.find((each) => each.name === name)?.status;
  const active = of(roles.active?.metadata.name);
  const canary = of(roles.canaryToRecord?.replicaSet);
  const sum = (field: 'current' | 'ready' | 'available'): number =>
    replicaSets.reduce((total, { status }) => total + status[field], 0);
  const activeName = activeNameOf(object, fleet);
  const shown = object.status?.conditions;
  const found = activeName === object.status?.activeReplicaSet ? shown : withoutFailureOf(activeName, shown);
  const isUnrecorded = isFailureUnrecorded(object, roles);
  const old = mergeOldConditions(found, oldStatements(fleet, failures, isUnrecorded), now, generation);
  const since =
    conditionSince(found as readonly FoundCondition[] | undefined, conditionTypes.ready, 'False') ?? now;
  const standing = standingOf(fleet, holds, failures, { since, left: nodesLeft(object, roles) });
  const conditions = mergeConditions(
    old as readonly FoundCondition[],
    overallStatements(standing, now),
    overallTypes,
    generation,
    now,
  );
  const { canary: _, reason: __, ...before } = object.status ?? emptyStatus;
  const recorded = isUnrecorded ? object.status?.canary : recordedOf(object, fleet);
  const reason = reasonOf(roles);
  return {
    ...before,
    desired: (active?.desired ?? 0) + (canary?.desired ?? 0),
    current: sum('current'),
    ready: sum('ready'),
    available: sum('available'),
    upToDate: roles.upToDate === undefined ? 0 : ((canary ?? active)?.current ?? 0),
    ignoredUnresponsiveNodes:
      (active?.ignoredUnresponsiveNodes ?? 0) + (canary?.ignoredUnresponsiveNodes ?? 0),
    activeReplicaSet: activeName,
    ...(recorded === undefined ? {} : { canary: recorded }),
    ...(reason === undefined ? {} : { reason }),
    state: isUnrecorded ? states.canary : stateOf(fleet),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    conditions: conditions as NonNullable<ExtendedDaemonSetStatus['conditions']>,
  };
}

/** The active replica set as it is recorded. */
function activeNameOf(
  object: Stored<ExtendedDaemonSet>,
  { roles: { active }, makesReplicaSet }: FleetDecision,
): string {
  const recorded = object.status?.activeReplicaSet ?? '';
  // It is gone, or the cache is behind: it has its name again, and the one before it must not be the active one meanwhile.
  if (makesReplicaSet && mayBeNamed(object, recorded)) return recorded;
  return active?.metadata.name ?? recorded;
}

/**
 * Whether the canary has failed and its replica set does not show that yet, which is another write. Until then the object shows a canary: its pods on
 * these nodes are the only proof, and without the record the template would be tried on other nodes.
 */
function isFailureUnrecorded({ status }: Stored<ExtendedDaemonSet>, { failed, canary }: Roles): boolean {
  if (failed === undefined || canary === undefined || status?.canary?.replicaSet === undefined) return false;
  return trueCondition(canary.replicaSet, replicaSetConditions.canaryFailed) === undefined;
}

/** The canary as it is recorded: another one only when the annotations of the one before are gone. */
function recordedOf(
  object: Stored<ExtendedDaemonSet>,
  { roles, annotationsToRemove }: FleetDecision,
): ExtendedDaemonSetStatus['canary'] {
  const wanted = roles.canaryToRecord;
  const found = object.status?.canary;
  if (wanted !== undefined && found?.replicaSet !== undefined && found.replicaSet !== wanted.replicaSet) {
    if (annotationsToRemove.length > 0) return found;
  }
  return wanted;
}

/**
 * In this order: a failed canary, a canary, frozen, paused, running (`reference/extendeddaemonset.md` 1.2). While the active replica set is unknown, no pod is
 * made or deleted: that is frozen, which tools of the old operator take for no success.
 */
function stateOf({ roles, held }: FleetDecision): string {
  if (roles.failed !== undefined || roles.stopped?.is === 'failed') return states.canaryFailed;
  if (roles.canaryToRecord !== undefined) {
    return pauseOf(roles) === undefined ? states.canary : states.canaryPaused;
  }
  if (roles.stopped?.is === 'paused') return states.canaryPaused;
  return isActiveUnknown(roles) ? states.rolloutFrozen : stateWithoutCanary(held);
}

/** Why it is in this state, where a person is to decide; undefined: nobody is. */
function reasonOf(roles: Roles): string | undefined {
  return pauseOf(roles)?.reason ?? (isActiveUnknown(roles) ? types.activeReplicaSetUnknown : undefined);
}

/** Where its name cannot be recorded yet, as while others are adopted, it would be lost again. */
function isActiveUnknown({ several, active, wasUnknown }: Roles): boolean {
  return several.length > 0 || (active === undefined && wasUnknown);
}

/** Why the canary is paused, or was before the active replica set was lost; undefined: it is not. */
function pauseOf({ canary, canaryToRecord, stopped }: Roles): { readonly reason: string } | undefined {
  if (stopped?.is === 'paused') {
    const { reason = '' } = trueCondition(stopped.replicaSet, replicaSetConditions.canaryPaused) ?? {};
    return { reason };
  }
  return canaryToRecord !== undefined && canary?.verdict.is === 'paused' ? canary.verdict : undefined;
}

export function stateWithoutCanary(held: HeldBy | undefined): string {
  if (held?.by === 'frozen') return states.rolloutFrozen;
  return held?.by === 'paused' ? states.rollingUpdatePaused : states.running;
}

function oldStatements(
  { roles }: FleetDecision,
  failures: readonly Failure[],
  isUnrecorded: boolean,
): readonly OldStatement[] {
  const { canary, failed, canaryToRecord, stopped, lost } = roles;
  const paused = pauseOf(roles);
  const name = (stopped ?? canary)?.replicaSet.metadata.name ?? '';
  // That a template has failed is all that shows that it was not the active one, until it is tried again.
  const isKept = lost !== undefined && canary === undefined && canaryToRecord === undefined;
  const [first] = failures;
  const error: OldStatement = {
    type: types.reconcileError,
    holds: first !== undefined,
    ...(first === undefined ? {} : { reason: first.reason, message: failureMessage(failures) }),
  };
  return [
    {
      type: types.canaryPaused,
      holds: paused !== undefined,
      reason: paused?.reason,
      message: `canary paused with ers: ${name}`,
    },
    ...(isKept
      ? []
      : [
          {
            type: types.canaryFailed,
            holds: (failed !== undefined && !isUnrecorded) || stopped?.is === 'failed',
            reason: canaryReasons.canaryFailed,
            message: failedMessage(name),
          },
        ]),
    { type: types.activeReplicaSetUnknown, holds: isActiveUnknown(roles) },
    error,
  ];
}

/** On which nodes the template of the spec runs, where it is not the active one. */
function whereTemplateRuns({ active, canary, canaryToRecord, upToDate }: Roles): string {
  const others = (which: string): string =>
    active === undefined ? '' : `, and all ${which} are to run ${active.metadata.name}`;
  if (upToDate === undefined) return 'the current template has no replica set yet';
  if (canary === undefined)
    return `no node is to run the current template, which is ${upToDate.metadata.name}${others('nodes')}`;
  const { name } = canary.replicaSet.metadata;
  if (canaryToRecord === undefined)
    return `the current template was tried as canary ${name}${others('other nodes')}`;
  const { nodes } = canaryToRecord;
  if (nodes.length === 0)
    return `the current template is canary ${name}, which has no node${others('other nodes')}`;
  return `the current template is tried on ${nameAFew(nodes)} as canary ${name}${others('other nodes')}`;
}

/** Nodes of a canary that ends with this status: they are served once it is written, and run another template until then. */
function nodesLeft({ status }: Stored<ExtendedDaemonSet>, { canaryToRecord }: Roles): readonly string[] {
  return canaryToRecord === undefined ? (status?.canary?.nodes ?? []) : [];
}

function standingOf(
  { roles, active, canary, tainted }: FleetDecision,
  holds: ExtendedDaemonSetDecision['holds'],
  failures: readonly Failure[],
  { since, left }: { readonly since: Instant; readonly left: readonly string[] },
): Standing {
  const trouble = troubleOf(holds, failures, since);
  const notesOf = (some: ExtendedDaemonSetDecision['holds']): string =>
    some.map((each) => `; ${describeHold(each)}`).join('');
  const targets = [...(active?.targets ?? []), ...(canary?.targets ?? [])];
  const open = [
    ...targets.filter(({ target, ready }) => !isAtWanted(target) || !ready).map(({ target }) => target.id),
    ...tainted.map(({ node }) => node),
    ...left,
  ];
  const count = targets.length + tainted.length + left.length;
  const isCurrent = roles.active !== undefined && roles.active === roles.upToDate;
  if (isCurrent && open.length === 0) {
    const message =
      count === 0
        ? 'no node is to run a pod'
        : `all ${count} nodes run the current template and their pods are Ready`;
    return {
      observed: true,
      done: true,
      moving: false,
      reason: 'RolloutComplete',
      // Nothing waits any more, so what is held regards no node that is to run a pod.
      message: `${message}${notesOf(holds.filter(({ bad }) => !bad))}`,
      trouble,
    };
  }
  const waited = holds.filter((each) => !isNote(each));
  const waits = waited.find(({ bad }) => !bad) ?? waited[0];
  const person = waited.some(
    ({ waitsFor, count: held }) => waitsFor === 'person' && (held === 0 || held >= open.length),
  );
  const reason: ReasonWord = waits?.reason ?? 'RollingOut';
  const progress = isCurrent
    ? `${count - open.length} of ${count} nodes run the current template and their pods are Ready`
    : whereTemplateRuns(roles);
  const rest =
    waits === undefined
      ? open.length === 0
        ? ''
        : `; not yet ${nameAFew(open)}`
      : `; ${describeHold(waits)}`;
  return {
    observed: true,
    done: false,
    moving: !person && failures.length === 0,
    waitsForPerson: reason === 'Paused' || (person && trouble === undefined),
    reason,
    message: `${progress}${rest}${notesOf(holds.filter(isNote))}`,
    trouble,
  };
}

/** Nothing waits for it: pods stay as they were made, or are made without it, or an annotation counts for nothing. */
function isNote({ reason, bad }: ExtendedDaemonSetDecision['holds'][number]): boolean {
  return !bad && noteReasons.has(reason);
}

const noteReasons: ReadonlySet<ReasonWord> = new Set([
  'InvalidOverride',
  'OldRenderingKept',
  'AnnotationIgnored',
]);
