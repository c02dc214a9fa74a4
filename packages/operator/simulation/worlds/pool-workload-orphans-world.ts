import { labels, nodePools, yurtAppDaemons } from '@atoll/api';
import { apiVersionOf, controllerOf, controllerRevisions } from '@atoll/kube';
import type { KubeObject, Resource } from '@atoll/kube';
import { childName } from '../../src/children/names.ts';
import { unitedDaemonSetKind } from '../../src/pool-workload/controller.ts';
import type { PoolWorkloadSnapshot } from '../../src/pool-workload/observe.ts';
import { creates } from '../neighbours/people.ts';
import { seed, slotOf } from '../model/store.ts';
import type { Store } from '../model/store.ts';
import { objectsOf } from '../world.ts';
import type { Effect, Neighbour, World } from '../world.ts';
import { allDeployments, isAdoption, isOrphan, isStranger } from './orphans.ts';
import { orphanNeighbours, withOrphansBug, wrongAdoption } from './orphans.ts';
import type { OrphansBug } from './orphans.ts';
import { isSelected, leftIn, leftRevision, poolOf, web, workload } from './pool-workload-objects.ts';
import { poolWorkloadWorld } from './pool-workload-world.ts';
import type { PoolWorkloadWorldOptions } from './pool-workload-world.ts';
import { stamp } from './world-options.ts';

/** Deployments that nobody owns and that carry the labels of the pool. */
export type PoolOrphan =
  /** The old operator's, of which only the name shows whose it was. */
  | 'of the old operator'
  /** The old operator's of another workload, `web-2`, with the same selector. */
  | 'of web-2'
  /** Ours of that one. */
  | 'ours of web-2'
  /** Ours of one of the other kind with this name, whose revision is still there. */
  | 'ours of the other kind';

export interface PoolOrphansWorldOptions extends Omit<PoolWorkloadWorldOptions, 'old'> {
  readonly orphansBug?: OrphansBug;
  /** What is there before the workload. */
  readonly orphans?: readonly PoolOrphan[];
  /** Nothing is there but the history: somebody restores the old operator's child, without an owner, and then the workload. */
  readonly restored?: true;
}

/** A workload in one pool beside Deployments that nobody owns, or that loses its own. */
export function poolOrphansWorld(options: PoolOrphansWorldOptions): World {
  const { orphans = [], orphansBug, kind = unitedDaemonSetKind, restored = false } = options;
  const { resource } = kind;
  const alone = { pools: ['hz'], oldRendering: restored || orphans.length > 0, ...options };
  const base = poolWorkloadWorld(alone);
  const ownerIn = (store: Store): KubeObject | undefined => objectsOf(store, resource)[0];
  const world: World = {
    ...base,
    begin: restored ? withoutWorkload(base.begin, resource) : orphans.reduce(withOrphan, base.begin),
    neighbours: [...base.neighbours, ...orphanNeighbours(resource), restores(resource)],
    wrongEffect: (effect) =>
      isAdoption(effect)
        ? (adoptedTooEarly(effect) ?? wrongAdoption(effect, ownerIn))
        : base.wrongEffect?.(effect),
    missing: (store) => missingAdoption(store, ownerIn(store)) ?? base.missing(store),
  };
  return withOrphansBug<PoolWorkloadSnapshot>(world, orphansBug, poolOf);
}

/** The history is there, which nobody owns. */
function withoutWorkload({ objects, version }: Store, resource: Resource<KubeObject>): Store {
  const left = new Map(objects);
  left.delete(slotOf(resource, web));
  return withOldHistory({ objects: left, version });
}

/** A child comes back to its pool before the workload, as a tool for backups does it. */
function restores(resource: Resource<KubeObject>): Neighbour {
  const child = withoutOwner(leftIn('hz', 'old15', false));
  const back = creates('restore', allDeployments, [child]);
  const isThere = (store: Store): boolean =>
    objectsOf(store, resource).length > 0 ||
    objectsOf(store, allDeployments).some((each) => poolOf(each) === poolOf(child));
  return { ...back, moves: (store) => (isThere(store) ? [] : back.moves(store)) };
}

function withOldHistory(begin: Store): Store {
  return seed(begin, controllerRevisions, withoutOwner(leftRevision()), 'uid-orphan-revision', stamp);
}

function withoutOwner(object: KubeObject): KubeObject {
  const { ownerReferences: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function withOrphan(begin: Store, orphan: PoolOrphan): Store {
  const left = withoutOwner(leftIn('hz', 'old15', false));
  const add = (store: Store, name: string, found: Readonly<Record<string, string>>, uid: string): Store =>
    seed(store, allDeployments, { ...left, metadata: { ...left.metadata, name, labels: found } }, uid, stamp);
  const { labels: found = {} } = left.metadata;
  switch (orphan) {
    case 'of the old operator':
      return add(withOldHistory(begin), 'web-hz-old15', found, 'uid-orphan-web-hz-old15');
    case 'of web-2':
      return add(begin, 'web-2-hz-old15', found, 'uid-stranger-old');
    case 'ours of the other kind': {
      const told = seed(
        begin,
        controllerRevisions,
        ofOtherKind(leftRevision()),
        'uid-others-revision',
        stamp,
      );
      return seed(told, allDeployments, madeForOtherKind(left), 'uid-orphan-of-other-kind', stamp);
    }
    case 'ours of web-2':
      return add(begin, 'web-2-hz-gh45k2xz', { ...found, [labels.workload]: 'web-2' }, 'uid-stranger-ours');
  }
}

/** It is not there any more: the garbage collector deletes what it owns. */
const otherKind = { name: web.name, uid: 'uid-other-kind' };

function ofOtherKind(object: KubeObject): KubeObject {
  const { kind } = yurtAppDaemons;
  const owner = { apiVersion: apiVersionOf(yurtAppDaemons), kind, ...otherKind, controller: true };
  return { ...object, metadata: { ...object.metadata, ownerReferences: [owner] } };
}

/** As we render it, as far as it matters here. */
function madeForOtherKind({ spec, metadata }: KubeObject & { readonly spec?: object }): KubeObject {
  const { managedFields: _, ...others } = metadata;
  const { template } = workload().spec.workloadTemplate?.deploymentTemplate?.spec ?? {};
  const found = { ...metadata.labels, [labels.workload]: otherKind.name };
  const child = {
    metadata: { ...others, name: childName(otherKind, 'hz'), labels: found },
    spec: { ...spec, template },
  };
  return child;
}

/** E: a child of the other kind only when nothing shows any more whose it was. */
function adoptedTooEarly({ request, before }: Effect): string | undefined {
  if (request.verb !== 'patch' || request.key.name !== childName(otherKind, 'hz')) return undefined;
  const isThere = objectsOf(before, controllerRevisions).some(
    (each) => controllerOf(each)?.uid === otherKind.uid,
  );
  return isThere ? `${request.key.name} is adopted, which was made for another` : undefined;
}

/** L: no pool that is selected has an orphan of the workload's own beside another child, or none. */
function missingAdoption(store: Store, owner: KubeObject | undefined): string | undefined {
  if (owner === undefined) return undefined;
  const selected = objectsOf(store, nodePools).filter(isSelected);
  const lost = objectsOf(store, allDeployments).find(
    (child) =>
      isOrphan(child) &&
      !isStranger(child) &&
      selected.some(({ metadata }) => metadata.name === poolOf(child)),
  );
  return lost === undefined ? undefined : `${lost.metadata.name} has no owner`;
}
