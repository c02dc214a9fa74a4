import { preferredApiVersionOf } from '@atoll/kube';
import type { EventSubject, KubeObject, ObjectKey, Resource, Stored } from '@atoll/kube';

/** The object of a key, as events name it. */
export function subjectOf(
  resource: Resource<KubeObject>,
  key: ObjectKey,
  parent: Stored<KubeObject> | undefined,
): EventSubject {
  const { namespace, name } = key;
  return {
    apiVersion: preferredApiVersionOf(resource),
    kind: resource.kind,
    name,
    uid: parent?.metadata.uid ?? '',
    ...(namespace === undefined ? {} : { namespace }),
  };
}
