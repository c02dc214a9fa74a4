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
  yurtManager,
} from '@atoll/api';
import {
  controllerOf,
  controllerRevisions,
  daemonSets,
  declareCache,
  declareCacheWhile,
  declareOptionalCache,
  deployments,
  formatKey,
  jobs,
  mutatingWebhookConfigurations,
  nodes,
  pods,
  podTemplates,
  projection,
  statefulSets,
  validatingAdmissionPolicyBindings,
  validatingWebhookConfigurations,
} from '@atoll/kube';
import type {
  AdvancedStatefulSet,
  CloneSet,
  ExtendedDaemonSetReplicaSet,
  ExtendedDaemonsetSetting,
  UnitedDeployment,
} from '@atoll/api';
import type {
  DaemonSet,
  Deployment,
  Indexers,
  InformerLimits,
  Job,
  KubeObject,
  MutatingWebhookConfiguration,
  Node,
  Pod,
  PodTemplate,
  ReaderOf,
  StatefulSet,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '@atoll/kube';
import { poolKeysOf } from './node-pool/node-key.ts';
import { deploymentOf } from './children/pods/deployment-of-pod.ts';
import { isDaemonSet, replacesDaemonSet } from './extended-daemon-set/migration/old-daemon-set.ts';
import { byOwnersName } from './united-deployment/adoption/predecessor.ts';

/** Files an object under the uid of its controller: a label alone never makes an object ours. */
const byOwner = {
  owner: (object: KubeObject): readonly string[] => {
    const owner = controllerOf(object);
    return owner === undefined ? [] : [owner.uid];
  },
};

/** Files a pod under the key of the Deployment that controls it by way of a ReplicaSet. */
const byDeployment = {
  deployment: (pod: KubeObject): readonly string[] => {
    const { namespace = '' } = pod.metadata;
    const name = deploymentOf(pod);
    return name === undefined ? [] : [formatKey({ namespace, name })];
  },
};

/** Files what is labelled as a subset's and nobody owns under its namespace, so that it can be adopted. */
const byOwnerOrOrphaned = {
  ...byOwner,
  ...byOwnersName,
  orphan: (object: KubeObject): readonly string[] => {
    const { namespace = '', labels: found } = object.metadata;
    return found?.[labels.subsetName] !== undefined && controllerOf(object) === undefined ? [namespace] : [];
  },
};

/** Files a revision that nobody owns under its namespace: its owner may have been made anew. */
const byOwnerOrOrphanedHistory = {
  ...byOwner,
  ...byOwnersName,
  orphan: (object: KubeObject): readonly string[] => {
    const { namespace = '', labels: found } = object.metadata;
    return found?.[labels.revisionHash] !== undefined && controllerOf(object) === undefined
      ? [namespace]
      : [];
  },
};

/** Files a workload that runs OpenKruise's manager, in whatever namespace, under its name. */
const byKruise = {
  kruise: ({ metadata: { name } }: KubeObject): readonly string[] =>
    name === kruiseManager.workload ? [name] : [],
};

/** Files a Deployment that runs a manager which Atoll replaces, in whatever namespace, under its name. */
const byManager = {
  manager: ({ metadata: { name } }: KubeObject): readonly string[] => (name === yurtManager ? [name] : []),
};

/** Files a setting under the key of the object that it names. */
const byReference: Indexers<ExtendedDaemonsetSetting> = {
  reference: ({ metadata: { namespace = '' }, spec }) => [
    formatKey({ namespace, name: spec.reference?.name ?? '' }),
  ],
};

/**
 * Files a pod that nobody owns, and one of a DaemonSet, under the key of the ExtendedDaemonSet whose label it carries: it may be one that
 * is to be replaced.
 */
const byOwnerOrLabelled = {
  ...byOwner,
  labelled: (pod: KubeObject): readonly string[] => {
    const { namespace = '', labels: found } = pod.metadata;
    const name = found?.[extendedDaemonSetLabels.name];
    const owner = controllerOf(pod);
    const mayBeReplaced = owner === undefined || isDaemonSet(owner);
    return name !== undefined && mayBeReplaced ? [formatKey({ namespace, name })] : [];
  },
};

/** Files a node under the keys that may look after it, so that also those are found which left a pool or name none that exists. */
const byPool: Indexers<Node> = { pool: poolKeysOf };

/** What controllers read of a node. Heartbeats, images and addresses never become objects. */
const nodeFields = projection<Node>()(
  'metadata.labels',
  'metadata.annotations',
  'spec.taints',
  'spec.unschedulable',
  'status.conditions.type',
  'status.conditions.status',
  'status.conditions.lastTransitionTime',
);

/** All that people and controllers wrote of an object, its status, and who wrote them when: another controller may still do so. */
const writtenFields = [
  'metadata.generation',
  'metadata.labels',
  'metadata.annotations',
  'metadata.ownerReferences',
  'metadata.managedFields.manager',
  'metadata.managedFields.operation',
  'metadata.managedFields.subresource',
  'metadata.managedFields.time',
  'spec',
  'status',
] as const;

/**
 * What controllers read of a child: that, and of its fields' owners also whether they own what decides how a child is taken over or its
 * replicas are let go.
 */
const childFields = [
  ...writtenFields,
  'metadata.managedFields.fieldsV1.f:spec.f:replicas',
  'metadata.managedFields.fieldsV1.f:spec.f:selector',
] as const;

/** All that people wrote and the status, and who wrote that last: OpenKruise's manager may still do so. */
const unitedDeploymentFields = [
  'metadata.generation',
  'metadata.labels',
  'metadata.annotations',
  'metadata.managedFields.manager',
  'metadata.managedFields.subresource',
  'metadata.managedFields.time',
  'spec',
  'status',
] as const;

/** What controllers read of OpenKruise's webhooks: what the API server refuses while nobody answers for them. */
const webhookFields = ['webhooks.failurePolicy', 'webhooks.rules.resources'] as const;

/** What controllers read of a pod: whose it is, which revision, where, and how it is. */
const podFields = projection<Pod>()(
  'metadata.labels',
  'metadata.ownerReferences',
  'spec.nodeName',
  'status.phase',
  'status.conditions.type',
  'status.conditions.status',
  'status.conditions.reason',
  // That of the scheduler; a pod that is ready has none.
  'status.conditions.message',
  'status.conditions.lastTransitionTime',
);

/** What controllers read of a DaemonSet: what it asks for, where its pods may be, how their images are pulled, and its conditions. */
const daemonSetFields = projection<DaemonSet>()(
  'metadata.generation',
  'metadata.annotations',
  'spec.minReadySeconds',
  'spec.selector',
  'spec.updateStrategy.type',
  'spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution',
  'spec.template.spec.containers.image',
  'spec.template.spec.containers.imagePullPolicy',
  'spec.template.spec.hostNetwork',
  'spec.template.spec.imagePullSecrets',
  'spec.template.spec.initContainers.image',
  'spec.template.spec.initContainers.imagePullPolicy',
  'spec.template.spec.nodeName',
  'spec.template.spec.nodeSelector',
  'spec.template.spec.os',
  'spec.template.spec.runtimeClassName',
  'spec.template.spec.serviceAccountName',
  'spec.template.spec.tolerations',
  'status.observedGeneration',
  'status.conditions',
  // For metrics.
  'status.desiredNumberScheduled',
  'status.updatedNumberScheduled',
  'status.numberAvailable',
);

/** What controllers read of a pod of a DaemonSet: also the node that it was made for, before it is bound to it. */
const daemonSetPodFields = projection<Pod>()(
  'metadata.generation',
  'metadata.labels',
  'metadata.ownerReferences',
  'spec.nodeName',
  'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms.matchFields',
  'status.phase',
  'status.startTime',
  'status.conditions.type',
  'status.conditions.status',
  'status.conditions.reason',
  'status.conditions.message',
  'status.conditions.lastTransitionTime',
);

/** What controllers read of a Job that pulls images: whose it is, and whether it is over. */
const pullJobFields = projection<Job>()('metadata.labels', 'metadata.ownerReferences', 'status.conditions');

/** Jobs that pull images, and their pods, carry this label; those of others are never sent to us. */
const ofImagePulls: InformerLimits = { labelSelector: labels.imagePrePull };

/** What controllers read of a pod of an ExtendedDaemonSet: with what it was made, and how its containers are. */
const extendedDaemonSetPodFields = projection<Pod>()(
  'metadata.labels',
  'metadata.annotations',
  'metadata.ownerReferences',
  'metadata.deletionGracePeriodSeconds',
  'spec.nodeName',
  'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms.matchFields',
  'spec.containers.name',
  'spec.containers.resources',
  'status.phase',
  'status.startTime',
  'status.conditions.type',
  'status.conditions.status',
  'status.conditions.reason',
  'status.conditions.message',
  'status.conditions.lastTransitionTime',
  'status.initContainerStatuses.name',
  'status.initContainerStatuses.restartCount',
  'status.initContainerStatuses.state',
  'status.initContainerStatuses.lastState',
  'status.containerStatuses.name',
  'status.containerStatuses.restartCount',
  'status.containerStatuses.state',
  'status.containerStatuses.lastState',
  'status.ephemeralContainerStatuses.name',
  'status.ephemeralContainerStatuses.restartCount',
  'status.ephemeralContainerStatuses.state',
  'status.ephemeralContainerStatuses.lastState',
);

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

/** Every cache of the operator, declared once: what it holds, how it is indexed, which fields it keeps. */
export const caches = {
  nodePools: declareCache({ resource: nodePools, indexers: {} }),
  unitedDaemonSets: declareCache({ resource: unitedDaemonSets, indexers: {} }),
  yurtAppDaemons: declareCache({ resource: yurtAppDaemons, indexers: {} }),
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
    projection: projection<UnitedDeployment>()(...unitedDeploymentFields),
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
    indexers: byOwner,
    projection: projection<ExtendedDaemonSetReplicaSet>()(...writtenFields),
  }),
  extendedDaemonsetSettings: declareCache({ resource: extendedDaemonsetSettings, indexers: byReference }),
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
