import { z } from 'zod';
import { annotations, labels, membershipLabels, nodeNotes } from '../names.ts';
import { nodePools } from '../node-pool.ts';
import { isolationDomain, reservedLabels } from '../reserved-labels.ts';
import { condition, conditionsDescription, unseenAtFirst } from './condition.ts';
import {
  columnsForEveryKind,
  type KindDefinition,
  type PrinterColumn,
} from './custom-resource-definition.ts';
import {
  atomicList,
  cel,
  int32,
  int64,
  keptOnly,
  listMap,
  ratcheted,
  rules,
  timestamp,
  type CelRule,
} from './markers.ts';
import {
  annotationMap,
  forbiddenKeys,
  labelMap,
  labelName,
  labelSelector,
  labelValue,
  maxEntries,
  maxLabelValueLength,
} from './labels.ts';

/** A core v1 Taint. The value is a label value, as the API server demands of a node's taints. */
export const taint = z
  .strictObject({
    key: labelName.describe('The taint key, put on every node of the pool.'),
    value: labelValue.describe('The taint value.').optional(),
    effect: z
      .enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute'])
      .describe('What happens to pods that do not tolerate the taint.'),
    timeAdded: timestamp()
      .describe(keptOnly('When the taint was added, as the built-in type has it.'))
      .optional(),
  })
  .meta(
    rules(
      cel(
        `!self.key.startsWith('node.kubernetes.io/') && !self.key.startsWith('node.cloudprovider.kubernetes.io/')`,
        'taints of node.kubernetes.io and node.cloudprovider.kubernetes.io are set and taken off by Kubernetes: use a key of your own',
      ),
    ),
  );

const poolScopeResource = z.strictObject({
  group: z.string().describe('The API group; empty for the core group.'),
  version: z.string().describe('The version of the API group.'),
  resource: z.string().describe('The plural of the resource, in lower case.'),
});

const isReserved =
  `(key in [${reservedLabels.keys.map((key) => `'${key}'`).join(', ')}] || ` +
  `${reservedLabels.prefixes.map((prefix) => `key.startsWith('${prefix}')`).join(' || ')})`;
const isolates = `(key.startsWith('${isolationDomain}/') || key.contains('.${isolationDomain}/'))`;

/** The kubelet, a cloud and schedulers rely on these, and the node would be without them when it leaves the pool. */
const noReservedLabels = refuseKeys(
  isReserved,
  'must not hold labels that say what a node is: set them on the nodes themselves',
  'it says what a node is; set it on the nodes themselves, or use a key of your own',
);

const noIsolationLabels = refuseKeys(
  isolates,
  `must not hold labels of ${isolationDomain}, because a kubelet that moves its node into the pool would get them: set them on the nodes themselves`,
  'a kubelet that moves its node into the pool would get it; set it on the nodes themselves, or use a key of your own',
);

/**
 * What a pool had before the rule came may stay, key by key. Two rules, as of {@link ratcheted}, because a message cannot read
 * an optional `oldSelf`.
 */
function refuseKeys(condition: string, message: string, because: string): readonly CelRule[] {
  const refuse = (refused: string, unless = '', more: { readonly optionalOldSelf?: true } = {}): CelRule =>
    cel(`${unless}!self.exists(key, ${refused})`, message, {
      ...more,
      messageExpression: `'must not hold the key ' + self.filter(key, ${refused})[0] + ': ${because}'`,
    });
  return [
    refuse(condition, 'oldSelf.hasValue() || ', { optionalOldSelf: true }),
    refuse(`${condition} && !(key in oldSelf)`),
  ];
}

export const nodePoolSpec = z
  .strictObject({
    type: z
      .enum(['Edge', 'Cloud'])
      .default('Edge')
      .describe('Where the nodes of the pool are. Immutable.')
      .meta(rules(cel('self == oldSelf', 'type is immutable: delete the pool and create it anew'))),
    selector: labelSelector()
      .describe(keptOnly('For clients of v1alpha1; membership is the node label apps.openyurt.io/nodepool.'))
      .optional(),
    labels: labelMap(
      forbiddenKeys(membershipLabels, 'it decides which pool a node belongs to'),
      ...noReservedLabels,
      ...noIsolationLabels,
    )
      .describe('Labels that every node of the pool gets and keeps.')
      .optional(),
    annotations: annotationMap(forbiddenKeys(nodeNotes, 'it is a record of what a pool did with a node'))
      .describe('Annotations that every node of the pool gets and keeps.')
      .optional(),
    taints: listMap(taint, 'key', 'effect')
      .max(maxEntries)
      .describe('Taints that every node of the pool gets and keeps; unique by key and effect.')
      .optional(),
    hostNetwork: z
      .boolean()
      .describe(
        `Pods on the nodes of the pool use the network of their host: the nodes get the label ${labels.hostNetwork}. Immutable; not for pools of type Cloud.`,
      )
      .optional(),
    interConnectivity: z
      .boolean()
      .describe(keptOnly('The nodes of the pool reach each other over a network of their own. Immutable.'))
      .optional(),
    leaderElectionStrategy: z
      .enum(['random', 'mark'])
      .default('random')
      .describe(
        keptOnly(
          'How leader nodes of the pool are elected: any, or among those that leaderNodeLabelSelector marks.',
        ),
      ),
    leaderNodeLabelSelector: z
      .record(z.string(), z.string())
      .describe(keptOnly('Labels of the nodes that may lead, for the strategy mark.'))
      .optional(),
    enableLeaderElection: z
      .boolean()
      .describe(keptOnly('Whether leader nodes are elected. Default false.'))
      .optional(),
    poolScopeMetadata: atomicList(poolScopeResource)
      .default([
        { group: '', version: 'v1', resource: 'services' },
        { group: 'discovery.k8s.io', version: 'v1', resource: 'endpointslices' },
      ])
      .describe(keptOnly('Resources that the leader nodes share with the other nodes of the pool.')),
    leaderReplicas: int32().min(1).default(1).describe(keptOnly('How many leader nodes are elected.')),
  })
  .prefault({})
  .describe('What the nodes of the pool have in common.')
  .meta(
    rules(
      cel(
        'self.?hostNetwork.orValue(false) == oldSelf.?hostNetwork.orValue(false)',
        'hostNetwork is immutable: delete the pool and create it anew',
        {
          fieldPath: '.hostNetwork',
          // An OpenYurt that lost it leaves a manifest which says otherwise: docs/users/migration-openyurt.md.
          messageExpression: `'hostNetwork is immutable, and is ' + (oldSelf.?hostNetwork.orValue(false) ? 'true' : 'false') + ': leave it so in the manifest, or delete the pool and create it anew'`,
        },
      ),
      ...ratcheted(
        (self) => `${self}.type != 'Cloud' || !${self}.?hostNetwork.orValue(false)`,
        'hostNetwork must not be true for a pool of type Cloud, only for type Edge',
        { fieldPath: '.hostNetwork' },
      ),
      cel(
        'self.?interConnectivity.orValue(false) == oldSelf.?interConnectivity.orValue(false)',
        'interConnectivity is immutable: delete the pool and create it anew',
        { fieldPath: '.interConnectivity' },
      ),
    ),
  );

