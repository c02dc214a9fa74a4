import { unitedDeployments, type Subset } from '@atoll/api';
import { controllerRevisions, deployments, formatKey } from '@atoll/kube';
import { kindFacts, type ChildKind } from '../../../src/united-deployment/subsets/child-kind.ts';
import type { KubeObject, Resource } from '@atoll/kube';
import type { Operation } from '../../model/api-server.ts';
import { foregroundDeletion } from '../../neighbours/foreground-deletion.ts';
import { garbageCollector } from '../../neighbours/garbage-collector.ts';
import { deletes, edits } from '../../neighbours/people.ts';
import { podsOfSubsets, rooms, smallPods } from '../../neighbours/pods-of-subsets.ts';
import type { Room } from '../../neighbours/pods-of-subsets.ts';
import { workloadControllers } from '../../neighbours/workload-controllers.ts';
import { emptyStore, seed } from '../../model/store.ts';
import type { Store } from '../../model/store.ts';
import type { Neighbour, World } from '../../world.ts';
import { unitedDeploymentProcess } from './united-deployment-bugs.ts';
import type { UnitedDeploymentBug } from './united-deployment-bugs.ts';
import {
  askForPhases,
  childResources,
  driftReplicas,
  dropOrAdd,
  editImage,
  ownerOf,
  patchFirst,
  releaseFirst,
  renumber,
  setRoom,
  scaleTo,
  strangerIn,
  subsetOf,
  switchKind,
  united,
  web,
} from './united-deployment-objects.ts';
import type { Shape, SmallChild } from './united-deployment-objects.ts';
import { missingIn } from './united-deployment-goals.ts';
import { wrongPlan } from './united-deployment-numbers.ts';
import { nothingRemembered, remember, wrongEffect, wrongState } from './united-deployment-oracles.ts';
import type { Memory, Rules } from './united-deployment-oracles.ts';
import { forbidden, fromOptions, stamp } from '../world-options.ts';
import type { WorldOptions } from '../world-options.ts';

export interface UnitedDeploymentWorldOptions extends WorldOptions, Partial<Shape> {
  /** Totals that people and autoscalers choose from. Default 1 and 3. */
  readonly totals?: readonly number[];
  /** What somebody sets the replicas of the subsets to (`numbers`): replicas move from one to another. */
  readonly numbers?: readonly number[];
  readonly bug?: UnitedDeploymentBug;
  /** The subset whose child is refused for ever. */
  readonly refused?: string;
  /** The subset whose child may not have more than one replica, by somebody's policy. */
  readonly kept?: Rules['kept'];
  /** Somebody else's Deployment carries the labels of a subset. */
  readonly stranger?: boolean;
  /** How many pods of each subset find a node, in the order of the subsets: pods are there, and CloneSets make them. */
  readonly rooms?: readonly number[];
  /** Those pods are updated in place when the template changes, and go with their child. */
  readonly updates?: boolean;
  /** Kinds that are not installed. */
  readonly absent?: readonly ChildKind[];
  /** There may be two children in one subset from the beginning. */
  readonly duplicates?: boolean;
  /** The pods of a child are of its template before they are available. */
  readonly slowly?: true;
  /** Default `uid-web`. */
  readonly uid?: string;
}

const twoSubsets: readonly Subset[] = [{ name: 'a' }, { name: 'b' }];

/** A UnitedDeployment over two or three small subsets, whose numbers follow from its spec. */
export function unitedDeploymentWorld(options: UnitedDeploymentWorldOptions): World {
  const { bug, refused, kept, absent = [] } = options;
  const shape = shapeOf(options);
  const { kind } = shape;
  const rules: Rules = {
    refused,
    kept,
    unserved: absent.includes(kind),
    fixed: options.rooms === undefined,
    drifts: (options.budgets['drift'] ?? 0) > 0,
    duplicates: options.duplicates === true,
  };
  return {
    ...fromOptions(options),
    build: (shown) => unitedDeploymentProcess(shown, absent, bug),
    begin: begin(shape, options),
    keys: [formatKey(web)],
    neighbours: neighbours(shape, options),
    memory: { begin: nothingRemembered, next: remember },
    wrongPlan: (planned) => wrongPlan(planned, { moves: options.numbers !== undefined }),
    wrongEffect: (effect) => wrongEffect(effect, rules),
    wrongState: (store, memory) => wrongState(store, rules, memory as Memory | undefined),
    missing: (store) => missingIn(store, rules),
    ...(refused === undefined ? {} : { refuse: (operation) => refuseChildOf(operation, refused) }),
    ...(kept === undefined ? {} : { refuse: (operation) => refuseGrowthOf(operation, kept.subset) }),
  };
}

