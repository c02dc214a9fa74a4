import {
  canaryFailurePolicies,
  extendedDaemonSetAnnotations as annotations,
  extendedDaemonSetLabels as labels,
  extendedDaemonSetReplicaSets,
  extendedDaemonSets,
  extendedDaemonsetSettings,
  nodeResourcesAnnotation,
  oldExtendedDaemonSetManager,
  replicaSetConditions,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetReplicaSet,
} from '@atoll/api';
import {
  daemonSets,
  definitionName,
  nodes,
  pods,
  type KubeObject,
  type Resource,
  type Stored,
} from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import { ownerReference } from '../../src/children/ownership/owner.ts';
import { createExtendedDaemonSetController } from '../../src/extended-daemon-set/controller.ts';
import * as example from '../../src/extended-daemon-set/extended-daemon-set.fixture.ts';
import { FreshWorld } from '../examples/fresh-world.ts';
import { definitions } from '../model/definitions.ts';
import { describeState } from './describe-state.ts';
import { withoutIdentity } from './without-identity.ts';

const key = { namespace: 'edge', name: 'agent' };
const minute = 60_000;

interface Given {
  readonly object?: Stored<ExtendedDaemonSet>;
  readonly sets?: readonly Stored<ExtendedDaemonSetReplicaSet>[];
  /** The node, which of the sets, and how the pod is. */
  readonly pods?: readonly (readonly [string, number, example.PodShape?])[];
  readonly nodes?: readonly Parameters<typeof example.node>[];
  /** After the objects were made. */
  readonly laterMs?: number;
}

const denied = refusalOf(
  403,
  'create pods',
  'pods "agent-n1-x" is forbidden: violates PodSecurity "restricted:latest": host namespaces (hostNetwork=true)',
);
const tooLarge = refusalOf(
  403,
  'create pods',
  'pods "agent-n1-x" is forbidden: maximum cpu usage per Container is 1, but request is 2',
);
const heldInGit = refusalOf(
  403,
  'patch extendeddaemonsets edge/agent',
  'admission webhook "gitops.example" denied the request: change it in git',
);
const twoProcessors = { [nodeResourcesAnnotation('edge', 'agent', 'agent')]: '{"requests":{"cpu":"2"}}' };
const canary = { canary: { duration: '1m', noRestartsDuration: '1m' } };
/** As an old operator left it. */
const noValues = { key: 'tier', operator: 'In', values: [] } as const;
const tried = { canary: { replicaSet: 'agent-2', nodes: ['n1'] } };
const [first, second] = [example.replicaSet(1), example.replicaSet(2)];
const trying = {
  object: example.agent('agent:2', { strategy: canary, status: tried }),
  sets: [first, second],
};
const onBoth: NonNullable<Given['pods']> = [
  ['n1', 1],
  ['n2', 0],
];

