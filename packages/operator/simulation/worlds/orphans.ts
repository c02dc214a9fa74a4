import { controllerOf, controllerRevisions, deployments } from '@atoll/kube';
import type { KubeObject, Resource } from '@atoll/kube';
import { withoutVersion } from '../explorer/planned-step.ts';
import { slotOf } from '../model/store.ts';
import type { Store } from '../model/store.ts';
import { orphanFinalizer } from '../neighbours/orphan-finalizer.ts';
import { deletes, edits } from '../neighbours/people.ts';
import type { Effect, World } from '../world.ts';
import { changingSteps, planning, seeing } from './planted.ts';
import { withPlanted } from './world-parts.ts';

/** Bugs of adoption. */
export type OrphansBug =
  /** Whatever has become of it since it was seen. */
  | 'adopts-by-old-caches'
  /** The same of a child that is deleted. */
  | 'deletes-by-old-caches'
  /** Whatever carries the labels of a place is an orphan of ours. */
  | 'adopts-by-labels-alone'
  /** What has no owner is nobody's. */
  | 'never-adopts'
  /** Where one child came back, nobody looks for others. */
  | 'one-that-came-back-is-all'
  /** Nobody waits until it is seen what becomes of a namesake's child. */
  | 'old-child-is-no-matter';

export const allDeployments = deployments as Resource<KubeObject>;

export function isOrphan(child: KubeObject): boolean {
  return controllerOf(child) === undefined && child.metadata.deletionTimestamp === undefined;
}

/** One that was never ours. */
export function isStranger({ metadata: { uid = '' } }: KubeObject): boolean {
  return uid.startsWith('uid-stranger');
}

/** Somebody else becomes the owner of an orphan. */
function taken({ metadata: { name } }: KubeObject) {
  const other = { apiVersion: 'example.test/v1', kind: 'Other', name: 'other', uid: 'uid-other' };
  return {
    label: `takes ${name}`,
    patch: { metadata: { ownerReferences: [{ ...other, controller: true }] } },
  };
}

/** Somebody takes the owner off a child, so that it stays whatever becomes of that. */
export function letGo({ metadata: { name } }: KubeObject) {
  return { label: `takes the owner off ${name}`, patch: { metadata: { ownerReferences: null } } };
}

/** Who lets go the children of an owner of this kind, and who else is after them. */
export function orphanNeighbours(owners: Resource<KubeObject>): World['neighbours'] {
  return [
    orphanFinalizer(owners, [allDeployments, controllerRevisions]),
    deletes('orphan', owners, () => true, 'Orphan'),
    edits('let go', allDeployments, (child) =>
      controllerOf(child)?.kind === owners.kind && child.metadata.deletionTimestamp === undefined
        ? [letGo(child)]
        : [],
    ),
    deletes('others delete orphans', allDeployments, isOrphan),
    edits('takes', allDeployments, (child) => (isOrphan(child) ? [taken(child)] : [])),
  ];
}

export function isAdoption({ request, before }: Effect): boolean {
  const { kind } = request.resource;
  if (request.verb !== 'patch' || (kind !== 'Deployment' && kind !== 'ControllerRevision')) return false;
  const held = before.objects.get(slotOf(request.resource, request.key))?.object;
  return held !== undefined && controllerOf(held) === undefined;
}

/** E: only what was ours, and only for an owner that stays. */
export function wrongAdoption(
  { request, before, after, late }: Effect,
  ownerIn: (store: Store) => KubeObject | undefined,
): string | undefined {
  if (request.verb !== 'patch') return undefined;
  const slot = slotOf(request.resource, request.key);
  const [held, next] = [before.objects.get(slot)?.object, after.objects.get(slot)?.object];
  if (held === undefined || next === undefined) return undefined;
  const { name, deletionTimestamp } = held.metadata;
  if (isStranger(held)) return `${name} is adopted, which was never ours`;
  if (deletionTimestamp !== undefined) return `${name} is adopted, which is being deleted`;
  const owner = ownerIn(before);
  const isOwners = owner !== undefined && controllerOf(next)?.uid === owner.metadata.uid;
  if (late || (isOwners && owner.metadata.deletionTimestamp === undefined)) return undefined;
  return `${name} is given to an owner that is going`;
}

/** What bugs of adoption change of what a controller observes. */
interface ObservedOrphans {
  readonly children: readonly unknown[];
  readonly orphans: readonly object[];
  readonly nameConflicts: object;
}

/** The world with that bug in its controller. `placeOf`: the place that a child's labels name. */
export function withOrphansBug<Snapshot extends ObservedOrphans>(
  world: World,
  bug: OrphansBug | undefined,
  placeOf: (child: KubeObject) => string,
): World {
  return withPlanted<Snapshot>(world, (controller, caches) => {
    const cache = caches.find(({ resource }) => resource === deployments);
    switch (bug) {
      case 'adopts-by-old-caches':
        return changingSteps(controller, (step) => {
          const adopts = step.do === 'patch' && step.resource.kind === 'Deployment';
          return [adopts ? withoutVersion(step) : step];
        });
      case 'deletes-by-old-caches':
        return changingSteps(controller, (step) => [step.do === 'delete' ? withoutVersion(step) : step]);
      case 'adopts-by-labels-alone':
        return seeing(controller, (snapshot) => {
          const orphans = (cache?.list() ?? [])
            .filter((object) => isOrphan(object) && snapshot.children.length === 0)
            .map((object) => ({ kind: 'Deployment' as const, object, place: placeOf(object) }));
          return { ...snapshot, orphans };
        });
      case 'old-child-is-no-matter':
        return seeing(controller, (snapshot) => ({ ...snapshot, nameConflicts: {} }));
      case 'one-that-came-back-is-all':
        return planning(controller, (plan, { children }) =>
          children.length === 0 ? plan : { ...plan, unseen: [] },
        );
      case 'never-adopts':
        return seeing(controller, (snapshot) => ({ ...snapshot, orphans: [] }));
      case undefined:
        return controller;
    }
  });
}
