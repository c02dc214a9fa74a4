import type { KubeObject, ObjectKey } from '../objects/object.ts';
import type { Resource } from '../objects/resource.ts';
import { groupResourceOf } from '../objects/resource.ts';

/** Values of a query string; what is undefined is left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** `/api/v1/namespaces/edge/pods`, `/apis/apps/v1/deployments`: where a resource's objects live. */
export function collectionPath(resource: Resource<KubeObject>, namespace: string | undefined): string {
  const { group, version, plural, namespaced } = resource;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  if (!namespaced && namespace !== undefined) {
    throw new TypeError(
      `${groupResourceOf(resource)} has no namespaces, but namespace ${JSON.stringify(namespace)} was given`,
    );
  }
  if (namespace === '') {
    // `/namespaces//pods` reaches those of all namespaces.
    throw new TypeError(
      `the namespace of ${groupResourceOf(resource)} is empty; leave it out to reach all namespaces`,
    );
  }
  return namespace === undefined ? `${root}/${plural}` : `${root}/namespaces/${segment(namespace)}/${plural}`;
}

/** The path of one object, or of one of its subresources. */
export function objectPath(resource: Resource<KubeObject>, key: ObjectKey, subresource?: string): string {
  if (resource.namespaced && key.namespace === undefined) {
    throw new TypeError(`${groupResourceOf(resource)} ${key.name} needs a namespace`);
  }
  if (key.name === '') throw new TypeError(`${groupResourceOf(resource)} needs a name`);
  const path = `${collectionPath(resource, key.namespace)}/${segment(key.name)}`;
  return subresource === undefined ? path : `${path}/${segment(subresource)}`;
}

/** The path with what is given of the query. */
export function withQuery(path: string, query: Query): string {
  let text = '';
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) text += `${text === '' ? '?' : '&'}${name}=${encodeURIComponent(value)}`;
  }
  return path + text;
}

/**
 * RBAC names carry colons, which are encoded. What would lead to another path is refused, as client-go does: the API server takes a
 * name apart after it was decoded, so that `web%2Fstatus` is the status of `web`. Source:
 * `k8s.io/apimachinery/pkg/api/validation/path`.
 */
function segment(name: string): string {
  if (name === '' || name === '.' || name === '..')
    throw new TypeError(`${JSON.stringify(name)} is not a name`);
  const found = /[/%]/.exec(name)?.[0];
  if (found !== undefined)
    throw new TypeError(`${JSON.stringify(name)} is not a name: it may not contain '${found}'`);
  return encodeURIComponent(name);
}
