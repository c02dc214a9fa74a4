import type { ControllerRules } from '@atoll/api/install';
import type { KubeObject, PolicyRule, Resource } from '@atoll/kube';
import type { KindDefinition } from '../definitions/kind-definition.ts';
import { neededRights } from '../start-up/preflight/needed-rights.ts';

/** What one resource, or some objects of it, are allowed for. */
interface Allowed {
  readonly group: string;
  /** `deployments`, `deployments/status`. */
  readonly resource: string;
  readonly name: string;
  readonly verbs: string[];
}

/** What a controller may do: everywhere, and apart what is in namespaces and what a ClusterRole alone can give. */
export function controllerRules(definition: KindDefinition): ControllerRules {
  const { name } = definition;
  return {
    name,
    rules: clusterRoleRules([definition]),
    inNamespaces: clusterRoleRules([definition], ({ namespaced }) => namespaced),
    inCluster: clusterRoleRules([definition], ({ namespaced }) => !namespaced),
  };
}

/** The rules that follow from these kinds: what their controllers need of the resources that are wanted, and nothing else. */
export function clusterRoleRules(
  definitions: readonly KindDefinition[],
  isWanted: (resource: Resource<KubeObject>) => boolean = () => true,
): readonly PolicyRule[] {
  const allowed = new Map<string, Allowed>();
  const allow = (group: string, resource: string, verb: string, name = ''): void => {
    const key = [group, resource, name].join(' ');
    const known = allowed.get(key);
    if (known === undefined) allowed.set(key, { group, resource, name, verbs: [verb] });
    else known.verbs.push(verb);
  };
  for (const { resource, subresource, verb, name } of neededRights(definitions)) {
    if (!isWanted(resource)) continue;
    const { group, plural } = resource;
    allow(group, subresource === undefined ? plural : `${plural}/${subresource}`, verb, name);
  }
  // Where OwnerReferencesPermissionEnforcement is on, blockOwnerDeletion in a child asks for this.
  for (const { resource, ownsChildren = [] } of definitions)
    for (const owner of ownsChildren === true ? [resource] : ownsChildren)
      if (isWanted(owner)) allow(owner.group, `${owner.plural}/finalizers`, 'update');
  return [...ofEveryObject([...allowed.values()]), ...ofNamedObjects([...allowed.values()])];
}

/** Resources of one group that are allowed the same share a rule. */
function ofEveryObject(allowed: readonly Allowed[]): readonly PolicyRule[] {
  const alike = Map.groupBy(
    allowed.filter(({ name }) => name === ''),
    ({ group, verbs }) => [group, ...verbs].join(' '),
  );
  return [...alike.values()].flatMap((each) => {
    const [first] = each;
    if (first === undefined) return [];
    const { group, verbs } = first;
    return [{ apiGroups: [group], resources: each.map(({ resource }) => resource), verbs }];
  });
}

/** Names of one resource that are allowed the same share a rule; names of two resources must not, for each would be allowed for both. */
function ofNamedObjects(allowed: readonly Allowed[]): readonly PolicyRule[] {
  const alike = Map.groupBy(
    allowed.filter(({ name }) => name !== ''),
    ({ group, resource, verbs }) => [group, resource, ...verbs].join(' '),
  );
  return [...alike.values()].flatMap((each) => {
    const [first] = each;
    if (first === undefined) return [];
    const { group, resource, verbs } = first;
    const resourceNames = each.map(({ name }) => name);
    return [{ apiGroups: [group], resources: [resource], resourceNames, verbs }];
  });
}