/** What an ExtendedDaemonSet shows in every state that has words of its own. */
export function extendedDaemonSetStates(): readonly string[] {
  const { agent, replicaSet } = example;
  const failed = [{ type: replicaSetConditions.canaryFailed, status: 'True', reason: 'Error' }] as const;
  const isTried = [{ type: replicaSetConditions.canary, status: 'True' }] as const;
  const wasActive = [{ type: replicaSetConditions.active, status: 'True' }] as const;
  return [
    state('it is new', { object: agent('agent:1', { status: { activeReplicaSet: '' } }) }),
    state('the template changes', {
      object: agent('agent:2'),
      sets: [first],
      pods: [
        ['n1', 0],
        ['n2', 0],
      ],
    }),
    state(
      'a policy refuses the pods of a new template',
      {
        object: agent('agent:2'),
        sets: [first],
        pods: [
          ['n1', 0],
          ['n2', 0],
        ],
      },
      (world) => {
        world.refuse = (operation) =>
          operation.verb === 'create' && operation.resource === pods ? denied : undefined;
      },
    ),
    state(
      'a policy refuses the pods of a new template on a node with other resources',
      {
        object: agent('agent:2'),
        sets: [first],
        pods: [
          ['n1', 0],
          ['n2', 0],
        ],
        nodes: [['n1', { annotations: twoProcessors }], ['n2']],
      },
      (world) => {
        world.refuse = (operation) => {
          const isPod = operation.verb === 'create' && operation.resource === pods;
          return isPod && JSON.stringify(operation.object).includes('"cpu":"2"') ? tooLarge : undefined;
        };
      },
    ),
    state('an older replica set has no pods', {
      sets: [replicaSet(0), first],
      pods: [
        ['n1', 1],
        ['n2', 1],
      ],
    }),
    state('a pod has failed', {
      sets: [first],
      pods: [
        ['n1', 0],
        ['n2', 0, { phase: 'Failed', ready: false }],
      ],
    }),
    state(
      'a pod cannot be started',
      {
        sets: [first],
        pods: [
          ['n1', 0],
          ['n2', 0, { ready: false }],
        ],
      },
      (world) => {
        const pod = world.list(pods).find(({ spec }) => spec?.nodeName === 'n2');
        const [set] = world.list(extendedDaemonSetReplicaSets);
        const name = pod?.metadata.name ?? '';
        const message = `pod ${name} on node n2: cannot be started: MountVolume.SetUp failed for volume "keys" : secret "keys" not found`;
        const finding = { word: 'FailedMount', message, pods: [name], nodes: ['n2'] } as const;
        world.findings.set(set?.metadata.uid ?? '', finding);
      },
    ),
    state('a node does not fit any more', {
      sets: [first],
      pods: [
        ['n1', 0],
        ['n2', 0],
      ],
      nodes: [['n1'], ['n2', { taints: [{ key: 'out', effect: 'NoExecute' }] }]],
    }),
    state('a node is away', {
      sets: [first],
      pods: [
        ['n1', 0],
        ['n2', 0, { ready: false }],
      ],
      nodes: [['n1'], ['n2', { awaySince: example.ago(60) }]],
    }),
    state('a node with an outdated pod got a taint', {
      sets: [replicaSet(0), first],
      pods: [
        ['n1', 1],
        ['n2', 0],
      ],
      nodes: [['n1'], ['n2', { taints: [{ key: 'maintenance', effect: 'NoSchedule' }] }]],
    }),
    state('a canary runs', { ...trying, pods: onBoth }),
    state('a canary pod cannot start', {
      ...trying,
      pods: [
        ['n1', 1, { ready: false, waiting: 'ImagePullBackOff' }],
        ['n2', 0],
      ],
    }),
    state('a canary is well, and its time is over', { ...trying, pods: onBoth, laterMs: 2 * minute }),
    state('a person paused the canary', {
      ...trying,
      object: agent('agent:2', {
        strategy: canary,
        status: tried,
        annotations: { [annotations.canaryPaused]: 'true' },
      }),
      pods: onBoth,
    }),
    state('the nodeSelector of a canary cannot be read', {
      ...trying,
      object: agent('agent:2', {
        strategy: { canary: { ...canary.canary, nodeSelector: { matchExpressions: [noValues] } } },
        status: tried,
      }),
      pods: onBoth,
    }),
    state('a canary has fewer nodes than it asks for', {
      ...trying,
      object: agent('agent:2', {
        strategy: { canary: { ...canary.canary, replicas: 3 } },
        status: { canary: { replicaSet: 'agent-2', nodes: ['n1', 'n2'] } },
      }),
      pods: onBoth,
    }),
    state('a person is to validate the canary', {
      ...trying,
      object: agent('agent:2', {
        strategy: { canary: { validationMode: 'manual' } },
        status: tried,
      }),
      pods: onBoth,
    }),
    state('a person paused the rolling update', {
      object: agent('agent:2', { annotations: { [annotations.rollingUpdatePaused]: 'true' } }),
      sets: [first, second],
      pods: [
        ['n1', 1],
        ['n2', 0],
      ],
    }),
    state('a person froze the rollout', {
      object: agent('agent:2', { annotations: { [annotations.rolloutFrozen]: 'true' } }),
      sets: [first, second],
      pods: [['n1', 0]],
    }),
    state('a canary has failed', {
      ...trying,
      sets: [first, replicaSet(2, { conditions: failed })],
      pods: onBoth,
    }),
    state(
      'a canary has failed, and a policy refuses to put the template back',
      { ...trying, sets: [first, replicaSet(2, { conditions: failed })], pods: onBoth },
      (world) => {
        world.refuse = (operation) => {
          const isStatus = 'subresource' in operation && operation.subresource === 'status';
          return operation.resource.kind === extendedDaemonSets.kind && !isStatus ? heldInGit : undefined;
        };
      },
    ),
    state('a canary has failed, and the spec is to stay', {
      ...trying,
      object: agent('agent:2', {
        strategy: canary,
        status: tried,
        annotations: { [annotations.onCanaryFailure]: canaryFailurePolicies.hold },
      }),
      sets: [first, replicaSet(2, { conditions: failed })],
      pods: onBoth,
    }),
    state('the active replica set is gone, and the canary has failed', {
      object: agent('agent:2', { strategy: canary, status: { activeReplicaSet: 'agent-1' } }),
      sets: [replicaSet(2, { conditions: failed })],
      pods: [['n1', 0]],
    }),
    state('the active replica set is gone, and the canary is there', {
      ...trying,
      sets: [replicaSet(2, { conditions: isTried })],
      pods: [['n1', 0]],
    }),
    state('all replica sets were gone, and that of the template is made again', {
      ...trying,
      sets: [second],
      pods: [['n1', 0]],
    }),
    state('the name of the active replica set is lost, and either of two was active', {
      object: agent('agent:1', { strategy: canary, status: { activeReplicaSet: '' } }),
      sets: [0, 1].map((n) => replicaSet(n, { conditions: wasActive })),
      pods: [
        ['n1', 0],
        ['n2', 1],
      ],
    }),
    state('a canary has ended that was paused', {
      object: agent('agent:1', { strategy: canary, annotations: { [annotations.canaryPaused]: 'true' } }),
      sets: [first],
      pods: [
        ['n1', 0],
        ['n2', 0],
      ],
    }),
    state('the strategy cannot be carried out', {
      object: agent('agent:1', { strategy: { rollingUpdate: { maxUnavailable: '10$' } } }),
      sets: [first],
      pods: [
        ['n1', 0],
        ['n2', 0],
      ],
    }),
    state('the resources of a node change', {
      sets: [first],
      pods: [
        ['n1', 0],
        ['n2', 0],
      ],
      nodes: [['n1'], ['n2', { annotations: twoProcessors }]],
    }),
    state('the resources of a node cannot be read', {
      sets: [first],
      pods: [
        ['n1', 0],
        ['n2', 0],
      ],
      nodes: [
        ['n1'],
        ['n2', { annotations: { [nodeResourcesAnnotation('edge', 'agent', 'agent')]: 'much' } }],
      ],
    }),
    state('an annotation that is to freeze the rollout has another value', {
      object: example.agent('agent:1', { annotations: { [annotations.rolloutFrozen]: 'yes' } }),
      sets: [first],
      pods: [
        ['n1', 0],
        ['n2', 0],
      ],
    }),
    ofSetting('a setting is used', 'newer'),
    ofSetting('a setting selects a node that a newer one selects', 'older'),
    ofSetting('a setting names an object that does not exist', 'newer', { object: undefined }),
    ofSetting('a setting names a container that the template does not have', 'newer', {
      containers: [{ name: 'agnet' }],
    }),
    state(
      'a setting of some nodes cannot be read',
      {
        object: agent('agent:2'),
        sets: [first],
        pods: [
          ['n1', 0],
          ['n2', 0],
        ],
        nodes: [['n1', { labels: { size: 'large' } }], ['n2']],
      },
      (world) => {
        const reference = { kind: 'ExtendedDaemonSet', name: key.name };
        const containers = { agent: {} } as unknown as readonly { readonly name: string }[];
        const spec = { reference, nodeSelector: { matchLabels: { size: 'large' } }, containers };
        world.put(extendedDaemonsetSettings, { metadata: { ...key, name: 'large' }, spec });
      },
    ),
    state(
      'a setting was deleted a moment ago',
      {
        sets: [first],
        pods: [
          ['n1', 0],
          ['n2', 0],
        ],
      },
      madeWithLarge,
    ),
    state(
      'the definition of ExtendedDaemonsetSettings was deleted, with all settings',
      {
        sets: [first],
        pods: [
          ['n1', 0],
          ['n2', 0],
        ],
      },
      (world) => {
        madeWithLarge(world);
        world.end(definitions, { name: definitionName(extendedDaemonsetSettings) });
      },
    ),
    state('the selector is changed without the template', {
      object: agent('agent:1', { selector: { matchLabels: { zone: 'north' } } }),
      sets: [first],
      pods: [
        ['n1', 0],
        ['n2', 0],
      ],
    }),
    state(
      'the DaemonSet that it replaces is there',
      {
        object: agent('agent:1', { annotations: { [annotations.oldDaemonSet]: 'legacy' } }),
        sets: [first],
        pods: [],
      },
      (world) => {
        const template = example.template('agent:0');
        world.put(daemonSets, {
          metadata: { namespace: 'edge', name: 'legacy' },
          spec: { selector: {}, template },
        });
      },
    ),
    state(
      'an older object is to replace the same DaemonSet',
      {
        object: agent('agent:1', { annotations: { [annotations.oldDaemonSet]: 'legacy' } }),
        sets: [first],
        pods: [],
      },
      (world) => {
        const { metadata, ...rest } = withoutIdentity(agent('agent:1'));
        const { oldDaemonSet } = annotations;
        const named = { name: 'agent-before', annotations: { [oldDaemonSet]: 'legacy' } };
        world.now -= minute;
        world.put(extendedDaemonSets, { ...rest, metadata: { ...metadata, ...named } });
        world.now += minute;
        world.put(daemonSets, {
          metadata: { namespace: 'edge', name: 'legacy' },
          spec: { selector: {}, template: example.template('agent:0') },
        });
      },
    ),
    state(
      'it was made again, and a replica set under a name of somebody else has pods',
      {
        sets: [first],
        pods: [
          ['n1', 0],
          ['n2', 0],
        ],
      },
      (world) => {
        const at = { namespace: 'edge', name: first.metadata.name };
        world.edit(extendedDaemonSetReplicaSets, at, ({ metadata, ...found }) => {
          const { ownerReferences: _, ...others } = metadata;
          return { ...found, metadata: others };
        });
      },
    ),
    state('the old operator serves it', { sets: [first] }, (world) => {
      const at = { namespace: 'edge', name: first.metadata.name };
      const time = new Date(world.now).toISOString();
      const entry = {
        manager: oldExtendedDaemonSetManager,
        operation: 'Update',
        subresource: 'status',
        time,
      } as const;
      world.edit(extendedDaemonSetReplicaSets, at, (found) => ({
        ...found,
        metadata: { ...found.metadata, managedFields: [entry] },
      }));
    }),
  ];
}

