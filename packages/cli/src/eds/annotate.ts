import type { ExtendedDaemonSet } from '@atoll/api';
import type { Stored } from '@atoll/kube';
import type { Connection } from '../program/connection.ts';

/** Writes these annotations and nothing else, on the object that was read: one of the same name that was made since is refused for its uid. */
export async function annotate(
  { client, namespace }: Connection,
  { metadata: { name, uid } }: Stored<ExtendedDaemonSet>,
  annotations: Readonly<Record<string, string | null>>,
): Promise<void> {
  const { extendedDaemonSets } = await import('@atoll/api');
  const patch = { type: 'merge', body: { metadata: { uid, annotations } } } as const;
  await client.patch(extendedDaemonSets, { namespace, name }, patch);
}
