import type { KubeObject, Resource } from '@atoll/kube';

/** One object to install, with the resource that it is written to. */
export interface InstallObject {
  readonly resource: Resource<KubeObject>;
  readonly object: KubeObject;
}

export function toInstall<T extends KubeObject>(resource: Resource<T>, object: T): InstallObject {
  return { resource: resource as Resource<KubeObject>, object };
}
