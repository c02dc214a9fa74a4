import type { ExtendedDaemonSet, ExtendedDaemonSetReplicaSet } from '@atoll/api';
import type { Instant, Pod, Stored } from '@atoll/kube';
import { isTerminating } from '../children/child.ts';
import { earliest } from '../engine/earliest.ts';
import { cachesNotSynced, hold, type Hold } from '../engine/hold.ts';
import type { Inspection } from '../engine/inspection.ts';
import { formerHold } from './adoption/former-hold.ts';
import { conflictOf } from './another-controller/conflict.ts';
import { canaryHolds } from './canary/canary-holds.ts';
import { annotationsToRemoveOf, isWrittenAgain, revertOf } from './canary/end-of-canary.ts';
import { awaitedPods, type AwaitedPods } from './fleet/awaited-pods.ts';
import { fleetHolds } from './fleet/fleet-holds.ts';
import { fleetView, type FleetView } from './fleet/fleet-view.ts';
import { misplacedHolds } from './fleet/nodes/misplaced-pods.ts';
import { selectorHolds } from './fleet/selector-holds.ts';
import { taintedHolds } from '../engine/rollout/tainted-holds.ts';
import { unendedHolds } from './fleet/unended-pods.ts';
import { unscheduledHolds } from './fleet/unscheduled-pods.ts';
import { migrationProblem } from './migration/migration-problem.ts';
import type { ExtendedDaemonSetSnapshot } from './observe.ts';
import { resolveSettings, type ResolvedSettings } from './overrides/resolve-settings.ts';
import { readStrategy, type Strategy } from './read-strategy.ts';
import { obsoleteReplicaSets } from './replica-sets/obsolete.ts';
import { rewrittenReplicaSets } from './replica-sets/rewritten.ts';
import { decideRoles, type Roles } from './roles.ts';
import { frozenHolds, heldBy, ignoredHolds, migrationHold, type HeldBy } from './rolling/held-by.ts';
import { isActiveRecorded, rollFleet, type RolledFleet } from './rolling/roll-fleet.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

export interface ExtendedDaemonSetDecision {
  /** Everything is left to it; undefined: nobody else serves the object. */
  readonly conflict: Hold | undefined;
  readonly settings: ResolvedSettings;
  /** undefined: nothing of the object is decided, for the reasons in the holds. */
  readonly fleet: FleetDecision | undefined;
  readonly holds: readonly Hold[];
  /** Replica sets whose pods may show why they are not Ready. */
  readonly inspect: readonly Inspection[];
  readonly requeueAt: Instant | undefined;
}

/** What becomes of an object, of its replica sets and of their pods. */
export interface FleetDecision extends RolledFleet {
  readonly strategy: Strategy;
  readonly view: FleetView;
  readonly roles: Roles;
  /** Why outdated pods stay; undefined: they do not. */
  readonly held: HeldBy | undefined;
  /** Replica sets that become the object's own before anything else is done. */
  readonly adopts: readonly ReplicaSet[];
  readonly makesReplicaSet: boolean;
  /** The template of this replica set is put back into the spec. */
  readonly revertsTo: ReplicaSet | undefined;
  /** The template that has failed was put back before, and is in the spec again. */
  readonly writtenAgain: boolean;
  /** Annotations of a canary that has ended. */
  readonly annotationsToRemove: readonly string[];
  /** Pods of the DaemonSet that the object replaces, to be labelled as the object's. */
  readonly labelled: readonly Stored<Pod>[];
  readonly obsolete: readonly ReplicaSet[];
}

/** All that plan, events and status of an object are made of. */
export function decide(snapshot: ExtendedDaemonSetSnapshot, now: Instant): ExtendedDaemonSetDecision {
  const { owner, certain, nodes, foreignWrites, validationMode } = snapshot;
  const { settings, settingsOfOthers, definitionOfSettings } = snapshot;
  const resolved = resolveSettings(settings, nodes, settingsOfOthers, definitionOfSettings);
  const nothing = {
    conflict: undefined,
    settings: resolved,
    fleet: undefined,
    inspect: [],
    requeueAt: undefined,
  };
  if (!certain) return { ...nothing, holds: [cachesNotSynced] };
  if (owner === undefined || isTerminating(owner.object)) return { ...nothing, holds: [] };
  const read = readStrategy(owner.object, validationMode);
  const conflict = conflictOf(owner.object, foreignWrites, read.strategy.reconcileEveryMs, now);
  if (conflict !== undefined) return { ...nothing, conflict, holds: [conflict], requeueAt: conflict.until };
  return decideFleet(snapshot, owner.object, read, resolved, now);
}

