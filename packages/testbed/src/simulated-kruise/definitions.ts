import {
  advancedStatefulSets,
  cloneSets,
  groupResourceOf,
  type CustomResourceDefinition,
  type KubeObject,
  type Resource,
} from '@atoll/kube';

/**
 * Definitions of CloneSet and Advanced StatefulSet that let any content pass: enough for the API server to serve the
 * two kinds with `status` and `scale`. They are ours and none of OpenKruise's.
 */
export const simulatedKruiseDefinitions: readonly CustomResourceDefinition[] = [
  definitionOf(cloneSets),
  definitionOf(advancedStatefulSets),
];

function definitionOf(resource: Resource<KubeObject>): CustomResourceDefinition {
  const { group, version, kind, plural } = resource;
  const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    metadata: { name: groupResourceOf(resource) },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } },
          subresources: {
            status: {},
            scale: {
              specReplicasPath: '.spec.replicas',
              statusReplicasPath: '.status.replicas',
              labelSelectorPath: '.status.labelSelector',
            },
          },
        },
      ],
    },
  };
}
