import type { KubeObject, ObjectKey } from '../objects/object.ts';
import { apiVersionOf, type Resource } from '../objects/resource.ts';
import type { EventSubject } from './event-aggregator.ts';

/** An object as events name it: in the version in which `kubectl describe` looks for them. */
export function eventSubject(
  resource: Resource<KubeObject>,
  { metadata: { namespace, name, uid } }: { readonly metadata: ObjectKey & { readonly uid: string } },
): EventSubject {
  const inNamespace = namespace === undefined ? {} : { namespace };
  const { group, kind, version, preferredVersion = version } = resource;
  // That which kubectl uses: it finds events by the apiVersion of the object that they regard.
  return { apiVersion: apiVersionOf({ group, version: preferredVersion }), kind, name, uid, ...inNamespace };
}
