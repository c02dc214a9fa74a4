import { z } from 'zod';
import { extendedDaemonSetReplicaSets } from '../../extended-daemon-set/extended-daemon-set-replica-set.ts';
import type { KindDefinition } from '../custom-resource-definition.ts';
import { labelSelector } from '../labels.ts';
import { int32, int64 } from '../markers.ts';
import { podTemplate } from '../workload-template.ts';
import { extendedConditions } from './condition.ts';

export const extendedDaemonSetReplicaSetSpec = z
  .strictObject({
    selector: labelSelector()
      .describe('Selects nodes by their labels; copied from the ExtendedDaemonSet.')
      .optional(),
    template: podTemplate.describe('The pod that runs on every node; copied from the ExtendedDaemonSet.'),
    templateGeneration: z
      .string()
      .describe('A token of the template; its pods carry it as annotation.')
      .optional(),
  })
  .describe('One template and the nodes it is for.');

/**
 * Without a default: the operator writes replica sets itself, and the ExtendedDaemonSet shows whether it is done. An
 * object without `Ready` counts as finished.
 */
export const extendedDaemonSetReplicaSetStatus = z
  .strictObject({
    observedGeneration: int64().describe('The generation of the spec that this status is of.').optional(),
    status: z.string().describe('active, canary, canary-failed or unknown.'),
    desired: int32().describe('How many nodes are to have a pod of this template.'),
    current: int32().describe('How many pods of this template there are.'),
    ready: int32().describe('How many of these are Ready.'),
    available: int32().describe('How many of these are available.'),
    ignoredUnresponsiveNodes: int32().describe(
      'Nodes whose pod is not scheduled for ten minutes, or does not end.',
    ),
    conditions: extendedConditions.optional(),
  })
  .describe('What is true of the replica set now.');

export const extendedDaemonSetReplicaSetKind: KindDefinition = {
  resource: extendedDaemonSetReplicaSets,
  shortNames: ['ers'],
  description: 'One template of an ExtendedDaemonSet. Written by the operator.',
  spec: extendedDaemonSetReplicaSetSpec,
  status: extendedDaemonSetReplicaSetStatus,
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      columns: [
        { name: 'status', type: 'string', jsonPath: '.status.status' },
        { name: 'desired', type: 'integer', jsonPath: '.status.desired' },
        { name: 'current', type: 'integer', jsonPath: '.status.current' },
        { name: 'ready', type: 'integer', jsonPath: '.status.ready' },
        { name: 'available', type: 'integer', jsonPath: '.status.available' },
        {
          name: 'ignored unresponsive nodes',
          type: 'integer',
          jsonPath: '.status.ignoredUnresponsiveNodes',
        },
        { name: 'node selector', type: 'string', jsonPath: '.spec.selector' },
        { name: 'age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
      ],
    },
  ],
};
