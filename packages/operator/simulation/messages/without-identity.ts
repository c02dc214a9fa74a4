import type { KubeObject, Stored } from '@atoll/kube';

/** The object as somebody would create it. */
export function withoutIdentity<T extends KubeObject>(object: Stored<T>): T {
  const { uid: _uid, resourceVersion: _version, creationTimestamp: _created, ...metadata } = object.metadata;
  return { ...object, metadata } as unknown as T;
}
