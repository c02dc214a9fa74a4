import { unitedDeployments } from '@atoll/api';
import { controllerRevisions, pods } from '@atoll/kube';
import { unitedDeploymentWebhooks } from '../admission/united-deployment/webhooks.ts';
import { defineKind } from '../definitions/kind-definition.ts';
import { childKinds, kindFacts } from './subsets/child-kind.ts';
import { figuresOf } from '../definitions/object-figures.ts';
import { createUnitedDeploymentController } from './controller.ts';
import { unitedDeploymentFigures } from './figures.ts';

const children = [controllerRevisions, ...childKinds.map((kind) => kindFacts[kind].resource)];

export const unitedDeploymentDefinition = defineKind({
  name: 'united-deployment',
  aliases: ['uniteddeployment', 'united-deployment-controller', 'uniteddeployment-controller'],
  onByDefault: true,
  resource: unitedDeployments,
  schema: async () => (await import('@atoll/api/schema')).unitedDeploymentKind,
  reads: [
    'unitedDeployments',
    'deployments',
    'statefulSets',
    'advancedStatefulSets',
    'cloneSets',
    'controllerRevisions',
    'subsetPods',
    'kruiseKeptOff',
    'kruiseValidatingWebhooks',
    'kruiseMutatingWebhooks',
  ],
  writes: [
    // A total that was left out is filled in.
    { resource: unitedDeployments, verbs: ['patch'] },
    { resource: unitedDeployments, verbs: ['patch'], subresource: 'status' },
    // Pods are marked as reserved; those that keep a StatefulSet from going on are deleted.
    { resource: pods, verbs: ['patch', 'delete'] },
    ...children.map((resource) => ({ resource, verbs: ['create', 'patch', 'delete'] }) as const),
  ],
  ownsChildren: true,
  webhooks: unitedDeploymentWebhooks,
  figures: (readers) => figuresOf(readers.unitedDeployments, unitedDeploymentFigures),
  create: createUnitedDeploymentController,
});
