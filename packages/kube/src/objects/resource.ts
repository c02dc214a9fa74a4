import type { KubeObject } from './object.ts';

/**
 * Describes a resource of the API server and carries the type of its objects, so that
 * `client.list(pods)` yields pods.
 */
export interface Resource<T extends KubeObject> {
  /** API group; the empty string is the core group. */
  readonly group: string;
  readonly version: string;
  /** The version that clients like kubectl use where none is asked for: the highest of those served. Default: `version`. */
  readonly preferredVersion?: string;
  readonly kind: string;
  /** Plural, lower case, as in the URL. */
  readonly plural: string;
  readonly namespaced: boolean;
  /** Part of its objects is kept as the bytes that were sent, so they are sent as the API server writes them itself. */
  readonly keepsBytes?: true;
  /** Never set: carries the type only. */
  readonly objectType?: T;
}

/** `v1` or `group/version`. */
export function apiVersionOf(resource: Pick<Resource<KubeObject>, 'group' | 'version'>): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** `plural` or `plural.group`, the form that kubectl and RBAC messages use. */
export function groupResourceOf(resource: Pick<Resource<KubeObject>, 'group' | 'plural'>): string {
  return resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
}
