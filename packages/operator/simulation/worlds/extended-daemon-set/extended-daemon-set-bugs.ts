import {
  extendedDaemonSetAnnotations as annotations,
  extendedDaemonsetSettings,
  replicaSetConditions,
  type ExtendedDaemonSetCondition,
  type ExtendedDaemonSetReplicaSet,
} from '@atoll/api';
import { conditionOf, instantOf, type Instant, type Stored } from '@atoll/kube';
import type { Controller } from '../../../src/engine/controller.ts';
import { earliest } from '../../../src/engine/earliest.ts';
import { rollCanary } from '../../../src/extended-daemon-set/canary/roll-canary.ts';
import type { ExtendedDaemonSetDecision, FleetDecision } from '../../../src/extended-daemon-set/decide.ts';
import type { ExtendedDaemonSetSnapshot } from '../../../src/extended-daemon-set/observe.ts';
import { sameJson } from '../../../src/engine/same-meaning.ts';
import { toTimestamp } from '../../../src/engine/status/conditions.ts';
import type { Guard, Plan } from '../../../src/engine/plan.ts';
import type { NodeTarget } from '../../../src/extended-daemon-set/fleet/nodes/node-targets.ts';
import { trueCondition } from '../../../src/extended-daemon-set/replica-sets/conditions.ts';
import { emptyStatus } from '../../../src/extended-daemon-set/report/replica-set-status.ts';
import type { Rolling } from '../../../src/extended-daemon-set/rolling/decide-rolling.ts';
import { rollActive } from '../../../src/extended-daemon-set/rolling/roll-active.ts';
import type { Seen, Step } from '../../../src/engine/step.ts';
import { changingSteps, planning } from '../planted.ts';

/** Planted bugs of reference/reliability.md 3.4, and of what people change while pods are replaced. */
export type ExtendedDaemonSetBug =
  | 'promoted-by-time'
  | 'promoted-from-cache'
  | 'canary-cleans-up-elsewhere'
  | 'paused-still-deletes'
  | 'generated-names'
  | 'healthy-first'
  | 'unfit-from-cache'
  | 'taints-from-cache'
  | 'obsolete-with-its-pods'
  | 'clock-of-another'
  | 'unpaused-for-all'
  | 'freeze-ignored'
  | 'freeze-not-guarded'
  | 'roles-not-guarded'
  | 'any-canary-valid'
  | 'budget-of-one-plan'
  | 'slow-start-of-one-plan'
  | 'overrides-beyond-budget'
  | 'settings-not-guarded'
  | 'gone-not-awaited'
  | 'gone-for-ever'
  | 'gone-anew'
  | 'gone-before-it-came-back'
  | 'gone-though-it-is-back'
  | 'gone-with-the-first'
  | 'gone-before-this-one-came-back'
  | 'settings-before-annotations'
  | 'trial-ignored'
  | 'record-not-awaited'
  | 'one-trial-for-all'
  | 'refusals-not-remembered';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

type EdsController = Controller<ExtendedDaemonSetSnapshot, ExtendedDaemonSetDecision>;

