import { isApiError } from './api-error.ts';
import type { RequestOptions } from './client.ts';
import type { KubeObject } from '../objects/object.ts';
import type { Resource } from '../objects/resource.ts';
import type { StreamingClient } from './streaming-client.ts';

export interface ServerVersion {
  /** `v1.36.3`, with a vendor's suffix where there is one. */
  readonly gitVersion: string;
  readonly major: number;
  readonly minor: number;
}

interface ResourceList {
  readonly resources?: readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
  }[];
}

type RawClient = Pick<StreamingClient, 'raw'>;

export async function serverVersion(client: RawClient, options?: RequestOptions): Promise<ServerVersion> {
  const { body } = await client.raw({ path: '/version', ...options });
  const version = JSON.parse(body.toString('utf8')) as { gitVersion: string; major: string; minor: string };
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
  const { group, version, plural } = resource;
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  try {
    const { body } = await client.raw({ path, ...options });
    const { resources = [] } = JSON.parse(body.toString('utf8')) as ResourceList;
    return resources.some((each) => each.name === plural);
  } catch (error) {
    if (isApiError(error, 'NotFound')) return false;
    throw error;
  }
}
