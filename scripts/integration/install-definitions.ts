import {
  customResourceDefinitions,
  untilServed,
  type CustomResourceDefinition,
  type StreamingClient,
} from '@atoll/kube';

/** Makes the API server serve the kinds of these definitions; resolves when it does. */
export async function installDefinitions(
  client: StreamingClient,
  definitions: readonly CustomResourceDefinition[],
): Promise<void> {
  for (const each of definitions)
    await client.apply(customResourceDefinitions, each, { fieldManager: 'spec' });
  await untilServed(
    client,
    definitions.map(({ metadata }) => metadata.name),
  );
}
