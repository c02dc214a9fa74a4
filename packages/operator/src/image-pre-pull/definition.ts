import { jobs, pods } from '@atoll/kube';
import { defineKind } from '../definitions/kind-definition.ts';
import { createImagePrePullController } from './controller.ts';

export const imagePrePullDefinition = defineKind({
  name: 'image-pre-pull',
  aliases: ['imagepreheat', 'image-preheat-controller'],
  onByDefault: false,
  resource: pods,
  reads: ['daemonSetPods', 'daemonSets', 'controllerRevisions', 'pullJobs', 'pullPods'],
  writes: [
    { resource: pods, verbs: ['patch'], subresource: 'status', seenIn: 'daemonSetPods' },
    { resource: jobs, verbs: ['create', 'delete'] },
  ],
  create: createImagePrePullController,
});
