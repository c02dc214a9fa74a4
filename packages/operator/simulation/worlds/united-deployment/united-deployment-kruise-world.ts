import { conditionTypes, kruiseKeptOffPolicy, kruiseManager, unitedDeployments } from '@atoll/api';
import type { UnitedDeployment } from '@atoll/api';
import { deployments, validatingAdmissionPolicyBindings } from '@atoll/kube';
import type { KubeObject, Resource } from '@atoll/kube';
import type { Controller } from '../../../src/engine/controller.ts';
import { sameJson } from '../../../src/engine/same-meaning.ts';
import type { UnitedDeploymentSnapshot } from '../../../src/united-deployment/observe.ts';
import { decide } from '../../../src/united-deployment/decide.ts';
import { report } from '../../../src/united-deployment/report.ts';
import { creates, deletes, edits } from '../../neighbours/people.ts';
import { seed, slotOf } from '../../model/store.ts';
import type { Store } from '../../model/store.ts';
import { objectsOf } from '../../world.ts';
import type { Effect, World } from '../../world.ts';
import { planning, seeing, wakingLess } from '../planted.ts';
import { missingCondition } from './united-deployment-goals.ts';
import { ownerIn } from './united-deployment-store.ts';
import { unitedDeploymentWorld } from './united-deployment-world.ts';
import type { UnitedDeploymentWorldOptions } from './united-deployment-world.ts';
import { withPlanted } from '../world-parts.ts';
import { stamp } from '../world-options.ts';

/** Bugs of standing aside. */
export type KruiseBug =
  /** Nobody backs off. */
  | 'fights'
  /** Children are left alone, and the status is written. */
  | 'writes-the-status'
  /** Nobody sees that the manager comes or goes. */
  | 'manager-not-watched'
  /** A manager that has not been read is none. */
  | 'unread-is-none'
  /** Nothing is requeued when the conflicting controller has long been quiet. */
  | 'never-looks-again';

export interface KruiseWorldOptions extends UnitedDeploymentWorldOptions {
  readonly kruiseBug?: KruiseBug;
  /** Replicas of Kruise's manager at the beginning; default: it is not installed. */
  readonly manager?: 0 | 1;
}

interface Workload extends KubeObject {
  readonly spec?: { readonly replicas?: number };
}

const managers = deployments as Resource<Workload>;
const bindings = validatingAdmissionPolicyBindings as Resource<KubeObject>;
const managerKey = { namespace: 'kruise-system', name: kruiseManager.workload };
const keptOff: KubeObject = {
  metadata: { name: kruiseKeptOffPolicy },
  spec: { validationActions: ['Deny'] },
} as KubeObject;

/**
 * A UnitedDeployment of CloneSets beside OpenKruise's manager, which is installed, started, stopped, removed, or kept off
 * by the policy. Its children are of that kind so that events of the manager alone are events of Deployments.
 */
export function kruiseWorld(options: KruiseWorldOptions): World {
  const base = unitedDeploymentWorld({ kind: 'CloneSet', ...options });
  const neighbours = base.neighbours.filter(({ name }) => name !== 'deployment controller');
  const { manager: replicas } = options;
  const world: World = {
    ...base,
    begin:
      replicas === undefined
        ? base.begin
        : seed(base.begin, managers, managerWith(replicas), 'uid-manager', stamp),
    neighbours: [
      ...neighbours,
      creates('install', managers, [managerWith(1)]),
      deletes('uninstall', managers, isManager),
      edits('manager', managers, (object) => (isManager(object) ? [startOrStop(object)] : [])),
      creates('policy', bindings, [keptOff]),
      edits('elsewhere', unitedDeployments, (object) => [writtenByKruise(object)]),
    ],
    wrongEffect: (effect) => base.wrongEffect?.(effect) ?? wrongEffect(effect),
    missing: (store) => (isServedByKruise(store) ? missingAside(store) : base.missing(store)),
  };
  return withPlanted<UnitedDeploymentSnapshot>(world, (controller) => withBug(controller, options.kruiseBug));
}

