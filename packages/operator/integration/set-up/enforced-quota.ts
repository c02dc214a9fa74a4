import { resourceQuotas, type ObjectKey, type StreamingClient } from '@atoll/kube';
import { expect } from 'vitest';
import { eventually } from './standing.ts';

/** Creates a quota, and resolves when the API server enforces it: when the controller manager has counted. */
export async function enforcedQuota(
  client: StreamingClient,
  key: ObjectKey,
  hard: Readonly<Record<string, string>>,
): Promise<void> {
  await client.create(resourceQuotas, { metadata: key, spec: { hard } });
  await eventually(async () => {
    const { status } = await client.get(resourceQuotas, key);
    expect(status?.hard).toEqual(hard);
  });
}
