import { unitedDeployments, type UnitedDeployment } from '@atoll/api';
import { controllerRevisions, type KubeObject, type Resource, type Stored } from '@atoll/kube';
import type { FreshWorld } from './fresh-world.ts';
import { webKey } from './spread-example.ts';
import type { ChildWorkload } from '../../src/children/child.ts';
import { kindFacts, type ChildKind } from '../../src/united-deployment/subsets/child-kind.ts';
import {
  kruiseChild,
  kruiseRevision,
  kruiseStatus,
  storedByKruise,
  type KruiseSubset,
} from '../../src/united-deployment/kruise/kruise.fixture.ts';

/** A UnitedDeployment, its revision and its children of 3 replicas, as a Kruise that was stopped leaves them. `changed`: each child before it is put there. */
export function putLeftByKruise(
  world: FreshWorld,
  kind: ChildKind,
  object: UnitedDeployment,
  changed: (child: KubeObject & ChildWorkload) => object = (child) => child,
): void {
  const owner = world.put(unitedDeployments, storedByKruise(object));
  const written = kruiseRevision(owner, 1);
  const revision = written.metadata.name;
  world.put(controllerRevisions, written);
  const maker = {
    manager: 'kruise-manager',
    operation: 'Update',
    fieldsV1: { 'f:spec': { 'f:selector': {}, 'f:replicas': {} } },
  };
  const subsets = (object.spec.topology?.subsets ?? []).map(({ name: subset }) => {
    const child = kruiseChild({ owner, subset, suffix: 'x7k2p', revision, replicas: 3 });
    const owned = { ...child, metadata: { ...child.metadata, managedFields: [maker] } };
    const resource = kindFacts[kind].resource as Resource<KubeObject>;
    const found = changed(owned as KubeObject & ChildWorkload) as KubeObject & ChildWorkload;
    world.put(resource, found as KubeObject);
    return { name: subset, replicas: found.spec?.replicas ?? 1 };
  });
  putKruiseStatus(world, owner, revision, subsets);
}

/** That all of these run the revision. */
export function putKruiseStatus(
  world: FreshWorld,
  owner: Stored<UnitedDeployment>,
  revision: string,
  subsets: readonly KruiseSubset[],
): void {
  const revisions = { currentRevision: revision, updatedRevision: revision, updatedReplicas: 6 };
  const status = kruiseStatus({ owner, subsets, ...revisions });
  world.edit(unitedDeployments, webKey, (found) => ({ ...found, status }));
}