function managerWith(replicas: number): Workload {
  return { metadata: { ...managerKey }, spec: { replicas } };
}

function isManager({ metadata }: KubeObject): boolean {
  return metadata.name === kruiseManager.workload;
}

function startOrStop({ spec }: Workload) {
  const runs = (spec?.replicas ?? 1) > 0;
  return {
    label: `${runs ? 'stops' : 'starts'} Kruise's manager`,
    patch: { spec: { replicas: runs ? 0 : 1 } },
  };
}

/** What a manager that runs in another cluster, or under another name, leaves on the object. */
function writtenByKruise(_object: UnitedDeployment) {
  const entry = {
    manager: kruiseManager.fieldManager,
    operation: 'Update',
    subresource: 'status',
    time: stamp,
  };
  return { label: 'Kruise writes the status', patch: { metadata: { managedFields: [entry] } } };
}

function isServedByKruise(store: Store): boolean {
  const runs = objectsOf(store, managers).some((each) => isManager(each) && (each.spec?.replicas ?? 1) > 0);
  return runs && objectsOf(store, bindings).length === 0;
}

/** L: it is reported, and that is all. */
function missingAside(store: Store): string | undefined {
  const owner = ownerIn(store);
  if (owner === undefined) return undefined;
  return (
    missingCondition(owner, 'Ready', 'False', 'Keep it off UnitedDeployments') ??
    missingCondition(owner, 'Stalled', 'True', 'Keep it off UnitedDeployments')
  );
}

/** E: beside a conflicting controller nothing is written but four conditions. */
function wrongEffect({ request, before, after, cached, late }: Effect): string | undefined {
  const known = cached.known.get(slotOf(managers, managerKey))?.object as Workload | undefined;
  const isKnown = known !== undefined && (known.spec?.replicas ?? 1) > 0;
  if (late || !isKnown || cached.known.has(slotOf(bindings, keptOff.metadata)) || !isServedByKruise(before)) {
    return undefined;
  }
  const isStatus = request.verb === 'patch' && request.subresource === 'status';
  if (!isStatus) return `${request.resource.kind} is written, which is served by Kruise`;
  const bare = (store: Store): object => {
    const { conditions = [], ...rest } = ownerIn(store)?.status ?? {};
    return { ...rest, conditions: conditions.filter(({ type = '' }) => !own.includes(type)) };
  };
  return sameJson(bare(before), bare(after)) ? undefined : 'the status is written, which is served by Kruise';
}

const own: readonly string[] = [
  conditionTypes.ready,
  conditionTypes.progressing,
  conditionTypes.degraded,
  conditionTypes.stalled,
];

function withBug(
  controller: Controller<UnitedDeploymentSnapshot>,
  bug: KruiseBug | undefined,
): Controller<UnitedDeploymentSnapshot> {
  const blind = (snapshot: UnitedDeploymentSnapshot): UnitedDeploymentSnapshot => ({
    ...snapshot,
    kruise: { ...snapshot.kruise, managers: [] },
  });
  switch (bug) {
    case 'fights':
      return seeing(controller, blind);
    case 'writes-the-status':
      return {
        ...controller,
        report: (snapshot, decision, outcome, at) =>
          snapshot.kruise.managers.some(({ runs }) => runs)
            ? report(snapshot, decide(blind(snapshot), at), outcome, at)
            : controller.report(snapshot, decision, outcome, at),
      };
    case 'manager-not-watched':
      return wakingLess(
        controller,
        (resource) => resource === deployments,
        (event) => (isManager(event.object) ? undefined : event),
      );
    case 'unread-is-none':
      return seeing(controller, (snapshot) => ({ ...snapshot, certain: true }));
    case 'never-looks-again':
      return planning(controller, (plan) => {
        const { requeueAt: _, ...rest } = plan;
        return { ...rest, holds: plan.holds.map(({ until: _until, ...hold }) => hold) };
      });
    case undefined:
      return controller;
  }
}
