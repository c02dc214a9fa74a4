import type { Connection } from '../program/connection.ts';

/** Writes these annotations and nothing else. */
export async function annotate(
  { client, namespace }: Connection,
  name: string,
  annotations: Readonly<Record<string, string | null>>,
): Promise<void> {
  const { extendedDaemonSets } = await import('@atoll/api');
  const patch = { type: 'merge', body: { metadata: { annotations } } } as const;
  await client.patch(extendedDaemonSets, { namespace, name }, patch);
}