interface ForSettings {
  readonly object: Stored<ExtendedDaemonSet> | undefined;
  readonly containers: readonly { readonly name: string }[];
}

/** The pod of n1 was made with the setting `large`, which is gone. */
function madeWithLarge(world: FreshWorld): void {
  world.edit(pods, { ...key, name: 'agent-1-n1' }, ({ metadata, ...pod }) => {
    const found = { ...metadata.labels, [labels.settingName]: 'large' };
    const noted = { ...metadata.annotations, [annotations.overridesHash]: 'of-large' };
    return { ...pod, metadata: { ...metadata, labels: found, annotations: noted } };
  });
}

/** What one of two settings shows that select the same nodes. */
function ofSetting(title: string, name: 'older' | 'newer', given: Partial<ForSettings> = {}): string {
  const { object, containers }: ForSettings = { object: example.agent('agent:1'), containers: [], ...given };
  const world = new FreshWorld();
  if (object !== undefined) world.put(extendedDaemonSets, withoutIdentity(object));
  for (const each of ['older', 'newer']) {
    const reference = { kind: 'ExtendedDaemonSet', name: key.name };
    const metadata = { ...key, name: each };
    world.put(extendedDaemonsetSettings, { metadata, spec: { reference, nodeSelector: {}, containers } });
    world.now += minute;
  }
  world.put(nodes, withoutIdentity(example.node('n1')));
  const controller = createExtendedDaemonSetController(world.readers, 'auto', world.findings);
  const shown = [extendedDaemonsetSettings as Resource<KubeObject>, { ...key, name }] as const;
  return describeState({ title, world, controller, key: 'edge/agent', object: shown });
}

