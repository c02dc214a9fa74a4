import { ApiError, isApiError } from './api-error.ts';
import type { ApplyOptions, Client } from './client.ts';
import type { KubeObject, Stored } from '../objects/object.ts';
import type { Resource } from '../objects/resource.ts';

/** etcd counts from 1 and its first write is revision 2: no object ever has this version. */
const IMPOSSIBLE_RESOURCE_VERSION = '1';

/**
 * Creates an object exactly once, its fields owned by our field manager as after every later apply. Rejects with
 * `AlreadyExists` where an object of that name is there, no matter who made it, and leaves that one as it is.
 *
 * A POST would do the first half only: its fields belong to an `Update` manager, and a later apply that leaves one
 * of them out would not remove it. An apply alone creates or changes. With a resourceVersion that no object can
 * have, an apply never changes; on an absent object the API server does not look at it
 * (docs/decisions/0003-create-by-apply.md). Needs the verbs `create` and `patch`.
 */
export async function createByApply<T extends KubeObject>(
  client: Pick<Client, 'apply'>,
  resource: Resource<T>,
  object: object & KubeObject,
  options: ApplyOptions,
): Promise<Stored<T>> {
  const metadata = { ...object.metadata, resourceVersion: IMPOSSIBLE_RESOURCE_VERSION };
  try {
    // Forced, so that the one conflict left is the resourceVersion's.
    return await client.apply(resource, { ...object, metadata }, { ...options, force: true });
  } catch (error) {
    if (!isApiError(error, 'Conflict')) throw error;
    const { name } = metadata;
    throw new ApiError({
      fate: error.fate,
      code: error.code,
      reason: 'AlreadyExists',
      message: `${resource.plural} ${JSON.stringify(name)} already exists`,
      attempted: error.attempted.replace(/^apply /, 'create '),
      status: error.status,
      cause: error,
    });
  }
}
