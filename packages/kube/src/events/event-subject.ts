import type { KubeObject, ObjectKey } from '../objects/object.ts';
import { preferredApiVersionOf, type Resource } from '../objects/resource.ts';
import type { EventSubject } from './event-aggregator.ts';

/** An object as events name it: in the version in which `kubectl describe` looks for them. */
export function eventSubject(
  resource: Resource<KubeObject>,
  { metadata: { namespace, name, uid } }: { readonly metadata: ObjectKey & { readonly uid: string } },
): EventSubject {
  const inNamespace = namespace === undefined ? {} : { namespace };
  return { apiVersion: preferredApiVersionOf(resource), kind: resource.kind, name, uid, ...inNamespace };
}
