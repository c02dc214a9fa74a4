import { isApiError } from './api-error.ts';
import { parseAnswer } from './parse-answer.ts';
import type { RequestOptions } from './client.ts';
import type { KubeObject } from '../objects/object.ts';
import type { Resource } from '../objects/resource.ts';
import type { StreamingClient } from './streaming-client.ts';
import { isFields, type Fields } from '../values/fields.ts';
import { isFilled } from '../values/is-filled.ts';

/** The version of an API server. */
export interface ServerVersion {
  /** `v1.36.3`, with a vendor's suffix where there is one. */
  readonly gitVersion: string;
  readonly major: number;
  readonly minor: number;
}

interface ResourceList {
  /** Go writes an empty list as null. */
  readonly resources: readonly { readonly name: string }[] | null;
}

type RawClient = Pick<StreamingClient, 'raw'>;

/** What the API server reports of itself. */
export async function serverVersion(client: RawClient, options?: RequestOptions): Promise<ServerVersion> {
  const version = await readJson<{ gitVersion: string; major: string; minor: string }>(
    client,
    '/version',
    options,
    ({ gitVersion }) => isFilled(gitVersion),
  );
  // Vendors write `36+`.
  return {
    gitVersion: version.gitVersion,
    major: Number.parseInt(version.major, 10),
    minor: Number.parseInt(version.minor, 10),
  };
}

/** Whether the API server serves a resource now, in this version: its CRD may be missing or not yet established. */
export async function servesResource(
  client: RawClient,
  resource: Resource<KubeObject>,
  options?: RequestOptions,
): Promise<boolean> {
  return (await servedInVersion(client, resource, options)).has(resource.plural);
}

/** The plurals of all resources that the API server serves now in a version of a group; none where it does not serve the version. */
export async function servedInVersion(
  client: RawClient,
  { group, version }: Pick<Resource<KubeObject>, 'group' | 'version'>,
  options?: RequestOptions,
): Promise<ReadonlySet<string>> {
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  try {
    const { resources } = await readJson<ResourceList>(client, path, options, hasResources);
    return new Set(resources?.map(({ name }) => name));
  } catch (error) {
    if (isApiError(error, 'NotFound') || isApiError(error, 'NotServed')) return new Set();
    throw error;
  }
}

/** Anything else would be a version that has no resources. */
function hasResources({ resources }: Fields): boolean {
  return resources === null || (Array.isArray(resources) && resources.every(isFields));
}

async function readJson<R>(
  client: RawClient,
  path: string,
  options: RequestOptions | undefined,
  isMeant?: (answer: Fields) => boolean,
): Promise<R> {
  const answer = await client.raw({ path, ...options });
  return parseAnswer<R>(answer, { attempted: `GET ${path}`, readOnly: true }, undefined, isMeant);
}
