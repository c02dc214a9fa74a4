import { advancedStatefulSets, annotations } from '@atoll/api';
import { deployments, isReady } from '@atoll/kube';
import type { CacheDeclaration, KubeObject, Stored } from '@atoll/kube';
import { caches } from '../../../src/caches.ts';
import type { Readers } from '../../../src/caches.ts';
import type { Controller } from '../../../src/engine/controller.ts';
import { nothingToDo } from '../../../src/engine/plan.ts';
import type { Plan } from '../../../src/engine/plan.ts';
import type { Step } from '../../../src/engine/step.ts';
import { cacheOf } from '../../../src/places/reader-of.ts';
import { createUnitedDeploymentController } from '../../../src/united-deployment/controller.ts';
import { childKinds, type ChildKind } from '../../../src/united-deployment/subsets/child-kind.ts';
import type { UnitedDeploymentSnapshot } from '../../../src/united-deployment/observe.ts';
import type { Shown } from '../../model/caches.ts';
import { withoutVersion } from '../../explorer/planned-step.ts';
import { processOf } from '../../process.ts';
import type { Process } from '../../world.ts';
import type { SmallChild } from './united-deployment-objects.ts';
import {
  inOneStage,
  alwaysSynced,
  asIfLive,
  changingStatus,
  changingSteps,
  planning,
  reportingWhatWasPlanned,
  seeing,
  wakingLess,
} from '../planted.ts';

/** Planted bugs of section 3.3, and those common to all kinds that are bugs of a controller. */
export type UnitedDeploymentBug =
  | 'generated-names'
  | 'children-not-watched'
  | 'adopts-by-label'
  | 'unsynced-is-empty'
  | 'status-of-older-spec'
  | 'allocates-from-status'
  | 'moves-in-two-reconciles'
  | 'one-more-in-the-last-subset'
  | 'minimum-ignored'
  | 'maximum-ignored'
  | 'ineffective-stops'
  | 'partition-not-clamped'
  | 'partition-of-present-replicas'
  | 'partition-elsewhere'
  | 'status-outlives-subset'
  | 'timer-set-once'
  | 'timer-of-who-found-it'
  | 'forgets-who-is-ready'
  | 'trusts-at-once'
  | 'moves-by-old-caches'
  | 'grows-in-any-case'
  | 'grows-untried'
  | 'all-at-once'
  | 'patch-not-noticed'
  | 'patch-compared-as-text'
  | 'missing-kind-stops-all'
  | 'current-at-once'
  | 'serves-a-terminating-owner'
  | 'order-of-subsets-counts'
  | 'unsorted-status';

type Snapshot = UnitedDeploymentSnapshot;

/** How long a subset without room is not trusted, where the spec leaves it out. */
const windowMs = 300_000;

/** The shipped controller over model caches, with a bug or none. `absent`: kinds that are not installed. */
export function unitedDeploymentProcess(
  shown: Shown,
  absent: readonly ChildKind[],
  bug: UnitedDeploymentBug | undefined,
): Process {
  return processOf(
    shown,
    [
      'unitedDeployments',
      'deployments',
      'statefulSets',
      'advancedStatefulSets',
      'cloneSets',
      'controllerRevisions',
      'subsetPods',
      'kruiseKeptOff',
      'kruiseValidatingWebhooks',
      'kruiseMutatingWebhooks',
    ],
    (readers) => {
      const controller = createUnitedDeploymentController(readersWith(withAbsent(readers, absent), bug));
      return withBug(controller, absent, bug);
    },
    declaredWith(bug),
  );
}

