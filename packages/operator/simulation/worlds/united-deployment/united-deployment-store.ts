import { unitedDeployments, type UnitedDeployment } from '@atoll/api';
import type { KubeObject, Resource } from '@atoll/kube';
import type { Store } from '../../model/store.ts';
import { objectsOf } from '../../world.ts';
import { childResources, ownerOf } from './united-deployment-objects.ts';
import type { SmallChild } from './united-deployment-objects.ts';

/** What the true store of a world holds of its UnitedDeployment. */
export function ownerIn(store: Store): UnitedDeployment | undefined {
  return objectsOf(store, unitedDeployments)[0];
}

/** Live ones that it owns, of all kinds. */
export function childrenIn(store: Store): readonly SmallChild[] {
  return childResources.flatMap((resource) => childrenOf(store, resource));
}

export function childrenOf(store: Store, resource: Resource<KubeObject>): readonly SmallChild[] {
  const uid = ownerIn(store)?.metadata.uid;
  return objectsOf(store, resource).filter(
    (child) => ownerOf(child) === uid && uid !== undefined && child.metadata.deletionTimestamp === undefined,
  );
}

export function isRolledOut({ metadata, spec, status }: SmallChild): boolean {
  return (
    status?.observedGeneration === metadata.generation &&
    (status?.updatedReplicas ?? 0) >= (spec?.replicas ?? 1)
  );
}

/** What is wanted in all; where it is left out, the sum of the subsets. */
export function totalOf({ spec }: UnitedDeployment): number | undefined {
  if (spec.replicas !== undefined) return spec.replicas;
  return (spec.topology?.subsets ?? []).reduce((sum, { replicas }) => sum + Number(replicas ?? 0), 0);
}

export function reserves({ spec }: UnitedDeployment): boolean {
  return spec.topology?.scheduleStrategy?.adaptive?.reserveUnschedulablePods === true;
}
