import { unitedDeployments } from '@atoll/api';
import { isApiError, type KubeObject, type Stored, type StreamingClient } from '@atoll/kube';
import fc from 'fast-check';
import type { JsonObject } from './hostile.ts';
import { isRefused } from './is-refused.ts';
import type { FuzzedKind } from './kinds/fuzzed-kind.ts';
import { mutated } from './mutated.ts';

export const hostileNamespace = 'hostile';

/** An object that the API server took. */
export interface Taken {
  readonly fuzzed: FuzzedKind;
  readonly object: Stored<KubeObject>;
}

/** Sends so many hostile objects of a kind, and yields those that were taken. */
export async function sendObjects(
  client: StreamingClient,
  fuzzed: FuzzedKind,
  prefix: string,
  count: number,
  seed: number,
): Promise<readonly Taken[]> {
  const { resource, schema, valid } = fuzzed;
  const taken: Taken[] = [];
  for (let index = 0; index < count; index += 1) {
    const name = `${prefix}-${resource.kind.toLowerCase()}-${index}`;
    const [drawn = {}] = fc.sample(mutated(valid(name), schema), { numRuns: 1, seed: seed * 1000 + index });
    const object = assembled(fuzzed, name, drawn);
    try {
      taken.push({ fuzzed, object: await client.create(resource, object) });
    } catch (error) {
      if (!isRefused(error)) throw error;
    }
  }
  return taken;
}

function assembled({ resource }: FuzzedKind, name: string, drawn: JsonObject): KubeObject {
  const { labels, annotations, ...rest } = drawn;
  const namespace = resource.namespaced ? { namespace: hostileNamespace } : {};
  return { ...rest, metadata: { ...namespace, name, labels, annotations } } as unknown as KubeObject;
}

/** Deletes an object, also one that is protected. */
export async function removeObject(
  client: StreamingClient,
  { resource }: FuzzedKind,
  { metadata }: Stored<KubeObject>,
): Promise<void> {
  try {
    await client.delete(resource, metadata, { uid: metadata.uid, propagationPolicy: 'Background' });
  } catch (error) {
    if (isApiError(error, 'NotFound')) return;
    // Protected by its label: what protects it goes first.
    if (!isApiError(error)) throw error;
    const body = {
      metadata: { labels: null },
      ...(resource === unitedDeployments ? { spec: { replicas: 0 } } : {}),
    };
    await client.patch(resource, metadata, { type: 'merge', body });
    await client.delete(resource, metadata, { uid: metadata.uid, propagationPolicy: 'Background' });
  }
}