export function shapeOf(options: UnitedDeploymentWorldOptions): Shape {
  const { kind = 'Deployment', subsets = twoSubsets } = options;
  const total = 'total' in options ? options.total : 2;
  return { ...options, kind, total, subsets };
}

function begin(shape: Shape, options: UnitedDeploymentWorldOptions): Store {
  let store = seed(emptyStore, unitedDeployments, united(shape), options.uid ?? 'uid-web', stamp);
  options.rooms?.forEach((pods, index) => {
    const { name } = shape.subsets[index] ?? { name: '' };
    const room: Room = { metadata: { name }, spec: { pods } };
    store = seed(store, rooms, room, `uid-room-${name}`, stamp);
  });
  if (options.stranger !== true) return store;
  return seed(store, deployments, strangerIn(shape.subsets[0]?.name ?? ''), 'uid-stranger', stamp);
}

function neighbours({ subsets }: Shape, options: UnitedDeploymentWorldOptions): readonly Neighbour[] {
  const { totals = [1, 3], numbers } = options;
  const pods = options.updates === true ? [smallPods] : [];
  const collected = [...childResources, controllerRevisions, ...pods] as readonly Resource<KubeObject>[];
  const { resource } = kindFacts[options.kind ?? 'Deployment'];
  return [
    ...(options.rooms === undefined
      ? workloadControllers({ slowly: options.slowly === true })
      : [podsOfSubsets({ updates: options.updates === true })]),
    edits('room', rooms, (room) => [setRoom(room)]),
    garbageCollector(collected),
    foregroundDeletion(unitedDeployments, collected),
    edits('edit', unitedDeployments, (object) => [editImage(object)]),
    edits('scale', unitedDeployments, (object) => scaleTo(totals, object)),
    edits('numbers', unitedDeployments, (object) =>
      numbers === undefined ? [] : [renumber(numbers, object)],
    ),
    edits('subset', unitedDeployments, (object) => [dropOrAdd(subsets, object)]),
    edits('patch', unitedDeployments, (object) => [patchFirst(object)]),
    edits('release', unitedDeployments, (object) => [releaseFirst(object)]),
    edits('kind', unitedDeployments, (object) => [switchKind(object)]),
    edits('phases', unitedDeployments, (object) => [askForPhases(object)]),
    deletes('remove', unitedDeployments),
    deletes('remove in the foreground', unitedDeployments, () => true, 'Foreground'),
    deletes('other writer', resource, isOwned),
    edits('drift', resource as Resource<SmallChild>, (child) =>
      isOwned(child) ? [driftReplicas(child)] : [],
    ),
  ];
}

function isOwned(child: KubeObject): boolean {
  return ownerOf(child) === 'uid-web';
}

function refuseChildOf(operation: Operation, subset: string) {
  const isChild =
    operation.verb.startsWith('create') && 'object' in operation && subsetOf(operation.object) === subset;
  return isChild
    ? forbidden(`create child of ${subset}`, `exceeded quota: no child in ${subset}`)
    : undefined;
}

function refuseGrowthOf(operation: Operation, subset: string) {
  if (operation.verb !== 'apply' || subsetOf(operation.object) !== subset) return undefined;
  const { replicas = 1 } = (operation.object as SmallChild).spec ?? {};
  return replicas > 1 ? forbidden(`apply child of ${subset}`, 'denied by a policy') : undefined;
}