function state(title: string, given: Given, act: (world: FreshWorld) => void = () => undefined): string {
  const {
    object = example.agent('agent:1'),
    sets = [],
    pods: there = [],
    nodes: fleet = [['n1'], ['n2']],
  } = given;
  const world = new FreshWorld();
  const owner = world.put(extendedDaemonSets, withoutIdentity(object));
  const made = sets.map((each) => {
    const { metadata, ...rest } = withoutIdentity(each);
    const ownerReferences = [ownerReference({ resource: extendedDaemonSets, object: owner })];
    return world.put(extendedDaemonSetReplicaSets, { ...rest, metadata: { ...metadata, ownerReferences } });
  });
  for (const [node, index, shape] of there) {
    const of = made[index];
    if (of === undefined) throw new Error(`${title}: there is no replica set ${index}`);
    const { metadata, ...rest } = withoutIdentity(example.podOn(node, of, shape));
    const found = { [labels.name]: key.name, [labels.replicaSet]: of.metadata.name };
    world.put(pods, { ...rest, metadata: { ...metadata, labels: found } });
  }
  for (const args of fleet) world.put(nodes, withoutIdentity(example.node(...args)));
  act(world);
  world.now += given.laterMs ?? 0;
  const controller = createExtendedDaemonSetController(world.readers, 'auto', world.findings);
  const shown = [extendedDaemonSets as Resource<KubeObject>, key] as const;
  return describeState({ title, world, controller, key: 'edge/agent', object: shown });
}
