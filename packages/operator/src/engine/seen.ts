import type { KubeObject, ObjectKey, Resource, Stored } from '@atoll/kube';
import { sameJson } from './same-meaning.ts';
import type { Seen } from './step.ts';

/** How an object was seen that a step depends on. */
export function seenAs<T extends KubeObject>(
  resource: Resource<T>,
  key: ObjectKey,
  object: Stored<T> | undefined,
): Seen {
  const { uid, labels = {} } = object?.metadata ?? {};
  return { resource: resource as Resource<KubeObject>, key, uid, labels };
}

/** Whether it is still so. */
export function isAsSeen({ uid, labels }: Seen, live: Stored<KubeObject> | undefined): boolean {
  return live?.metadata.uid === uid && sameJson(live?.metadata.labels ?? {}, labels);
}