export function withBug(controller: EdsController, bug: ExtendedDaemonSetBug | undefined): EdsController {
  const steps = (change: (step: Step) => Step) =>
    changingSteps(controller as Controller<ExtendedDaemonSetSnapshot>, (step) => [
      change(step),
    ]) as EdsController;
  switch (bug) {
    case 'promoted-by-time':
      return deciding(controller, (fleet) => promotedWhere(fleet, ['health', 'nodes']));
    case 'promoted-from-cache':
      return steps(fromCache);
    case 'canary-cleans-up-elsewhere':
      return deciding(controller, cleaningUp);
    case 'paused-still-deletes':
      return deciding(controller, (fleet, { owner, refused }, now) => {
        const { canary } = fleet.roles;
        const recorded = owner?.object.status?.canary?.nodes ?? [];
        if (canary === undefined || fleet.canary === undefined) return fleet;
        const verdict = { is: 'running', requeueAt: undefined } as const;
        return {
          ...fleet,
          canary: rollCanary({ ...canary, verdict }, new Set(recorded), false, { refused, now }),
        };
      });
    case 'generated-names':
      return steps(withGeneratedName);
    case 'healthy-first':
      return deciding(controller, healthyFirst);
    case 'unfit-from-cache':
      return steps((step) => {
        const { restsOn: _, ...rest } = step;
        return step.why.word === 'PodUnwanted' ? (rest as Step) : step;
      });
    case 'taints-from-cache':
      return steps((step) =>
        step.restsOn === undefined ? step : { ...step, restsOn: step.restsOn.map(withoutTaints) },
      );
    case 'obsolete-with-its-pods':
      return steps((step) => (step.do === 'delete' ? { ...step, propagation: 'Background' } : step));
    case 'clock-of-another':
      return deciding(controller, (fleet, { owner }, now) => {
        const { canary, active } = fleet.roles;
        const { promotion, targets } = canary ?? {};
        if (promotion?.promote !== false || promotion.waitsFor !== 'time' || targets === undefined)
          return fleet;
        const began = Date.parse(active?.metadata.creationTimestamp ?? '');
        const isOver = began + (fleet.strategy.canary?.durationMs ?? 0) < now;
        const isHealthy = targets.length > 0 && targets.every(({ matches, ready }) => matches && ready);
        const isRecorded = owner?.object.status?.canary?.replicaSet === canary?.replicaSet.metadata.name;
        return isOver && isHealthy && isRecorded ? promotedWhere(fleet, ['time']) : fleet;
      });
    case 'unpaused-for-all':
      return deciding(controller, (fleet) => ({ ...fleet, annotationsToRemove: [] }));
    case 'freeze-ignored':
      return deciding(controller, (fleet, { refused }, now) => {
        const { view, roles, strategy, held, active: before } = fleet;
        if (roles.active === undefined || before === undefined || held?.by !== 'frozen') return fleet;
        const own = nodesOf(before);
        const how = { strategy, cameBack: undefined, held: undefined, refused, now };
        return { ...fleet, active: rollActive(view, roles.active, (node) => own.has(node), how) };
      });
    case 'freeze-not-guarded':
      return guardedBy(controller, (guard) => {
        const { [annotations.rolloutFrozen]: _, ...others } = guard.annotations;
        return [{ ...guard, annotations: others }];
      });
    case 'roles-not-guarded':
      return guardedBy(controller, (guard) => [{ ...guard, status: {} }]);
    case 'any-canary-valid':
      return deciding(controller, (fleet, { owner }) => {
        const isValid = owner?.object.metadata.annotations?.[annotations.canaryValid] !== undefined;
        return isValid ? promotedWhere(fleet, ['person', 'time', 'health', 'nodes']) : fleet;
      });
    case 'budget-of-one-plan':
      return deciding(controller, (fleet) =>
        deletingOf(fleet, ({ matches, ready }) => !matches && ready, Number(fleet.strategy.maxUnavailable)),
      );
    case 'slow-start-of-one-plan':
      return deciding(controller, (fleet, { refused }, now) => {
        const { view, roles, strategy, held, active: before } = fleet;
        if (roles.active === undefined || before === undefined) return fleet;
        const own = nodesOf(before);
        // As if all pods were there for long.
        const targets: typeof view.targets = (...asked) => view.targets(...asked).map(withOldPod);
        const how = { strategy, cameBack: undefined, held, refused, now };
        const active = rollActive({ ...view, targets }, roles.active, (node) => own.has(node), how);
        return { ...fleet, active };
      });
    case 'overrides-beyond-budget':
      return deciding(controller, (fleet) =>
        deletingOf(fleet, ({ outdatedBy }) => outdatedBy === 'overrides', Infinity),
      );
    case 'settings-not-guarded':
      return guardedBy(controller, (guard) => (guard.resource === extendedDaemonsetSettings ? [] : [guard]));
    case 'gone-not-awaited':
      return awaitingGone(controller, () => 0);
    case 'gone-for-ever':
      return awaitingGone(controller, () => undefined, true);
    case 'gone-anew':
      return awaitingGone(controller, () => undefined);
    case 'gone-before-it-came-back':
      return awaitingGone(controller, (noted) => instantOf(noted?.lastUpdateTime));
    case 'gone-though-it-is-back':
      return deciding(controller, (fleet) => {
        const { active } = fleet;
        const noted = active && trueCondition(active.replicaSet, replicaSetConditions.settingsGone);
        return active === undefined ? fleet : withNoted(fleet, active, noted);
      });
    case 'gone-with-the-first':
      return deciding(controller, (fleet, { refused }, now) => {
        const { roles, active: before } = fleet;
        const first = earliest([...(before?.settingsGone.values() ?? [])]);
        if (roles.active === undefined || before === undefined || first === undefined) return fleet;
        return rolledAsIf(fleet, before, roles.active, first, { refused, now });
      });
    case 'gone-before-this-one-came-back':
      return deciding(controller, (fleet) => {
        const { active } = fleet;
        const noted = active && trueCondition(active.replicaSet, replicaSetConditions.settingsGone);
        const isOver = active === undefined || active.settingsGone.size === 0;
        return isOver ? fleet : withNoted(fleet, active, noted);
      });
    case 'settings-before-annotations':
      return deciding(controller, (fleet) =>
        deletingOf(
          fleet,
          ({ overrides, pods: { kept } }) =>
            kept !== undefined &&
            overrides.setting !== undefined &&
            !sameJson(kept.spec?.containers[0]?.resources, overrides.setting.spec.containers?.[0]?.resources),
          1,
        ),
      );
    case 'trial-ignored':
      return steps((step) => {
        const { dependsOn: _, ...rest } = step;
        return step.do === 'delete' ? (rest as Step) : step;
      });
    case 'record-not-awaited':
      return planning(controller as Controller<ExtendedDaemonSetSnapshot>, withoutRecords) as EdsController;
    case 'one-trial-for-all':
      return planning(controller as Controller<ExtendedDaemonSetSnapshot>, withOneTrial) as EdsController;
    case 'refusals-not-remembered':
      return { ...controller, observe: (key) => controller.observe(key) };
    case undefined:
      return controller;
  }
}

