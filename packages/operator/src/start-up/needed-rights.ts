import { customResourceDefinitions, definitionName, leases } from '@atoll/kube';
import type { KubeObject, ObjectKey, Resource } from '@atoll/kube';
import { caches, type CacheDeclaration, type CacheName } from '../caches.ts';
import type { ControllerDefinition } from '../controllers.ts';
import type { NeededRight } from './preflight.ts';

const declarations = caches as unknown as Readonly<Record<CacheName, CacheDeclaration<KubeObject>>>;

/** Kinds that need not be installed: what is needed of them is needed only where they are. */
const optionalResources: ReadonlySet<Resource<KubeObject>> = new Set(
  Object.values(declarations)
    .filter(({ optional }) => optional === true)
    .map(({ resource }) => resource),
);

/** Everything that the controllers read and write, each right once. */
export function neededRights(controllers: readonly ControllerDefinition[]): readonly NeededRight[] {
  const rights = new Map<string, NeededRight>();
  const add = (right: NeededRight): void => {
    const { resource, verb, subresource = '', name = '' } = right;
    const ifServed = optionalResources.has(resource);
    const key = `${resource.group}/${resource.plural}/${subresource} ${verb} ${name}`;
    rights.set(key, ifServed ? { ...right, ifServed } : right);
  };
  for (const { reads, writes } of controllers) {
    for (const cacheName of reads) {
      const { resource, optional, name } = declarations[cacheName];
      if (optional === true) {
        // Its definition is followed, and no other: the right can be limited to the name.
        const definition = definitionName(resource);
        for (const verb of ['list', 'watch']) add({ resource: definitions, verb, name: definition });
      }
      if (name !== undefined) {
        for (const verb of ['list', 'watch']) add({ resource, verb, name });
        continue;
      }
      // What a write in doubt left behind is read back with `get`.
      for (const verb of ['get', 'list', 'watch']) add({ resource, verb });
    }
    for (const right of writes) add(right);
  }
  return [...rights.values()];
}

const definitions = customResourceDefinitions as Resource<KubeObject>;

/** What leader election asks for; `create` cannot be limited to a name. */
export function leaseRights({ namespace = '', name }: ObjectKey): readonly NeededRight[] {
  const resource = leases as Resource<KubeObject>;
  return [
    { resource, verb: 'create', namespace },
    { resource, verb: 'get', namespace, name },
    { resource, verb: 'update', namespace, name },
  ];
}
