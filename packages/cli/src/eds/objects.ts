import type { ExtendedDaemonSet, ExtendedDaemonSetReplicaSet } from '@atoll/api';
import type { KubeObject, Resource, Stored } from '@atoll/kube';
import { CommandFailure } from '../program/command-failure.ts';
import type { Connection } from '../program/connection.ts';

/** The ExtendedDaemonSet of this name, or the sentence that there is none. */
export async function readObject(connection: Connection, name: string): Promise<Stored<ExtendedDaemonSet>> {
  return readNamed(connection, (await import('@atoll/api')).extendedDaemonSets, name);
}

/** The object of this kind and name, or the sentence that there is none. */
export async function readNamed<T extends KubeObject>(
  { client, namespace }: Connection,
  resource: Resource<T>,
  name: string,
): Promise<Stored<T>> {
  const { isApiError } = await import('@atoll/kube');
  try {
    return await client.get(resource, { namespace, name });
  } catch (error) {
    if (isApiError(error, 'NotFound') && error.status !== undefined)
      throw new CommandFailure(`there is no ${resource.kind} "${name}" in the namespace ${namespace}`);
    throw error;
  }
}

/** The replica set that is tried; throws where there is none. */
export function canaryOf({ metadata, status }: ExtendedDaemonSet): string {
  const name = status?.canary?.replicaSet ?? '';
  if (name === '') throw new CommandFailure(`ExtendedDaemonSet ${metadata.name} has no canary now`);
  return name;
}

export async function readReplicaSet(
  { client, namespace }: Connection,
  name: string,
): Promise<Stored<ExtendedDaemonSetReplicaSet>> {
  const { extendedDaemonSetReplicaSets } = await import('@atoll/api');
  return client.get(extendedDaemonSetReplicaSets, { namespace, name });
}