function withBug(
  controller: Controller<Snapshot>,
  absent: readonly ChildKind[],
  bug: UnitedDeploymentBug | undefined,
): Controller<Snapshot> {
  switch (bug) {
    case 'children-not-watched':
      return wakingLess(
        controller,
        (resource) => resource === deployments,
        () => undefined,
      );
    case 'generated-names':
      return changingSteps(controller, (step) => [generated(step)]);
    case 'status-of-older-spec':
      return reportingWhatWasPlanned(controller, (before, { owner }) => ({ ...before, owner }));
    case 'allocates-from-status':
      return seeing(controller, (snapshot) => ({
        ...snapshot,
        children: snapshot.children.map((child) => withReplicas(child, child.object.status?.replicas ?? 0)),
      }));
    case 'moves-in-two-reconciles':
      return planning(controller, (plan, snapshot) => movesInTwoPasses(plan, snapshot));
    case 'one-more-in-the-last-subset':
      return changingSteps(controller, (step, { owner }) => {
        const last = owner.object.spec.topology?.subsets?.at(-1)?.name;
        return [step.target === last ? withOneMore(step) : step];
      });
    case 'minimum-ignored':
      return seeing(controller, (snapshot) => withoutBound(snapshot, 'minReplicas'));
    case 'maximum-ignored':
      return seeing(controller, (snapshot) => withoutBound(snapshot, 'maxReplicas'));
    case 'ineffective-stops':
      return {
        ...controller,
        plan: (snapshot, decision, at) =>
          isIneffective(controller, snapshot, at) ? nothingToDo : controller.plan(snapshot, decision, at),
        report: (snapshot, ...how) =>
          isIneffective(controller, snapshot, how[2]) ? [] : controller.report(snapshot, ...how),
      };
    case 'partition-not-clamped':
      return seeing(
        controller,
        forgettingWhere((child, snapshot) => {
          const { partitions = {} } = snapshot.owner.object.spec.updateStrategy?.manualUpdate ?? {};
          return (partitions[child.place ?? ''] ?? 0) > (child.object.spec?.replicas ?? 1);
        }),
      );
    case 'partition-of-present-replicas':
      return changingSteps(controller, (step, { children }) => {
        const child = children.find(({ place }) => place === step.target);
        const present = child?.object.spec?.replicas ?? 0;
        return [withPartition(step, (partition) => Math.min(partition, present))];
      });
    case 'partition-elsewhere':
      // An Advanced StatefulSet is taken for a CloneSet.
      return changingSteps(controller, (step) => {
        const isTaken = step.do !== 'event' && step.resource === advancedStatefulSets;
        return [isTaken ? withPartition(step, () => undefined) : step];
      });
    case 'status-outlives-subset':
      return {
        ...controller,
        report: (snapshot, ...how) =>
          controller.report(snapshot, ...how).map((write) => {
            const found = snapshot.owner.object.status?.subsetStatuses ?? [];
            const { subsetStatuses: next = [] } = write.status as { subsetStatuses?: readonly Named[] };
            const gone = found.filter(({ name }) => !next.some((each) => each.name === name));
            return { ...write, status: { ...write.status, subsetStatuses: [...next, ...gone] } };
          }),
      };
    case 'forgets-who-is-ready':
      return seeing(controller, (snapshot) => ({
        ...snapshot,
        children: snapshot.children.map((child) => {
          const { status } = child.object;
          return { ...child, object: { ...child.object, status: { ...status, readyReplicas: 0 } } };
        }),
        pods: Object.fromEntries(
          Object.entries(snapshot.pods).map(([uid, pods]) => [uid, pods.filter((pod) => !isReady(pod))]),
        ),
      }));
    case 'moves-by-old-caches':
      return changingSteps(controller, (step) => [step.do === 'apply' ? withoutVersion(step) : step]);
    case 'grows-in-any-case':
      return changingSteps(controller, (step) => [{ ...step, dependsOn: [] }]);
    case 'grows-untried':
      return changingSteps(controller, (step) => (step.do === 'try' ? [] : [step]));
    case 'all-at-once':
      return planning(controller, inOneStage);
    case 'trusts-at-once':
      return seeing(controller, withoutWindows);
    case 'timer-set-once':
      return planning(controller, (plan, snapshot) => {
        const { requeueAt: _, ...rest } = plan;
        return isMarked(snapshot) ? rest : plan;
      });
    case 'timer-of-who-found-it':
      return {
        ...controller,
        plan: (snapshot, decision, at) => {
          const { requeueAt, ...plan } = controller.plan(snapshot, decision, at);
          if (isMarked(snapshot) || requeueAt === undefined) return plan;
          // What has just been found is written now, and its event enqueues the key.
          return { ...plan, requeueAt: requeueAt === at ? at + windowMs : requeueAt };
        },
      };
    case 'patch-not-noticed':
      return seeing(controller, withOldPatches);
    case 'patch-compared-as-text':
      return seeing(
        controller,
        forgettingWhere(({ place, object }, { owner }) => {
          const given = owner.object.spec.topology?.subsets?.find(({ name }) => name === place)?.patch;
          const text = object.metadata.annotations?.[annotations.subsetPatch];
          return given !== undefined && text !== undefined && text !== JSON.stringify(given, undefined, 1);
        }),
      );
    case 'missing-kind-stops-all':
      return seeing(controller, (snapshot) => ({
        ...snapshot,
        certain: absent.length === 0 && snapshot.certain,
      }));
    case 'serves-a-terminating-owner':
      return seeing(controller, (snapshot) => {
        const { owner } = snapshot;
        return { ...snapshot, owner: { ...owner, object: asIfLive(owner.object) } };
      });
    case 'current-at-once':
      return changingStatus(controller, (status: { readonly updatedRevision?: string }) => ({
        ...status,
        currentRevision: status.updatedRevision,
      }));
    case 'order-of-subsets-counts':
      return seeing(controller, (snapshot) => {
        const { desired, children } = snapshot;
        if (!desired.ok) return snapshot;
        // As a map's order changes from pass to reconciled.
        const odd = children.length % 2 === 1;
        const subsets = odd ? [...desired.places].reverse() : desired.places;
        return { ...snapshot, desired: { ...desired, places: subsets } };
      });
    case 'unsorted-status':
      return changingStatus(controller, (status: { readonly subsetStatuses?: readonly Named[] }) => ({
        ...status,
        subsetStatuses: [...(status.subsetStatuses ?? [])].reverse(),
      }));
    case 'adopts-by-label':
    case 'unsynced-is-empty':
    case undefined:
      return controller;
  }
}

