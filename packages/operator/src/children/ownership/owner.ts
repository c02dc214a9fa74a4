import { controllerReference, eventSubject } from '@atoll/kube';
import type { EventSubject, KubeObject, OwnerReference, Resource, Stored } from '@atoll/kube';

/** The object whose children are kept. */
export interface ChildOwner<T extends KubeObject = KubeObject> {
  readonly resource: Resource<KubeObject>;
  readonly object: Stored<T>;
}

export function ownerReference({ resource, object }: ChildOwner): OwnerReference {
  return controllerReference(resource, object);
}

/** Whom the events of what is done to its children regard. */
export function subjectOf({ resource, object }: ChildOwner): EventSubject {
  return eventSubject(resource, object);
}
