import { isReady } from '@atoll/kube';
import type { UnitedDeployment } from '@atoll/api';
import { kindFacts } from '../../../src/united-deployment/subsets/child-kind.ts';
import { rooms, smallPods } from '../../neighbours/pods-of-subsets.ts';
import type { Store } from '../../model/store.ts';
import { objectsOf } from '../../world.ts';
import {
  imageIn,
  imageOf,
  kindOf,
  modeIn,
  partitionIn,
  subsetOf,
  subsetsOf,
} from './united-deployment-objects.ts';
import type { SmallChild } from './united-deployment-objects.ts';
import type { Rules } from './united-deployment-oracles.ts';
import { childrenIn, childrenOf, ownerIn, reserves } from './united-deployment-store.ts';

/** L: what is not yet as desired. */
export function missingIn(store: Store, rules: Rules): string | undefined {
  const owner = ownerIn(store);
  if (owner === undefined) return undefined;
  if (owner.spec.replicas === undefined) return 'the total is not filled in';
  if (rules.unserved) return missingCondition(owner, 'Ready', 'False', 'CustomResourceDefinition');
  const { resource } = kindFacts[kindOf(owner)];
  const wanted = subsetsOf(owner)
    .map(({ name }) => name)
    .filter((name) => name !== rules.refused)
    .sort();
  const children = childrenIn(store);
  const shown =
    children.map((child) => `${subsetOf(child)}:${child.spec?.replicas}@${imageIn(child)}`).join(', ') ||
    'none';
  const have = childrenOf(store, resource).map(subsetOf).sort();
  if (have.join() !== wanted.join() || children.length !== wanted.length) {
    return `subsets ${wanted.join(', ')} want children; there are ${shown}`;
  }
  if (children.some((child) => imageIn(child) !== imageOf(owner))) {
    return `the image should be ${imageOf(owner)}; there are ${shown}`;
  }
  const waiting = objectsOf(store, smallPods).filter((pod) => !isReady(pod)).length;
  return (
    missingNumbers(owner, children, rules, shown, reserves(owner) ? waiting : 0) ??
    missingPods(store, owner) ??
    missingInStatus(owner, children, rules)
  );
}

/** Where there is room for all in all, all are ready. */
export function missingPods(store: Store, owner: UnitedDeployment): string | undefined {
  const room = objectsOf(store, rooms).reduce((sum, { spec }) => sum + spec.pods, 0);
  if (objectsOf(store, rooms).length === 0) return undefined;
  const all = objectsOf(store, smallPods);
  const ready = all.filter(isReady).length;
  const { replicas = 0 } = owner.spec;
  const distrusted = owner.status?.subsetStatuses?.find(({ conditions = [] }) =>
    conditions.some(({ type, status }) => type === 'Schedulable' && status === 'False'),
  );
  if (distrusted !== undefined && ready === all.length && !reserves(owner)) {
    return `subset ${distrusted.name} is reported without room for ever`;
  }
  return ready >= Math.min(room, replicas)
    ? undefined
    : `${ready} pods are ready, where ${replicas} could be`;
}

function missingNumbers(
  owner: UnitedDeployment,
  children: readonly SmallChild[],
  { refused, kept }: Rules,
  shown: string,
  unschedulable: number,
): string | undefined {
  const { replicas: total = 0, updateStrategy } = owner.spec;
  const sum = children.reduce((all, { spec }) => all + (spec?.replicas ?? 1), 0);
  const met = sum - unschedulable <= total && sum >= Math.min(total, kept?.least ?? total);
  if (refused === undefined && !met) return `${total} replicas are wanted; there are ${shown}`;
  for (const subset of subsetsOf(owner)) {
    const child = children.find((each) => subsetOf(each) === subset.name);
    if (child === undefined) continue;
    const mode = subset.patch === undefined ? undefined : 'b';
    if (modeIn(child) !== mode) return `the pods of ${child.metadata.name} have MODE ${modeIn(child)}`;
    const wanted = updateStrategy?.manualUpdate?.partitions?.[subset.name] ?? 0;
    const partition = Math.min(Math.max(0, wanted), child.spec?.replicas ?? 1);
    if (kindOf(owner) !== 'Deployment' && partitionIn(child) !== partition) {
      return `the partition of ${child.metadata.name} is ${partitionIn(child)}, not ${partition}`;
    }
  }
  return undefined;
}

function missingInStatus(
  owner: UnitedDeployment,
  children: readonly SmallChild[],
  { refused, kept }: Rules,
): string | undefined {
  const { metadata, status } = owner;
  if (status?.observedGeneration !== metadata.generation) return 'the status is of an older generation';
  const names = subsetsOf(owner).map(({ name }) => name);
  const listed = (status?.subsetStatuses ?? []).map(({ name }) => name);
  if (listed.join() !== names.join()) return `status.subsetStatuses is ${listed.join(', ')}`;
  for (const child of children) {
    const name = subsetOf(child);
    const { replicas = 1 } = child.spec ?? {};
    if (kept === undefined && status?.subsetReplicas?.[name] !== replicas) {
      return `status.subsetReplicas of ${name} is ${status?.subsetReplicas?.[name]}, not ${replicas}`;
    }
    const found = status?.subsetStatuses?.find((each) => each.name === name);
    const ready = child.status?.readyReplicas ?? 0;
    if (found?.readyReplicas !== ready)
      return `the status counts ${found?.readyReplicas} ready in ${name}, not ${ready}`;
  }
  const { replicas: total = 0 } = owner.spec;
  const given = subsetsOf(owner).map(({ replicas }) => replicas);
  const met = given.some((each) => each === undefined)
    ? given.reduce<number>((sum, each) => sum + Number(each ?? 0), 0) <= total
    : given.reduce<number>((sum, each) => sum + Number(each ?? 0), 0) === total;
  const effective = missingCondition(owner, 'SubsetReplicasEffective', met ? 'True' : 'False', '');
  if (effective !== undefined) return effective;
  if (refused !== undefined && names.includes(refused))
    return missingCondition(owner, 'Ready', 'False', refused);
  const waits = children.some((child) => child.spec?.replicas !== status?.subsetReplicas?.[subsetOf(child)]);
  if (waits) return missingCondition(owner, 'Ready', 'False', `${kept?.subset}: `);
  const held = children.some((child) => partitionIn(child) > 0);
  if (!held && status?.currentRevision !== status?.updatedRevision)
    return 'currentRevision is not the updated one';
  const unschedulable = (owner.status?.replicas ?? 0) > (owner.status?.readyReplicas ?? 0);
  return unschedulable ? undefined : missingCondition(owner, 'Ready', 'True', '');
}

export function missingCondition(
  { status }: UnitedDeployment,
  type: string,
  wanted: 'True' | 'False',
  says: string,
): string | undefined {
  const found = status?.conditions?.find((each) => each.type === type);
  if (found?.status === wanted && (found.message ?? '').includes(says)) return undefined;
  return `${type} is ${found?.status}: ${found?.reason} ${found?.message}`;
}