function decideFleet(
  snapshot: ExtendedDaemonSetSnapshot,
  object: Stored<ExtendedDaemonSet>,
  { strategy, problems: [problem] }: ReturnType<typeof readStrategy>,
  settings: ResolvedSettings,
  now: Instant,
): ExtendedDaemonSetDecision {
  const { replicaSets, orphans, pods, formerPods, nodes, oldDaemonSet, findings, refused } = snapshot;
  const all = [...replicaSets, ...orphans];
  const view = fleetView(object, all, pods, nodes, settings, now);
  const roles = decideRoles(
    { object, view, replicaSets: all, problem, refused, now },
    orphans,
    strategy.canary,
  );
  const migration = migrationProblem(oldDaemonSet, nodes, object);
  const former = formerHold(formerPods, orphans);
  const held = heldBy(object, problem, migration, former);
  const rolled = rollFleet({ object, view, roles, strategy, held, problem, refused, now });
  const awaited = rollingsOf(rolled).map((each) => awaitedPods(each, findings));
  const rewritten = roles.upToDate === undefined ? rewrittenReplicaSets(object, replicaSets, now) : undefined;
  const kept = [...inUse(object, roles), ...(rewritten?.kept ?? []).map(({ metadata }) => metadata.name)];
  const obsolete = obsoleteReplicaSets(object, replicaSets, new Set(kept), view.ownsPods, now);
  const mayGo = isActiveRecorded(object, roles) && orphans.length === 0;
  const fleet: FleetDecision = {
    ...rolled,
    strategy,
    view,
    roles,
    held,
    adopts: orphans,
    makesReplicaSet: roles.upToDate === undefined && former === undefined && rewritten?.nextAt === undefined,
    revertsTo: revertOf(object, roles),
    writtenAgain: isWrittenAgain(object, roles),
    annotationsToRemove: annotationsToRemoveOf(object, strategy, roles),
    labelled: oldDaemonSet?.unlabelled ?? [],
    obsolete: obsolete.replicaSets.filter((each) => mayGo || rewritten?.before.has(each) === true),
  };
  return {
    conflict: undefined,
    settings,
    fleet,
    holds: unknownFirst([
      ...(problem === undefined ? [] : [hold('InvalidStrategy', 'person', [], { problem }, true)]),
      ...(migration === undefined ? [] : [migrationHold(migration)]),
      ...(former === undefined ? [] : [former]),
      ...(rewritten?.hold === undefined ? [] : [rewritten.hold]),
      ...holdsOf(fleet, { object, nodes }, awaited, now),
      ...frozenHolds(
        object,
        held,
        fleet.unwanted.kept.map(({ node }) => node),
      ),
      ...ignoredHolds(object),
    ]),
    inspect: awaited.flatMap((each) => each.inspect),
    requeueAt: earliest([obsolete.nextAt, rewritten?.nextAt, requeueAtOf(fleet)]),
  };
}

/** Nothing else goes on before a person has named the active replica set, so that is shown first. */
function unknownFirst(holds: readonly Hold[]): readonly Hold[] {
  const isUnknown = ({ reason }: Hold): boolean => reason === 'ActiveReplicaSetUnknown';
  return [...holds.filter(isUnknown), ...holds.filter((each) => !isUnknown(each))];
}

function rollingsOf({ canary, active }: Pick<RolledFleet, 'canary' | 'active'>) {
  return [canary, active].filter((each) => each !== undefined);
}

/** What holds the rollout, in the order in which people read it. */
function holdsOf(
  { roles, active, canary, tainted }: FleetDecision,
  {
    object,
    nodes,
  }: Pick<ExtendedDaemonSetSnapshot, 'nodes'> & { readonly object: Stored<ExtendedDaemonSet> },
  awaited: readonly AwaitedPods[],
  now: Instant,
): readonly Hold[] {
  const rollings = rollingsOf({ canary, active });
  return [
    ...(active === undefined ? [] : fleetHolds(active, nodes, object)),
    ...selectorHolds(object, roles.upToDate),
    ...canaryHolds(roles, object),
    ...rollings.flatMap((each) => unscheduledHolds(each, now)),
    ...rollings.flatMap((each) => unendedHolds(each, now)),
    ...rollings.flatMap((each) => misplacedHolds(each, now)),
    ...awaited.flatMap((each) => each.holds),
    ...rollings.flatMap((each) => each.holds),
    ...taintedHolds(tainted),
  ];
}

/** When time alone changes what becomes of the pods, or of the roles. */
function requeueAtOf({ roles: { canary: tried, lost }, active, canary }: FleetDecision): Instant | undefined {
  return earliest([
    active?.requeueAt,
    canary?.requeueAt,
    tried?.verdict.requeueAt,
    tried?.chosen.requeueAt,
    lost?.followedAt,
    tried?.promotion.promote === false ? tried.promotion.until : undefined,
  ]);
}

/** Names of the replica sets that have a role now, or had one when the status was written. */
function inUse(
  { status }: Stored<ExtendedDaemonSet>,
  { active, upToDate, canary }: Roles,
): ReadonlySet<string | undefined> {
  const inRoles = [active, upToDate, canary?.replicaSet].map((each) => each?.metadata.name);
  return new Set([...inRoles, status?.activeReplicaSet, status?.canary?.replicaSet]);
}
