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
export function canaryOf(object: ExtendedDaemonSet): string {
  const name = canaryIn(object);
  if (name === '') throw new CommandFailure(`ExtendedDaemonSet ${object.metadata.name} has no canary now`);
  return name;
}

/** The replica set that is tried; empty: none is. */
export function canaryIn({ status }: Pick<ExtendedDaemonSet, 'status'>): string {
  return status?.canary?.replicaSet ?? '';
}

/** Why it is not known which replica set is active, so that no pod is made or deleted; undefined: it is known. */
export function whyUnknown({ status }: Pick<ExtendedDaemonSet, 'status'>): string | undefined {
  const of = (wanted: string) => status?.conditions?.find(({ type }) => type === wanted);
  if (of('ActiveReplicaSetUnknown')?.status !== 'True') return undefined;
  return of('Ready')?.message ?? '';
}

/** Whether the operator has seen the spec. That of Datadog does not write what it has seen. */
export function isSpecSeen({
  metadata: { generation = 0 },
  status,
}: Pick<ExtendedDaemonSet, 'metadata' | 'status'>): boolean {
  return (status?.observedGeneration ?? generation) >= generation;
}

export async function readReplicaSet(
  { client, namespace }: Connection,
  name: string,
): Promise<Stored<ExtendedDaemonSetReplicaSet>> {
  const { extendedDaemonSetReplicaSets } = await import('@atoll/api');
  return client.get(extendedDaemonSetReplicaSets, { namespace, name });
}
