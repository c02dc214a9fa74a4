import { annotations } from '@atoll/api';
import {
  customResourceDefinitions,
  definitionName,
  isApiError,
  type KubeObject,
  type Resource,
  type StreamingClient,
} from '@atoll/kube';
import { expect } from 'vitest';
import { eventually } from './standing.ts';

/** Deletes the definition of a kind, and all its objects with it, as a person does whom the policy lets; resolves when it is gone. */
export async function takeDefinition(
  client: StreamingClient,
  kind: Pick<Resource<KubeObject>, 'group' | 'plural'>,
): Promise<void> {
  const definition = { name: definitionName(kind) };
  const body = { metadata: { annotations: { [annotations.allowDeletion]: 'true' } } };
  await client.patch(customResourceDefinitions, definition, { type: 'merge', body });
  await eventually(async () => client.delete(customResourceDefinitions, definition));
  await eventually(async () => {
    const found = await client.get(customResourceDefinitions, definition).catch((error: unknown) => error);
    expect(isApiError(found, 'NotFound')).toBe(true);
  });
}
