import { controllerOf, deployments } from '@atoll/kube';
import type { KubeObject, Resource } from '@atoll/kube';
import { slotOf } from '../model/store.ts';
import type { Store } from '../model/store.ts';
import type { Effect } from '../world.ts';

/** Bugs of adoption. */
export type OrphansBug =
  /** Whatever has become of it since it was seen. */
  | 'adopts-by-old-caches'
  /** Whatever carries the labels of a place is an orphan of ours. */
  | 'adopts-by-labels-alone'
  /** What has no owner is nobody's. */
  | 'never-adopts'
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
export function taken({ metadata: { name } }: KubeObject) {
  const other = { apiVersion: 'example.test/v1', kind: 'Other', name: 'other', uid: 'uid-other' };
  return {
    label: `takes ${name}`,
    patch: { metadata: { ownerReferences: [{ ...other, controller: true }] } },
  };
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
