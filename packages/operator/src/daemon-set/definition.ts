import { daemonSets, pods } from '@atoll/kube';
import { defineKind } from '../definitions/kind-definition.ts';
import { figuresOf } from '../definitions/object-figures.ts';
import { createDaemonSetUpgradeController } from './controller.ts';
import { daemonSetFigures } from './figures.ts';

export const daemonSetUpgradeDefinition = defineKind({
  name: 'daemon-set-upgrade',
  aliases: ['daemonpodupdater', 'daemon-pod-updater-controller'],
  onByDefault: false,
  resource: daemonSets,
  reads: ['daemonSets', 'daemonSetPods', 'controllerRevisions', 'nodes', 'deployments'],
  writes: [
    { resource: daemonSets, verbs: ['patch'], subresource: 'status' },
    { resource: pods, verbs: ['delete'] },
    { resource: pods, verbs: ['create'], subresource: 'eviction' },
    { resource: pods, verbs: ['patch'], subresource: 'status' },
  ],
  unseenElsewhere:
    "OpenYurt's yurt-manager, which must not run beside this controller: scale it to zero before DaemonSets are upgraded",
  figures: (readers) => figuresOf(readers.daemonSets, daemonSetFigures),
  create: (readers, findings) => createDaemonSetUpgradeController(readers, findings),
});
