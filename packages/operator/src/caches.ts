import {
  advancedStatefulSets,
  cloneSets,
  daemonSetUpdate,
  extendedDaemonSetLabels,
  extendedDaemonSetReplicaSets,
  extendedDaemonSets,
  extendedDaemonsetSettings,
  kruiseKeptOffPolicy,
  kruiseManager,
  labels,
  nodePools,
  unitedDaemonSets,
  unitedDeployments,
  yurtAppDaemons,
  type AdvancedStatefulSet,
  type CloneSet,
  type ExtendedDaemonSetReplicaSet,
  type PoolWorkload,
  type UnitedDeployment,
} from '@atoll/api';
import {
  controllerRevisions,
  customResourceDefinitions,
  daemonSets,
  declareCache,
  declareCacheWhile,
  declareOptionalCache,
  definitionName,
  deployments,
  jobs,
  mutatingWebhookConfigurations,
  nodes,
  pods,
  podTemplates,
  projection,
  statefulSets,
  validatingAdmissionPolicyBindings,
  validatingWebhookConfigurations,
  type CustomResourceDefinition,
  type Deployment,
  type InformerLimits,
  type KubeObject,
  type MutatingWebhookConfiguration,
  type Pod,
  type PodTemplate,
  type ReaderOf,
  type Resource,
  type StatefulSet,
  type ValidatingAdmissionPolicyBinding,
  type ValidatingWebhookConfiguration,
} from '@atoll/kube';
import { replacesDaemonSet } from './extended-daemon-set/migration/old-daemon-set.ts';
import {
  childFields,
  daemonSetFields,
  daemonSetPodFields,
  extendedDaemonSetPodFields,
  nodeFields,
  podFields,
  pullJobFields,
  servedFields,
  webhookFields,
  writtenFields,
} from './cache-fields.ts';
import {
  byDeployment,
  byKruise,
  byManager,
  byOwner,
  byOwnerOrLabelled,
  byOwnerOrOrphaned,
  byOwnerOrOrphanedHistory,
  byOwnerOrOrphanedReplicaSet,
  byPool,
  byReference,
} from './cache-indexers.ts';

/** Jobs that pull images, and their pods, carry this label; those of others are never sent to us. */
const ofImagePulls: InformerLimits = { labelSelector: labels.imagePrePull };

/** Pods of ExtendedDaemonSets carry it, those that are to be taken over too. */
const ofExtendedDaemonSets: InformerLimits = { labelSelector: extendedDaemonSetLabels.name };

/** The DaemonSet controller alone puts this label on pods. */
const ofDaemonSets: InformerLimits = { labelSelector: daemonSetUpdate.podLabels.templateGeneration };

/** Pods of subsets carry this label from their template; those of others are never sent to us. */
const ofSubsets: InformerLimits = { labelSelector: labels.subsetName };

/** Pods of the StatefulSets in pools carry both; pods of Deployments, which are many more, are never sent to us. */
const ofStatefulSetsInPools: InformerLimits = {
  labelSelector: `${labels.poolName},statefulset.kubernetes.io/pod-name`,
};

const daemonSetCache = declareCache({ resource: daemonSets, indexers: {}, projection: daemonSetFields });
const extendedDaemonSetCache = declareCache({ resource: extendedDaemonSets, indexers: {} });

/** The definition of a kind, whose objects all go with it. */
function definitionCache(kind: Pick<Resource<KubeObject>, 'group' | 'plural'>) {
  return declareCache({
    resource: customResourceDefinitions,
    indexers: {},
    projection: projection<CustomResourceDefinition>()('metadata.labels'),
    name: definitionName(kind),
  });
}

