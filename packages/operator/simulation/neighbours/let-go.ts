import { keyOf } from '@atoll/kube';
import type { KubeObject, Resource } from '@atoll/kube';
import type { Move } from '../world.ts';

/** Whoever held a finalizer of an object that is being deleted is done with it. */
export function letGo(resource: Resource<KubeObject>, object: KubeObject, finalizer: string): Move {
  const { name, uid, finalizers = [] } = object.metadata;
  const metadata = { uid, finalizers: finalizers.filter((each) => each !== finalizer) };
  return {
    label: `lets ${name} go`,
    operation: {
      verb: 'patch',
      resource,
      key: keyOf(object),
      patch: { type: 'merge', body: { metadata } },
    },
  };
}