/** The fleet is decided about in another way. */
function deciding(
  controller: EdsController,
  change: (fleet: FleetDecision, snapshot: ExtendedDaemonSetSnapshot, now: Instant) => FleetDecision,
): EdsController {
  return {
    ...controller,
    decide: (snapshot, now) => {
      const decision = controller.decide(snapshot, now);
      const { fleet } = decision;
      return fleet === undefined ? decision : { ...decision, fleet: change(fleet, snapshot, now) };
    },
  };
}

/** The pods of these nodes are deleted, where there are any. */
function deletingOf(
  fleet: FleetDecision,
  which: (target: NodeTarget) => boolean,
  most: number,
): FleetDecision {
  const { active } = fleet;
  const found = active?.targets.filter(which) ?? [];
  if (active === undefined || found.length === 0) return fleet;
  return { ...fleet, active: { ...active, deleted: found.slice(0, most) } };
}

function withOldPod(target: NodeTarget): NodeTarget {
  const { kept } = target.pods;
  if (kept === undefined) return target;
  const metadata = { ...kept.metadata, creationTimestamp: toTimestamp(0) };
  return { ...target, pods: { ...target.pods, kept: { ...kept, metadata } } };
}

function nodesOf({ targets }: Rolling): ReadonlySet<string> {
  return new Set(targets.map(({ target }) => target.id));
}

/**
 * The active replica set is rolled as if a setting were gone since another time, which follows from what its status notes; undefined: since now. `isNoted`: it
 * notes the right one.
 */
function awaitingGone(
  controller: EdsController,
  since: (noted: ExtendedDaemonSetCondition | undefined) => Instant | undefined,
  isNoted = false,
): EdsController {
  return deciding(controller, (fleet, { refused }, now) => {
    const { roles, active: before } = fleet;
    if (roles.active === undefined || before === undefined || before.settingsGone.size === 0) return fleet;
    const at = since(conditionOf(roles.active, replicaSetConditions.settingsGone));
    const rolled = rolledAsIf(fleet, before, roles.active, at, { refused, now });
    if (!isNoted || rolled.active === undefined) return rolled;
    return { ...rolled, active: { ...rolled.active, settingsGone: before.settingsGone } };
  });
}

/** As if the status noted that all settings which are gone are so since then; undefined: that none is. */
function rolledAsIf(
  fleet: FleetDecision,
  before: Rolling,
  active: ReplicaSet,
  at: Instant | undefined,
  circumstances: Pick<Parameters<typeof rollActive>[3], 'refused' | 'now'>,
): FleetDecision {
  const own = nodesOf(before);
  const { view, strategy, held } = fleet;
  const how = { strategy, cameBack: undefined, held, ...circumstances };
  const rolled = rollActive(view, goneSince(active, at), (node) => own.has(node), how);
  return { ...fleet, active: { ...rolled, replicaSet: active } };
}

/** What was noted stays so. */
function withNoted(
  fleet: FleetDecision,
  active: Rolling,
  noted: ExtendedDaemonSetCondition | undefined,
): FleetDecision {
  const notes = (noted?.message ?? '').split(', ').map((note) => note.split(' since '));
  const gone = notes.flatMap(([name = '', since]) => {
    const at = instantOf(since);
    return at === undefined ? [] : [[name, at] as const];
  });
  return { ...fleet, active: { ...active, settingsGone: new Map([...active.settingsGone, ...gone]) } };
}

