import type { ExtendedDaemonSet, ExtendedDaemonSetReplicaSet } from '@atoll/api';
import type { Stored } from '@atoll/kube';
import { CommandFailure } from '../program/command-failure.ts';
import type { Connection } from '../program/connection.ts';

/** The object of this name, or the sentence that there is none. */
export async function readObject(
  { client, namespace }: Connection,
  name: string,
): Promise<Stored<ExtendedDaemonSet>> {
  const [{ extendedDaemonSets }, { isApiError }] = await Promise.all([
    import('@atoll/api'),
    import('@atoll/kube'),
  ]);
  try {
    return await client.get(extendedDaemonSets, { namespace, name });
  } catch (error) {
    if (isApiError(error, 'NotFound') && error.status !== undefined)
      throw new CommandFailure(`there is no ExtendedDaemonSet "${name}" in the namespace ${namespace}`);
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
