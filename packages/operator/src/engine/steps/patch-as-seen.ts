import { keyOf } from '@atoll/kube';
import type { KubeObject, Patch, Resource, Stored } from '@atoll/kube';
import type { Step } from '../step.ts';

type PatchStep = Extract<Step, { readonly do: 'patch' }>;

/** The request of a step that patches an object, its preconditions included. */
export type PatchAsSeen = Pick<PatchStep, 'do' | 'resource' | 'key' | 'uid' | 'resourceVersion' | 'patch'>;

/** Patches the object as it was seen: not where anybody has written it since. */
export function patchAsSeen<T extends KubeObject>(
  resource: Resource<T>,
  object: Stored<T>,
  patch: Patch,
): PatchAsSeen {
  const { uid, resourceVersion } = object.metadata;
  return {
    do: 'patch',
    resource: resource as Resource<KubeObject>,
    key: keyOf(object),
    uid,
    resourceVersion,
    patch,
  };
}
