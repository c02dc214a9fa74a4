import { z } from 'zod';
import { extendedDaemonSets } from '../../extended-daemon-set/extended-daemon-set.ts';
import { unseenAtFirst } from '../condition.ts';
import type { KindDefinition, PrinterColumn } from '../custom-resource-definition.ts';
import { labelSelector } from '../labels.ts';
import { int32, int64, set } from '../markers.ts';
import { podTemplate } from '../workload-template.ts';
import { extendedConditions } from './condition.ts';
import { strategy } from './strategy.ts';

/**
 * Beside what the files of the strategy name, this schema refuses selectors, and labels of the template, that break the
 * syntax of labels. The old operator accepted them: it ignored such a nodeSelector of a canary, and made no pod with the
 * others. It fills in nothing in the template, where the old schema did (`protocol: TCP` of ports and its like).
 */
export const extendedDaemonSetSpec = z
  .strictObject({
    selector: labelSelector()
      .describe('Selects nodes by their labels, not pods; all nodes where left out.')
      .optional(),
    template: podTemplate.describe(
      'The pod that runs on every node; the API server judges it when pods are created.',
    ),
    strategy: strategy.describe('How a new template reaches the nodes.'),
  })
  .describe('Which pod runs on which nodes, and how a new template reaches them.');

export const extendedDaemonSetStatus = z
  .strictObject({
    observedGeneration: int64().describe('The generation of the spec that this status is of.').optional(),
    desired: int32().describe('How many nodes are to have a pod.'),
    current: int32().describe('How many pods there are.'),
    ready: int32().describe('How many pods are Ready.'),
    available: int32().describe('How many pods are available.'),
    upToDate: int32().describe(
      'How many pods are of the current template, or of the canary while there is one.',
    ),
    ignoredUnresponsiveNodes: int32().describe(
      'Nodes whose pod is not scheduled for ten minutes, or does not end.',
    ),
    state: z
      .string()
      .describe('Running, RollingUpdate Paused, Rollout frozen, Canary, Canary Paused or Canary Failed.')
      .optional(),
    reason: z
      .string()
      .describe('Why the canary is paused, or that the active replica set is unknown.')
      .optional(),
    activeReplicaSet: z
      .string()
      .describe(
        'The replica set whose pods the nodes have, except those of the canary; empty before there is one.',
      ),
    canary: z
      .strictObject({
        replicaSet: z.string().describe('The replica set that is tried.'),
        nodes: set(z.string()).describe('The nodes that try it.').optional(),
      })
      .describe('The canary; absent while there is none.')
      .optional(),
    conditions: extendedConditions.optional(),
  })
  .describe('What is true of the ExtendedDaemonSet now.')
  .meta({
    default: {
      desired: 0,
      current: 0,
      ready: 0,
      available: 0,
      upToDate: 0,
      ignoredUnresponsiveNodes: 0,
      activeReplicaSet: '',
      ...unseenAtFirst.default,
    },
  });

/** READY is the number of pods here, and REASON that of a pause, so the condition has other names than in the other kinds. */
const wideColumns: readonly PrinterColumn[] = [
  {
    name: 'complete',
    type: 'string',
    jsonPath: '.status.conditions[?(@.type=="Ready")].status',
    description: 'True when every node is as in the spec: the condition Ready.',
    priority: 1,
  },
  {
    name: 'complete reason',
    type: 'string',
    jsonPath: '.status.conditions[?(@.type=="Ready")].reason',
    description: 'Why it is complete, or what it waits for.',
    priority: 1,
  },
];

export const extendedDaemonSetKind: KindDefinition = {
  resource: extendedDaemonSets,
  shortNames: ['eds'],
  description: 'A pod on every node, with canaries and a rolling update that broken nodes do not stop.',
  spec: extendedDaemonSetSpec,
  status: extendedDaemonSetStatus,
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      columns: [
        { name: 'desired', type: 'integer', jsonPath: '.status.desired' },
        { name: 'current', type: 'integer', jsonPath: '.status.current' },
        { name: 'ready', type: 'integer', jsonPath: '.status.ready' },
        { name: 'up-to-date', type: 'integer', jsonPath: '.status.upToDate' },
        { name: 'available', type: 'integer', jsonPath: '.status.available' },
        // The old operator has the path in lower case, so that its column is always empty.
        {
          name: 'ignored unresponsive nodes',
          type: 'integer',
          jsonPath: '.status.ignoredUnresponsiveNodes',
        },
        { name: 'status', type: 'string', jsonPath: '.status.state' },
        { name: 'reason', type: 'string', jsonPath: '.status.reason' },
        { name: 'active rs', type: 'string', jsonPath: '.status.activeReplicaSet' },
        { name: 'canary rs', type: 'string', jsonPath: '.status.canary.replicaSet' },
        { name: 'age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ...wideColumns,
      ],
    },
  ],
};