function goneSince(replicaSet: ReplicaSet, at: Instant | undefined): ReplicaSet {
  const type = replicaSetConditions.settingsGone;
  const others = replicaSet.status?.conditions?.filter((each) => each.type !== type) ?? [];
  const noted = at === undefined ? [] : [{ type, status: 'True', lastUpdateTime: toTimestamp(at) }];
  return {
    ...replicaSet,
    status: { ...emptyStatus, ...replicaSet.status, conditions: [...others, ...noted] },
  };
}

function guardedBy(controller: EdsController, change: (guard: Guard) => readonly Guard[]): EdsController {
  const changed = planning(controller as Controller<ExtendedDaemonSetSnapshot>, (plan) => ({
    ...plan,
    guards: plan.guards?.flatMap(change) ?? [],
  }));
  return changed as EdsController;
}

/** What keeps a canary from being promoted is not asked. */
function promotedWhere(fleet: FleetDecision, waits: readonly string[]): FleetDecision {
  const { roles } = fleet;
  const { canary, canaryToRecord } = roles;
  if (canary === undefined || canaryToRecord === undefined || canary.promotion.promote) return fleet;
  if (!waits.includes(canary.promotion.waitsFor)) return fleet;
  return { ...fleet, roles: { ...roles, promoted: { promote: true, by: 'a planted bug', why: 'planted' } } };
}

/** Neither the version of the object nor its pods are asked. */
function fromCache(step: Step): Step {
  if (step.do !== 'patch' || step.why.word !== 'CanaryPromoted') return step;
  const { irreversible: _, restsOn: _pods, resourceVersion: _version, ...rest } = step;
  return rest as unknown as Step;
}

/** The canary takes the outdated pods of all nodes for its own. */
function cleaningUp(fleet: FleetDecision): FleetDecision {
  const { canary, roles, view } = fleet;
  if (canary === undefined || roles.canary === undefined) return fleet;
  const all = view.targets(roles.canary.replicaSet, () => true);
  return { ...fleet, canary: { ...canary, deleted: all.filter(({ matches }) => !matches) } };
}

/** The first pod of a batch is tried, and what is found of it is believed of the others. */
function withOneTrial(plan: Plan): Plan {
  const tries = plan.stages.flatMap(({ steps }) => steps.flatMap((step) => (step.do === 'try' ? step : [])));
  const [first, ...others] = tries;
  if (first === undefined) return plan;
  const names = new Set(others.map(({ object }) => object.metadata.name));
  const left = new Set<Step>(others);
  const onFirst = (step: Step): Step => {
    const { dependsOn = [] } = step;
    const on = dependsOn.map((each) => (names.has(each) ? first.object.metadata.name : each));
    return { ...step, dependsOn: [...new Set(on)] };
  };
  const stages = plan.stages.map((stage) => ({
    ...stage,
    steps: stage.steps.filter((step) => !left.has(step)).map(onFirst),
  }));
  return { ...plan, stages };
}

/** Pods go, whatever becomes of the record of their batch. */
function withoutRecords(plan: Plan): Plan {
  const steps = plan.stages.flatMap((stage) => stage.steps);
  const recorded = new Set(
    steps.flatMap((step) => (step.do === 'patch' && step.why.word === 'BatchRecorded' ? step.uid : [])),
  );
  const stages = plan.stages.map((stage) => ({
    ...stage,
    steps: stage.steps.map((step): Step => {
      if (step.do !== 'delete') return step;
      return { ...step, dependsOn: step.dependsOn?.filter((each) => !recorded.has(each)) ?? [] };
    }),
  }));
  return { ...plan, stages };
}

function withGeneratedName(step: Step): Step {
  if (step.do !== 'create' || step.resource.kind !== 'Pod') return step;
  const { name, ...metadata } = step.object.metadata;
  const named = { ...metadata, name: '', generateName: `${name}-` };
  return { ...step, object: { ...step.object, metadata: named } };
}

/** As many pods, and of those that are well where there are any. */
function healthyFirst(fleet: FleetDecision): FleetDecision {
  const { active } = fleet;
  if (active === undefined || active.deleted.every(({ ready }) => ready)) return fleet;
  const healthy = active.targets.filter(({ matches, ready }) => ready && !matches);
  if (healthy.length === 0) return fleet;
  return { ...fleet, active: { ...active, deleted: healthy.slice(0, active.deleted.length) } };
}

function withoutTaints(seen: Seen): Seen {
  const { taints: _, ...rest } = seen;
  return rest;
}
