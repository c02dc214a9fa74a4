import { unitedDeployments, type UnitedDeployment } from '@atoll/api';
import { controllerRevisions } from '@atoll/kube';
import type { ControllerRevision, KubeObject, Resource, Stored, StreamingClient } from '@atoll/kube';
import {
  kruiseChild,
  kruiseRevision,
  kruiseStatus,
  storedByKruise,
  type KruiseChild,
  type KruiseStanding,
} from '../../src/united-deployment/kruise/kruise.fixture.ts';

/** Kruise's field manager. */
export const kruiseManager = 'kruise-manager';
/** Of the names of its children here. */
export const suffix = 'x7k2p';

type Standing = Pick<KruiseChild, 'subset' | 'replicas' | 'partition' | 'patched'>;

/** A UnitedDeployment of a person, with its first revision and with children, as Kruise makes them. Their status is written when they run. */
export async function createByKruise(
  client: StreamingClient,
  object: UnitedDeployment,
  children: Resource<KubeObject>,
  standing: readonly Standing[],
): Promise<{ readonly owner: Stored<UnitedDeployment>; readonly revision: Stored<ControllerRevision> }> {
  // Its zero values include fields that our schema does not know.
  const options = { fieldManager: kruiseManager, fieldValidation: 'Ignore' } as const;
  const owner = await client.create(unitedDeployments, storedByKruise(object), {
    ...options,
    fieldManager: 'kubectl-create',
  });
  const revision = await client.create(controllerRevisions, kruiseRevision(owner, 1), options);
  for (const each of standing) {
    const child = kruiseChild({ owner, suffix, revision: revision.metadata.name, ...each });
    await client.create(children, child, options);
  }
  return { owner, revision };
}

export async function writeKruiseStatus(client: StreamingClient, standing: KruiseStanding): Promise<void> {
  const body = { status: kruiseStatus(standing) };
  const options = { subresource: 'status', fieldManager: kruiseManager } as const;
  await client.patch(unitedDeployments, standing.owner.metadata, { type: 'merge', body }, options);
}