/** The status reports that a subset has no room. */
function isMarked({ owner }: Snapshot): boolean {
  const { subsetStatuses = [] } = owner.object.status ?? {};
  return subsetStatuses.some(({ conditions = [] }) => conditions.some(({ status }) => status === 'False'));
}

/** Whoever was found without room counts as before in the next reconcile. */
function withoutWindows(snapshot: Snapshot): Snapshot {
  const { owner } = snapshot;
  const { status } = owner.object;
  const subsetStatuses = status?.subsetStatuses?.map((subset) => ({ ...subset, conditions: [] })) ?? [];
  const object = { ...owner.object, status: { ...status, subsetStatuses } };
  return { ...snapshot, owner: { ...owner, object } };
}

interface Named {
  readonly name: string;
}

type SubsetChild = Snapshot['children'][number];

function withReplicas(child: SubsetChild, replicas: number): SubsetChild {
  return { ...child, object: { ...child.object, spec: { ...child.object.spec, replicas } } };
}

/** Children that are believed to have been written otherwise. */
function forgettingWhere(
  differs: (child: SubsetChild, snapshot: Snapshot) => boolean,
): (snapshot: Snapshot) => Snapshot {
  return (snapshot) => ({
    ...snapshot,
    children: snapshot.children.map((child) => {
      if (!differs(child, snapshot)) return child;
      const { metadata } = child.object;
      const found = { ...metadata.annotations, [annotations.appliedHash]: '' };
      return { ...child, object: { ...child.object, metadata: { ...metadata, annotations: found } } };
    }),
  });
}

function withOldPatches(snapshot: Snapshot): Snapshot {
  const { desired, children } = snapshot;
  if (!desired.ok) return snapshot;
  const subsets = desired.places.map((subset) => {
    const child = children.find((each) => each.place === subset.name);
    if (child === undefined) return subset;
    const text = child.object.metadata.annotations?.[annotations.subsetPatch] ?? '';
    const { patch: _, ...spec } = subset.spec;
    return {
      ...subset,
      spec: text === '' ? spec : { ...spec, patch: JSON.parse(text) as Readonly<Record<string, unknown>> },
    };
  });
  return { ...snapshot, desired: { ...desired, places: subsets } };
}

/** An apply or create of a kind that has its partition under `rollingUpdate`. */
function withPartition(step: Step, change: (partition: number) => number | undefined): Step {
  if (step.do !== 'apply' && step.do !== 'create') return step;
  const { spec } = step.object as SmallChild;
  const { partition } = spec?.updateStrategy?.rollingUpdate ?? {};
  if (partition === undefined) return step;
  const changed = change(partition);
  const updateStrategy = changed === undefined ? { partition } : { rollingUpdate: { partition: changed } };
  return { ...step, object: { ...step.object, spec: { ...spec, updateStrategy } } as KubeObject };
}

