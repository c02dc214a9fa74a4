import {
  advancedStatefulSets,
  cloneSets,
  groupResourceOf,
  type CustomResourceDefinition,
  type KubeObject,
  type Resource,
} from '@atoll/kube';

type Schema = Readonly<Record<string, unknown>>;

const anything: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const list: Schema = { type: 'array', items: { 'x-kubernetes-preserve-unknown-fields': true } };
const text: Schema = { type: 'string' };
const flag: Schema = { type: 'boolean' };
const number: Schema = { type: 'integer', format: 'int32' };
const numberOrPercent: Schema = { 'x-kubernetes-int-or-string': true };

/** What both have. */
const workload = {
  replicas: number,
  selector: anything,
  template: anything,
  volumeClaimTemplates: list,
  revisionHistoryLimit: number,
  lifecycle: anything,
  scaleStrategy: anything,
};

const cloneSetSpec = {
  ...workload,
  minReadySeconds: number,
  progressDeadlineSeconds: number,
  updateStrategy: fields({
    type: text,
    partition: numberOrPercent,
    maxUnavailable: numberOrPercent,
    maxSurge: numberOrPercent,
    paused: flag,
    priorityStrategy: anything,
    scatterStrategy: list,
    inPlaceUpdateStrategy: anything,
  }),
};

const statefulSetSpec = {
  ...workload,
  serviceName: text,
  podManagementPolicy: text,
  reserveOrdinals: list,
  ordinals: anything,
  persistentVolumeClaimRetentionPolicy: anything,
  volumeClaimUpdateStrategy: anything,
  updateStrategy: fields({
    type: text,
    rollingUpdate: fields({
      partition: number,
      maxUnavailable: numberOrPercent,
      podUpdatePolicy: text,
      paused: flag,
      unorderedUpdate: anything,
      inPlaceUpdateStrategy: anything,
      minReadySeconds: number,
    }),
  }),
};

/**
 * Definitions of CloneSet and Advanced StatefulSet: enough for the API server to serve the two kinds with `status` and
 * `scale`, and to know the fields of their specs. As OpenKruise's own they know nothing of what is in a pod template.
 * They are ours and none of OpenKruise's.
 */
export const simulatedKruiseDefinitions: readonly CustomResourceDefinition[] = [
  definitionOf(cloneSets, cloneSetSpec),
  definitionOf(advancedStatefulSets, statefulSetSpec),
];

function fields(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', properties };
}

function definitionOf(
  resource: Resource<KubeObject>,
  known: Readonly<Record<string, Schema>>,
): CustomResourceDefinition {
  const { group, version, kind, plural } = resource;
  const spec = { ...fields(known), required: ['selector', 'template'] };
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
          schema: { openAPIV3Schema: { type: 'object', properties: { spec, status: anything } } },
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
