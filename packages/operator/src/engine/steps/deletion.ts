import { keyOf } from '@atoll/kube';
import type { KubeObject, Resource, Stored } from '@atoll/kube';
import type { Step } from '../step.ts';

type DeleteStep = Extract<Step, { readonly do: 'delete' }>;

/** The request of a step that deletes an object, its preconditions included. */
export type Deletion = Pick<
  DeleteStep,
  'do' | 'resource' | 'key' | 'uid' | 'resourceVersion' | 'propagation'
>;

/**
 * Deletes this object and none that has its name after it. `asSeen`: only while nobody has written it since, for where
 * its status is the reason (F2).
 */
export function deletion<T extends KubeObject>(
  resource: Resource<T>,
  object: Stored<T>,
  { asSeen = false }: { readonly asSeen?: boolean } = {},
): Deletion {
  const { uid, resourceVersion } = object.metadata;
  return {
    do: 'delete',
    resource: resource as Resource<KubeObject>,
    key: keyOf(object),
    uid,
    ...(asSeen ? { resourceVersion } : {}),
    propagation: 'Background',
  };
}

/** Names the deletion of an object among what was refused. */
export function deletionName({ metadata: { uid } }: Pick<Stored<KubeObject>, 'metadata'>): string {
  return `deletion of ${uid}`;
}
