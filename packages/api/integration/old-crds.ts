import type { CustomResourceDefinition, JSONSchemaProps } from '@atoll/kube';

/**
 * CRDs in the state in which the old operators leave them (`reference/openyurt.md` 1.1 and 1.3): no rules, a
 * conversion webhook that nobody answers, v1beta1 stored.
 */
const anything: JSONSchemaProps = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const schema = { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } };
const subresources = { status: {} };

export const oldNodePools: CustomResourceDefinition = {
  metadata: {
    name: 'nodepools.apps.openyurt.io',
    annotations: { 'controller-gen.kubebuilder.io/version': 'v0.16.3' },
  },
  spec: {
    group: 'apps.openyurt.io',
    names: {
      kind: 'NodePool',
      listKind: 'NodePoolList',
      plural: 'nodepools',
      singular: 'nodepool',
      shortNames: ['np'],
      categories: ['yurt'],
    },
    scope: 'Cluster',
    conversion: {
      strategy: 'Webhook',
      webhook: {
        clientConfig: {
          service: { namespace: 'kube-system', name: 'yurt-manager-webhook-service', path: '/convert' },
        },
        conversionReviewVersions: ['v1beta1', 'v1alpha1'],
      },
    },
    versions: [
      { name: 'v1alpha1', served: true, storage: false, deprecated: true, schema, subresources },
      { name: 'v1beta1', served: true, storage: true, schema, subresources },
    ],
  },
};

export const oldYurtAppDaemons: CustomResourceDefinition = {
  metadata: { name: 'yurtappdaemons.apps.openyurt.io' },
  spec: {
    group: 'apps.openyurt.io',
    names: {
      kind: 'YurtAppDaemon',
      listKind: 'YurtAppDaemonList',
      plural: 'yurtappdaemons',
      singular: 'yurtappdaemon',
      shortNames: ['yad'],
      categories: ['all'],
    },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        deprecated: true,
        deprecationWarning:
          'apps.openyurt.io/v1alpha1 YurtAppDaemon is deprecated; use apps.openyurt.io/v1beta1 YurtAppSet',
        schema,
        subresources,
      },
    ],
  },
};

/** As Kruise 1.9 has it: one version, nothing converted, the total not required of anything. */
export const oldUnitedDeployments: CustomResourceDefinition = {
  metadata: { name: 'uniteddeployments.apps.kruise.io' },
  spec: {
    group: 'apps.kruise.io',
    names: {
      kind: 'UnitedDeployment',
      listKind: 'UnitedDeploymentList',
      plural: 'uniteddeployments',
      singular: 'uniteddeployment',
      shortNames: ['ud'],
    },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        schema,
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
