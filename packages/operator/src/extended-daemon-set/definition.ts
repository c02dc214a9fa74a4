import { extendedDaemonSetReplicaSets, extendedDaemonSets, extendedDaemonsetSettings } from '@atoll/api';
import { pods, podTemplates } from '@atoll/kube';
import { extendedDaemonSetWebhooks } from '../admission/extended-daemon-set/webhooks.ts';
import { defineKind } from '../definitions/kind-definition.ts';
import { figuresOf } from '../definitions/object-figures.ts';
import { createExtendedDaemonSetController } from './controller.ts';
import { extendedDaemonSetFigures } from './gauges/figures.ts';
import { gaugesOf } from './gauges/gauges.ts';

export const extendedDaemonSetDefinition = defineKind({
  name: 'extended-daemon-set',
  aliases: ['extendeddaemonset'],
  onByDefault: true,
  resource: extendedDaemonSets,
  parts: async () => (await import('@atoll/api/schema')).extendedDaemonSetKinds,
  reads: [
    'extendedDaemonSets',
    'extendedDaemonSetReplicaSets',
    'extendedDaemonsetSettings',
    'definitionOfExtendedDaemonsetSettings',
    'extendedDaemonSetPods',
    'extendedDaemonSetPodTemplates',
    'daemonSets',
    'replacedDaemonSetPods',
    'nodes',
  ],
  confirms: ['definitionOfExtendedDaemonsetSettings'],
  writes: [
    { resource: extendedDaemonSets, verbs: ['patch'] },
    { resource: extendedDaemonSets, verbs: ['patch'], subresource: 'status' },
    { resource: extendedDaemonSetReplicaSets, verbs: ['create', 'patch', 'delete'] },
    { resource: extendedDaemonSetReplicaSets, verbs: ['patch'], subresource: 'status' },
    { resource: extendedDaemonsetSettings, verbs: ['patch'], subresource: 'status' },
    // None is deleted: where OwnerReferencesPermissionEnforcement is on, as on OpenShift, only who may delete an object may give it another owner.
    { resource: podTemplates, verbs: ['create', 'patch', 'delete'] },
    { resource: pods, verbs: ['create', 'patch', 'delete'], seenIn: 'extendedDaemonSetPods' },
  ],
  ownsChildren: [extendedDaemonSets, extendedDaemonSetReplicaSets],
  webhooks: extendedDaemonSetWebhooks,
  figures: (readers) => figuresOf(readers.extendedDaemonSets, extendedDaemonSetFigures),
  gauges: gaugesOf,
  create: (readers, findings, { canaryValidationMode }) =>
    createExtendedDaemonSetController(readers, canaryValidationMode, findings),
});