const unnotedNode = z.strictObject({
  nodeName: z.string().describe('The node.'),
  uid: z.string().describe('Its uid: another node of the name is none of these.'),
  left: z.boolean().describe('True: it is in no pool, and keeps what its last pool put there.').optional(),
  labels: z
    .record(z.string(), z.string())
    .describe('Labels of the pool that are not set on the node.')
    .optional(),
  taints: atomicList(
    z.strictObject({
      key: z.string().describe('The key.'),
      value: z.string().describe('The value.').optional(),
      effect: z.string().describe('The effect.'),
    }),
  )
    .describe('Taints of the pool that are not set on the node.')
    .optional(),
});

export const nodePoolStatus = z
  .strictObject({
    observedGeneration: int64().describe('The generation of the spec that this status is of.').optional(),
    readyNodeNum: int32().describe('How many nodes of the pool are Ready.').optional(),
    unreadyNodeNum: int32().describe('How many nodes of the pool are not Ready.').optional(),
    nodes: atomicList(z.string()).describe('The names of the nodes of the pool, sorted.').optional(),
    unnotedNodes: atomicList(unnotedNode)
      .describe(
        `Nodes that stay as an old operator left them, and that could not be given the annotation ${annotations.keptLabels} or ${annotations.keptTaints} yet.`,
      )
      .optional(),
    leaderEndpoints: atomicList(
      z.strictObject({
        nodeName: z.string().describe('The node.'),
        address: z.string().describe('Its address.'),
      }),
    )
      .describe(keptOnly('The elected leader nodes; written by the leader election of OpenYurt.'))
      .optional(),
    leaderNum: int32().describe(keptOnly('How many leader nodes are elected.')).optional(),
    leaderLastElectedTime: timestamp()
      .describe(keptOnly('When the leader nodes were elected last.'))
      .optional(),
    conditions: atomicList(condition).describe(conditionsDescription).optional(),
  })
  .describe('What is true of the pool now.')
  .meta(unseenAtFirst);

const counts: readonly PrinterColumn[] = [
  { name: 'Type', type: 'string', jsonPath: '.spec.type', description: 'The type of the pool.' },
  {
    name: 'ReadyNodes',
    type: 'integer',
    jsonPath: '.status.readyNodeNum',
    description: 'How many nodes of the pool are Ready.',
  },
  {
    name: 'NotReadyNodes',
    type: 'integer',
    jsonPath: '.status.unreadyNodeNum',
    description: 'How many nodes of the pool are not Ready.',
  },
];

const leaders: readonly PrinterColumn[] = [
  {
    name: 'LeaderNodes',
    type: 'integer',
    jsonPath: '.status.leaderNum',
    description: 'How many leader nodes are elected.',
  },
  {
    name: 'LeaderElectionAge',
    type: 'date',
    jsonPath: '.status.leaderLastElectedTime',
    description: 'When the leader nodes were elected last.',
  },
];

const age: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

export const nodePoolKind: KindDefinition = {
  resource: nodePools,
  shortNames: ['np'],
  description: 'A named group of nodes, whose labels, annotations and taints are kept on its members.',
  spec: nodePoolSpec,
  status: nodePoolStatus,
  rootRules: [
    cel(
      `oldSelf.hasValue() || size(self.metadata.name) <= ${maxLabelValueLength}`,
      `metadata.name must be at most ${maxLabelValueLength} characters long, because it is the value of the node label ${labels.nodePool}`,
      { fieldPath: '.metadata.name', optionalOldSelf: true },
    ),
  ],
  versions: [
    {
      name: 'v1alpha1',
      storage: false,
      deprecationWarning:
        'apps.openyurt.io/v1alpha1 NodePool is deprecated; use apps.openyurt.io/v1beta2 NodePool',
      columns: [...counts, age, ...columnsForEveryKind],
    },
    { name: 'v1beta1', storage: false, columns: [...counts, age, ...columnsForEveryKind] },
    { name: 'v1beta2', storage: true, columns: [...counts, ...leaders, age, ...columnsForEveryKind] },
  ],
};
