import type { KubeObject, Stored } from '../objects/object.ts';
import type { Resource } from '../objects/resource.ts';
import { isApiError } from './api-error.ts';
import type { Client, RequestOptions } from './client.ts';

/**
 * The object with our finalizer: it stays until {@link removeFinalizer}, so that what it stands for outside of the cluster can
 * be cleaned up first. Nothing is written where it has it. Rejects with a `Conflict` where the object changed meanwhile, and
 * with what the server answers where it is being deleted: then none can be added.
 */
export async function addFinalizer<T extends KubeObject>(
  client: Pick<Client, 'patch'>,
  resource: Resource<T>,
  object: Stored<T>,
  finalizer: string,
  options?: RequestOptions,
): Promise<Stored<T>> {
  const { finalizers = [] } = object.metadata;
  if (finalizers.includes(finalizer)) return object;
  return write(client, resource, object, [...finalizers, finalizer], options);
}

/**
 * Takes our finalizer off, whereupon the API server may delete the object. undefined: it is gone, now or before. Rejects with a
 * `Conflict` where the object changed meanwhile.
 */
export async function removeFinalizer<T extends KubeObject>(
  client: Pick<Client, 'patch'>,
  resource: Resource<T>,
  object: Stored<T>,
  finalizer: string,
  options?: RequestOptions,
): Promise<Stored<T> | undefined> {
  const { finalizers = [] } = object.metadata;
  if (!finalizers.includes(finalizer)) return object;
  const others = finalizers.filter((each) => each !== finalizer);
  try {
    return await write(client, resource, object, others, options);
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** The list is replaced as a whole, so that it must not have changed meanwhile. */
async function write<T extends KubeObject>(
  client: Pick<Client, 'patch'>,
  resource: Resource<T>,
  { metadata: { namespace, name, resourceVersion } }: Stored<T>,
  finalizers: readonly string[],
  options: RequestOptions | undefined,
): Promise<Stored<T>> {
  const key = namespace === undefined ? { name } : { namespace, name };
  const body = { metadata: { resourceVersion, finalizers } };
  return client.patch(resource, key, { type: 'merge', body }, options);
}