/** Every cache of the operator, declared once: what it holds, how it is indexed, which fields it keeps. */
export const caches = {
  nodePools: declareCache({ resource: nodePools, indexers: {} }),
  definitionOfNodePools: definitionCache(nodePools),
  unitedDaemonSets: declareCache({ resource: unitedDaemonSets, indexers: {} }),
  yurtAppDaemons: declareCache({
    resource: yurtAppDaemons,
    indexers: {},
    projection: projection<PoolWorkload>()(...servedFields),
  }),
  nodes: declareCache({ resource: nodes, indexers: byPool, projection: nodeFields }),
  deployments: declareCache({
    resource: deployments,
    indexers: { ...byOwnerOrOrphaned, ...byKruise, ...byManager },
    projection: projection<Deployment>()(...childFields),
  }),
  statefulSets: declareCache({
    resource: statefulSets,
    indexers: { ...byOwnerOrOrphaned, ...byKruise },
    projection: projection<StatefulSet>()(...childFields),
  }),
  controllerRevisions: declareCache({ resource: controllerRevisions, indexers: byOwnerOrOrphanedHistory }),
  unitedDeployments: declareCache({
    resource: unitedDeployments,
    indexers: {},
    projection: projection<UnitedDeployment>()(...servedFields),
  }),
  cloneSets: declareOptionalCache({
    resource: cloneSets,
    indexers: byOwnerOrOrphaned,
    projection: projection<CloneSet>()(...childFields),
  }),
  advancedStatefulSets: declareOptionalCache({
    resource: advancedStatefulSets,
    indexers: byOwnerOrOrphaned,
    projection: projection<AdvancedStatefulSet>()(...childFields),
  }),
  poolPods: declareCache({
    resource: pods,
    indexers: byOwner,
    projection: podFields,
    limits: ofStatefulSetsInPools,
  }),
  subsetPods: declareCache({
    resource: pods,
    indexers: { ...byOwner, ...byDeployment },
    projection: podFields,
    limits: ofSubsets,
  }),
  daemonSets: daemonSetCache,
  daemonSetPods: declareCache({
    resource: pods,
    indexers: byOwner,
    projection: daemonSetPodFields,
    limits: ofDaemonSets,
  }),
  pullJobs: declareCache({
    resource: jobs,
    indexers: byOwner,
    projection: pullJobFields,
    limits: ofImagePulls,
  }),
  pullPods: declareCache({ resource: pods, indexers: byOwner, limits: ofImagePulls }),
  extendedDaemonSets: extendedDaemonSetCache,
  extendedDaemonSetReplicaSets: declareCache({
    resource: extendedDaemonSetReplicaSets,
    indexers: byOwnerOrOrphanedReplicaSet,
    projection: projection<ExtendedDaemonSetReplicaSet>()(...writtenFields),
  }),
  extendedDaemonsetSettings: declareCache({ resource: extendedDaemonsetSettings, indexers: byReference }),
  definitionOfExtendedDaemonsetSettings: definitionCache(extendedDaemonsetSettings),
  extendedDaemonSetPods: declareCache({
    resource: pods,
    indexers: byOwnerOrLabelled,
    projection: extendedDaemonSetPodFields,
    limits: ofExtendedDaemonSets,
  }),
  replacedDaemonSetPods: declareCacheWhile([extendedDaemonSetCache, daemonSetCache], replacesDaemonSet, {
    resource: pods,
    indexers: byOwner,
    projection: projection<Pod>()('metadata.labels', 'metadata.ownerReferences'),
    limits: ofDaemonSets,
  }),
  extendedDaemonSetPodTemplates: declareCache({
    resource: podTemplates,
    indexers: byOwner,
    projection: projection<PodTemplate>()('metadata.annotations', 'metadata.ownerReferences'),
    limits: { labelSelector: `${extendedDaemonSetLabels.autoscalerDaemonSetPod}=true` },
  }),
  kruiseKeptOff: declareCache({
    resource: validatingAdmissionPolicyBindings,
    indexers: {},
    projection: projection<ValidatingAdmissionPolicyBinding>()('spec.validationActions'),
    name: kruiseKeptOffPolicy,
  }),
  kruiseValidatingWebhooks: declareCache({
    resource: validatingWebhookConfigurations,
    indexers: {},
    projection: projection<ValidatingWebhookConfiguration>()(...webhookFields),
    name: kruiseManager.validatingWebhooks,
  }),
  kruiseMutatingWebhooks: declareCache({
    resource: mutatingWebhookConfigurations,
    indexers: {},
    projection: projection<MutatingWebhookConfiguration>()(...webhookFields),
    name: kruiseManager.mutatingWebhooks,
  }),
} as const;

export type CacheName = keyof typeof caches;

/** What controllers are made of: one reader for each declared cache. */
export type Readers = {
  readonly [Name in CacheName]: ReaderOf<(typeof caches)[Name]>;
};
