import { customResourceDefinitions, definitionName, groupResourceOf, leases, namespaces } from '@atoll/kube';
import type { KubeObject, ObjectKey, Resource } from '@atoll/kube';
import type { KindDefinition } from '../../definitions/kind-definition.ts';
import type { NeededRight } from './preflight.ts';

/** What a definition says of what its controller asks the API server for. */
type DeclaredRights = Pick<KindDefinition, 'reads' | 'writes' | 'confirms'>;

/** Everything that the controllers read and write, each right once. `limitedTo`: what is in namespaces, in these only. */
export function neededRights(
  definitions: readonly DeclaredRights[],
  limitedTo?: readonly string[],
): readonly NeededRight[] {
  const rights = rightsEverywhere(definitions);
  if (limitedTo === undefined) return rights;
  return [
    ...limitedTo.flatMap((name) => namespaceVerbs.map((verb) => ({ resource: namespaces, verb, name }))),
    ...rights.filter(({ resource }) => !resource.namespaced),
    ...limitedTo.flatMap((namespace) =>
      rights
        .filter(({ resource }) => resource.namespaced)
        .map((right) => ({ ...right, namespace, ifThere: true })),
    ),
  ];
}

/** Whether a namespace is there is read once and then followed, of these by name only. */
const namespaceVerbs = ['get', 'list', 'watch'] as const;

function rightsEverywhere(definitions: readonly DeclaredRights[]): readonly NeededRight[] {
  const declarations = definitions.flatMap(({ reads }) => Object.values(reads));
  // Kinds that need not be installed: what is needed of them is needed only where they are.
  const optional = new Set(
    declarations.flatMap((each) => (each.optional === true ? [groupResourceOf(each.resource)] : [])),
  );
  const rights = new Map<string, NeededRight>();
  const add = (right: NeededRight): void => {
    const { resource, verb, subresource = '', name = '' } = right;
    const ifServed = optional.has(groupResourceOf(resource));
    const key = `${groupResourceOf(resource)}/${subresource} ${verb} ${name}`;
    rights.set(key, ifServed ? { ...right, ifServed } : right);
  };
  for (const { reads, writes, confirms = [] } of definitions) {
    for (const [cache, { resource, optional: comesAndGoes, name }] of Object.entries(reads)) {
      if (comesAndGoes === true) {
        // Its definition is followed, and no other: the right can be limited to the name.
        const definition = definitionName(resource);
        for (const verb of ['list', 'watch'])
          add({ resource: customResourceDefinitions, verb, name: definition });
      }
      if (name !== undefined) {
        const confirmed = confirms.some((each) => each === cache) ? ['get'] : [];
        for (const verb of [...confirmed, 'list', 'watch']) add({ resource, verb, name });
        continue;
      }
      // What a write in doubt left behind is read back with `get`.
      for (const verb of ['get', 'list', 'watch']) add({ resource, verb });
    }
    for (const { resource, verbs, subresource } of writes) {
      const where = subresource === undefined ? {} : { subresource };
      for (const verb of verbs) add({ resource, verb, ...where });
    }
  }
  return [...rights.values()];
}

/** What leader election asks for; `create` cannot be limited to a name. */
export function leaseRights({ namespace = '', name }: ObjectKey): readonly NeededRight[] {
  const resource: Resource<KubeObject> = leases;
  return [
    { resource, verb: 'create', namespace },
    { resource, verb: 'get', namespace, name },
    { resource, verb: 'update', namespace, name },
  ];
}
