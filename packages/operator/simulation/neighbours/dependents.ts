import type { KubeObject, Resource } from '@atoll/kube';
import type { Store } from '../model/store.ts';
import { objectsOf } from '../world.ts';

/** What names the object as one of its owners, by uid. */
export function dependentsOf(
  store: Store,
  resources: readonly Resource<KubeObject>[],
  { metadata: { uid } }: KubeObject,
): readonly { readonly resource: Resource<KubeObject>; readonly object: KubeObject }[] {
  return resources.flatMap((resource) =>
    objectsOf(store, resource)
      .filter(({ metadata }) => metadata.ownerReferences?.some((each) => each.uid === uid) === true)
      .map((object) => ({ resource, object })),
  );
}
