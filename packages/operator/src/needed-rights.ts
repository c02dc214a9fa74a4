import { leases } from '@atoll/kube';
import type { KubeObject, ObjectKey, Resource } from '@atoll/kube';
import { caches } from './caches.ts';
import type { ControllerDefinition } from './controllers.ts';
import type { NeededRight } from './preflight.ts';

/** Everything that the controllers read and write, each right once. */
export function neededRights(controllers: readonly ControllerDefinition[]): readonly NeededRight[] {
  const rights = new Map<string, NeededRight>();
  const add = (right: NeededRight): void => {
    const { resource, verb, subresource = '' } = right;
    rights.set(`${resource.group}/${resource.plural}/${subresource} ${verb}`, right);
  };
  for (const { reads, writes } of controllers) {
    for (const name of reads) {
      const resource = caches[name].resource as Resource<KubeObject>;
      // What a write in doubt left behind is read back with `get`.
      for (const verb of ['get', 'list', 'watch']) add({ resource, verb });
    }
    for (const right of writes) add(right);
  }
  return [...rights.values()];
}

/** What leader election asks for; `create` cannot be limited to a name. */
export function leaseRights({ namespace = '', name }: ObjectKey): readonly NeededRight[] {
  const resource = leases as Resource<KubeObject>;
  return [
    { resource, verb: 'create', namespace },
    { resource, verb: 'get', namespace, name },
    { resource, verb: 'update', namespace, name },
  ];
}