function withoutBound(snapshot: Snapshot, bound: 'minReplicas' | 'maxReplicas'): Snapshot {
  const { desired } = snapshot;
  if (!desired.ok) return snapshot;
  const subsets = desired.places.map((subset) => {
    const { [bound]: _, ...spec } = subset.spec;
    return { ...subset, spec };
  });
  return { ...snapshot, desired: { ...desired, places: subsets } };
}

function withOneMore(step: Step): Step {
  if (step.do !== 'apply' && step.do !== 'create') return step;
  const { spec } = step.object as SmallChild;
  if (spec?.replicas === undefined) return step;
  return {
    ...step,
    object: { ...step.object, spec: { ...spec, replicas: spec.replicas + 1 } } as KubeObject,
  };
}

/** First all that shrinks; then, in another reconcile, what grows, by what is missing in the children's status. */
function movesInTwoPasses(plan: Plan, { children, desired }: Snapshot): Plan {
  if (!desired.ok || desired.total === undefined) return plan;
  const { total } = desired;
  const replicasOf = (step: Step): number | undefined =>
    step.do === 'apply' ? (step.object as { spec?: { replicas?: number } }).spec?.replicas : undefined;
  const present = (step: Step): number =>
    children.find(({ place }) => place === step.target)?.object.spec?.replicas ?? 0;
  const steps = plan.stages.flatMap((stage) => stage.steps);
  const shrinks = steps.some((step) => (replicasOf(step) ?? Infinity) < present(step));
  const change = (step: Step): readonly Step[] => {
    const wanted = replicasOf(step);
    if (step.do !== 'apply' || wanted === undefined || wanted <= present(step)) return [step];
    if (shrinks) return [];
    const others = children
      .filter(({ place }) => place !== step.target)
      .reduce((sum, { object }) => sum + (object.status?.replicas ?? 0), 0);
    const spec = { ...(step.object as { spec?: object }).spec, replicas: Math.max(0, total - others) };
    return [{ ...step, object: { ...step.object, spec } as KubeObject }];
  };
  return {
    ...plan,
    stages: plan.stages.map((stage) => ({ ...stage, steps: stage.steps.flatMap(change) })),
  };
}

function isIneffective(controller: Controller<Snapshot>, snapshot: Snapshot, at: number): boolean {
  const decision = controller.decide(snapshot, at);
  const [write] = controller.report(snapshot, decision, { results: [] }, at);
  const { conditions = [] } = (write?.status ?? {}) as {
    conditions?: readonly { readonly type: string; readonly status: string }[];
  };
  return conditions.some(({ type, status }) => type === 'SubsetReplicasEffective' && status === 'False');
}

function readersWith(readers: Readers, bug: UnitedDeploymentBug | undefined): Readers {
  if (bug !== 'unsynced-is-empty') return readers;
  const all = Object.entries(readers).map(([name, reader]) => [name, alwaysSynced(reader)]);
  return Object.fromEntries(all) as unknown as Readers;
}

/** The CustomResourceDefinitions of these kinds are not there. */
function withAbsent(readers: Readers, absent: readonly ChildKind[]): Readers {
  const named = new Set<string>(
    childKinds.filter((kind) => absent.includes(kind)).map((kind) => cacheOf[kind]),
  );
  const all = Object.entries(readers).map(([name, reader]): [string, object] => {
    if (!named.has(name)) return [name, reader];
    const { resource } = reader as Readers['cloneSets'];
    const nothing = (): readonly [] => [];
    return [
      name,
      { resource, synced: true, served: false, get: () => undefined, list: nothing, by: nothing },
    ];
  });
  return Object.fromEntries(all) as unknown as Readers;
}

function declaredWith(bug: UnitedDeploymentBug | undefined): {
  readonly deployments?: CacheDeclaration<KubeObject>;
} {
  if (bug !== 'adopts-by-label') return {};
  const { resource, indexers } = caches.deployments as unknown as CacheDeclaration<KubeObject>;
  const owner = (_object: Stored<KubeObject>): readonly string[] => ['uid-web'];
  return { deployments: { resource, indexers: { ...indexers, owner } } };
}

function generated(step: Step): Step {
  if (step.do !== 'create' || step.resource.kind === 'ControllerRevision') return step;
  const metadata = { ...step.object.metadata, name: '', generateName: `${step.object.metadata.name}-` };
  return { ...step, object: { ...step.object, metadata } };
}
