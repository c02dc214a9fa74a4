import type { ExtendedDaemonSet, ExtendedDaemonSetReplicaSet } from '@atoll/api';
import type { Instant, Pod, Stored } from '@atoll/kube';
import { isTerminating } from '../children/child.ts';
import { earliest } from '../engine/earliest.ts';
import { cachesNotSynced, hold, type Hold } from '../engine/hold.ts';
import { canaryHolds } from './canary/canary-holds.ts';
import { clearsOf, revertOf } from './canary/end-of-canary.ts';
import { rollCanary } from './canary/roll-canary.ts';
import { fleetHolds } from './fleet/fleet-holds.ts';
import { fleetView, type FleetView } from './fleet/fleet-view.ts';
import { unwantedPods, type UnwantedPod } from './fleet/unwanted-pods.ts';
import type { ExtendedDaemonSetSnapshot } from './observe.ts';
import { resolveSettings, type ResolvedSettings } from './overrides/resolve-settings.ts';
import { readStrategy, type Strategy } from './read-strategy.ts';
import { migrationProblem } from './migration/migration-problem.ts';
import { obsoleteReplicaSets } from './replica-sets/obsolete.ts';
import { decideRoles, type Roles } from './roles.ts';
import { heldBy, isFrozen, migrationHold, type HeldBy } from './rolling/held-by.ts';
import { rollActive } from './rolling/roll-active.ts';
import type { Rolling } from './rolling/decide-rolling.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

export interface ExtendedDaemonSetDecision {
  readonly settings: ResolvedSettings;
  /** undefined: nothing of the object is decided, as the holds say. */
  readonly fleet: FleetDecision | undefined;
  readonly holds: readonly Hold[];
  readonly lookAgainAt: Instant | undefined;
}

/** What becomes of the pods of an object and of its replica sets. */
export interface FleetDecision {
  readonly strategy: Strategy;
  readonly view: FleetView;
  readonly roles: Roles;
  /** Why outdated pods stay; undefined: they do not. */
  readonly held: HeldBy | undefined;
  readonly makesReplicaSet: boolean;
  /** The template of this replica set is put back into the spec. */
  readonly revertsTo: ReplicaSet | undefined;
  /** Annotations of a canary that has ended. */
  readonly clears: readonly string[];
  /** Of the active replica set, on all nodes but those of the canary. */
  readonly active: Rolling | undefined;
  readonly canary: Rolling | undefined;
  readonly unwanted: readonly UnwantedPod[];
  /** Pods of the DaemonSet that the object replaces, to be labelled as the object's. */
  readonly labelled: readonly Stored<Pod>[];
  readonly obsolete: readonly ReplicaSet[];
}

/** All that plan, events and status of an object are made of. */
export function decide(snapshot: ExtendedDaemonSetSnapshot, now: Instant): ExtendedDaemonSetDecision {
  const { owner, certain, nodes, settings } = snapshot;
  const resolved = resolveSettings(settings, nodes);
  const nothing = { settings: resolved, fleet: undefined, lookAgainAt: undefined };
  if (!certain) return { ...nothing, holds: [cachesNotSynced] };
  if (owner === undefined || isTerminating(owner.object)) return { ...nothing, holds: [] };
  return decideFleet(snapshot, owner.object, resolved, now);
}

function decideFleet(
  { replicaSets, pods, nodes, oldDaemonSet, validationMode }: ExtendedDaemonSetSnapshot,
  object: Stored<ExtendedDaemonSet>,
  settings: ResolvedSettings,
  now: Instant,
): ExtendedDaemonSetDecision {
  const {
    strategy,
    problems: [problem],
  } = readStrategy(object, validationMode);
  const view = fleetView(object, replicaSets, pods, nodes, settings, now);
  const roles = decideRoles({
    object,
    replicaSets,
    strategy: strategy.canary,
    problem,
    candidatesFor: view.candidates,
    targetsFor: (replicaSet, names) => view.targets(replicaSet, (node) => names.includes(node)),
    now,
  });
  const { active, canary, upToDate, recordedCanary } = roles;
  const recorded = object.status?.canary ?? undefined;
  const migration = migrationProblem(oldDaemonSet, nodes, object);
  const held = heldBy(object, problem, migration);
  // Nothing is done with pods in a role that is not recorded: whoever decides next must be able to know it (decision 10).
  const isRecorded = active !== undefined && object.status?.activeReplicaSet === active.metadata.name;
  const apart = new Set([...(recorded?.nodes ?? []), ...(recordedCanary?.nodes ?? [])]);
  const rolling = active && rollActive(view, active, (node) => !apart.has(node), { strategy, held, now });
  const isTried = canary !== undefined && recorded?.replicaSet === recordedCanary?.replicaSet;
  const trying =
    canary !== undefined && isTried && recordedCanary !== undefined
      ? rollCanary(canary, new Set(recorded?.nodes), held?.by === 'problem' || held?.by === 'migration', now)
      : undefined;
  // A node that becomes the canary's is out of the budget of the others only when that is recorded too.
  const isApart = recordedCanary?.nodes.every((node) => recorded?.nodes?.includes(node) === true) !== false;
  const inUse = new Set([object.status?.activeReplicaSet ?? '', recorded?.replicaSet ?? '']);
  for (const each of [active, upToDate, canary?.replicaSet])
    if (each !== undefined) inUse.add(each.metadata.name);
  const obsolete = obsoleteReplicaSets(replicaSets, inUse, view.ownsPods, now);
  const standingOf = active === undefined ? undefined : view.standingsOf(active);
  return {
    settings,
    fleet: {
      strategy,
      view,
      roles,
      held,
      makesReplicaSet: upToDate === undefined,
      revertsTo: revertOf(object, roles),
      clears: clearsOf(object, strategy, roles),
      active:
        rolling === undefined
          ? undefined
          : isRecorded
            ? { ...rolling, deleted: isApart ? rolling.deleted : [] }
            : { ...rolling, deleted: [], created: [], holds: [] },
      canary: trying,
      unwanted:
        isRecorded && !isFrozen(held) && standingOf !== undefined
          ? unwantedPods(view.pods, (node) => (apart.has(node) ? 'runs' : standingOf(node)))
          : [],
      labelled: oldDaemonSet?.unlabelled ?? [],
      obsolete: isRecorded ? obsolete.replicaSets : [],
    },
    holds: [
      ...(problem === undefined ? [] : [hold('InvalidStrategy', 'person', [], { problem }, true)]),
      ...(migration === undefined ? [] : [migrationHold(migration)]),
      ...(active === undefined ? [] : fleetHolds(active, rolling?.targets ?? [])),
      ...canaryHolds(roles),
      ...(trying?.holds ?? []),
      ...(isRecorded ? (rolling?.holds ?? []) : []),
    ],
    lookAgainAt: earliest([
      isRecorded ? rolling?.lookAgainAt : undefined,
      trying?.lookAgainAt,
      obsolete.nextAt,
      canary?.verdict.lookAgainAt,
      canary?.promotion.promote === false ? canary.promotion.until : undefined,
    ]),
  };
}
