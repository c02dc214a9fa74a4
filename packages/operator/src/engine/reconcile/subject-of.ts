import { eventSubject } from '@atoll/kube';
import type { EventSubject, KubeObject, ObjectKey, Resource, Stored } from '@atoll/kube';

/** The object of a key, as events name it. */
export function subjectOf(
  resource: Resource<KubeObject>,
  key: ObjectKey,
  parent: Stored<KubeObject> | undefined,
): EventSubject {
  return eventSubject(resource, { metadata: { ...key, uid: parent?.metadata.uid ?? '' } });
}
