import { projection, type DaemonSet, type Job, type Node, type Pod } from '@atoll/kube';

/** What controllers read of a node. Heartbeats, images and addresses never become objects. */
export const nodeFields = projection<Node>()(
  'metadata.labels',
  'metadata.annotations',
  // When a pool's attributes were written last.
  'metadata.managedFields.manager',
  'metadata.managedFields.time',
  'spec.taints',
  'spec.unschedulable',
  'status.conditions.type',
  'status.conditions.status',
  'status.conditions.lastTransitionTime',
);

/** All that people and controllers wrote of an object, its status, and who wrote them when: another controller may still do so. */
export const writtenFields = [
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
 * What controllers read of a child: that, and of its fields' owners also whether they own what decides how a child is taken over, its
 * replicas are let go, or what the API server filled in goes.
 */
export const childFields = [
  ...writtenFields,
  'metadata.managedFields.fieldsV1.f:spec.f:replicas',
  'metadata.managedFields.fieldsV1.f:spec.f:selector',
  // Only that it is there: what is below it is larger than the object.
  'metadata.managedFields.fieldsV1.f:spec.f:template.f:metadata.f:name',
  // What the API server fills in, and keeps unless we own it.
  'metadata.managedFields.fieldsV1.f:spec.f:strategy',
  'metadata.managedFields.fieldsV1.f:spec.f:updateStrategy',
  'metadata.managedFields.fieldsV1.f:spec.f:template.f:spec.f:serviceAccount',
  'metadata.managedFields.fieldsV1.f:spec.f:template.f:spec.f:serviceAccountName',
] as const;

/** All that people wrote and the status, and who wrote that last: OpenKruise's manager, or OpenYurt's, may still do so. */
export const servedFields = [
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
export const webhookFields = ['webhooks.failurePolicy', 'webhooks.rules.resources'] as const;

/** Of the conditions of a pod; not when they were probed. */
const podConditionFields = [
  'status.conditions.type',
  'status.conditions.status',
  'status.conditions.reason',
  // That of the scheduler; a pod that is ready has none.
  'status.conditions.message',
  'status.conditions.lastTransitionTime',
] as const;

/** What controllers read of a pod: whose it is, which revision, where, and how it is. */
export const podFields = projection<Pod>()(
  'metadata.labels',
  'metadata.deletionGracePeriodSeconds',
  'metadata.ownerReferences',
  'spec.nodeName',
  'status.phase',
  ...podConditionFields,
);

/** What controllers read of a DaemonSet: what it asks for, its template, and its conditions. */
export const daemonSetFields = projection<DaemonSet>()(
  'metadata.generation',
  'metadata.annotations',
  'spec.minReadySeconds',
  'spec.selector',
  'spec.updateStrategy.type',
  // Also compared, as a whole, with that of the newest revision.
  'spec.template',
  'status.observedGeneration',
  'status.conditions',
  // For metrics.
  'status.desiredNumberScheduled',
  'status.updatedNumberScheduled',
  'status.numberAvailable',
);

/** What controllers read of a pod of a DaemonSet: also the node that it was made for, before it is bound to it. */
export const daemonSetPodFields = projection<Pod>()(
  'metadata.generation',
  'metadata.labels',
  'metadata.ownerReferences',
  // Why one does not end.
  'metadata.finalizers',
  'spec.nodeName',
  // With what admission adds for the namespace.
  'spec.nodeSelector',
  'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms.matchFields',
  'status.phase',
  'status.startTime',
  ...podConditionFields,
);

/** What controllers read of a Job that pulls images: whose it is, and whether it is over. */
export const pullJobFields = projection<Job>()(
  'metadata.labels',
  'metadata.ownerReferences',
  'status.conditions',
);

/** What controllers read of a pod of an ExtendedDaemonSet: with what it was made, and how its containers are. */
export const extendedDaemonSetPodFields = projection<Pod>()(
  'metadata.labels',
  'metadata.annotations',
  'metadata.ownerReferences',
  'metadata.deletionGracePeriodSeconds',
  // Why one does not end.
  'metadata.finalizers',
  'spec.nodeName',
  'spec.schedulerName',
  'spec.schedulingGates.name',
  'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms.matchFields',
  'spec.containers.name',
  'spec.containers.resources',
  'status.phase',
  'status.startTime',
  ...podConditionFields,
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
