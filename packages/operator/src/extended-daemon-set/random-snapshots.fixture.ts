import {
  extendedDaemonSetAnnotations as annotations,
  extendedDaemonSetLabels as labels,
  nodeResourcesAnnotation,
  replicaSetConditions as types,
  type ExtendedDaemonSetReplicaSet,
  type ExtendedDaemonsetSetting,
} from '@atoll/api';
import type { Node, Pod, Stored } from '@atoll/kube';
import fc from 'fast-check';
import {
  agent,
  ago,
  definitionOfSettings,
  node,
  podOn,
  replicaSet,
  setting,
  settingsGone,
  snapshotOf,
  type PodShape,
} from './extended-daemon-set.fixture.ts';
import type { ExtendedDaemonSetSnapshot } from './observe.ts';

/** What is usual is named more often than what is not: most objects would have something to do, and few were at rest. */
const seconds = fc.constantFrom(1, 8, 45, 200, 590, 900, 4000);

/** What a pod is like, by a word. */
const podShapes = {
  ready: {},
  starting: { ready: false },
  broken: { ready: false, waiting: 'CrashLoopBackOff', restarts: 9 },
  ending: { ending: true },
  stuck: { ending: true, ready: false },
  failed: { phase: 'Failed', ready: false },
  succeeded: { phase: 'Succeeded', ready: false },
  unschedulable: { phase: 'Pending', ready: false, bound: false },
  unseen: { phase: 'Pending', ready: false, bound: false },
} as const satisfies Readonly<Record<string, PodShape>>;

type PodWord = keyof typeof podShapes;

const ready: readonly PodWord[] = ['ready', 'ready', 'ready', 'ready'];
const somePod = fc.record({
  of: fc.constantFrom(1, 1, 1, 1, 2, 0),
  is: fc.constantFrom(...ready, ...(Object.keys(podShapes) as PodWord[])),
  age: seconds,
  failures: fc.constantFrom('0', '3'),
  overridesHash: fc.constantFrom('none', 'none', 'none', 'none', 'others', undefined),
  setting: fc.constantFrom(undefined, undefined, undefined, 'wide'),
});

const taint = (key: string, effect: string) => ({ taints: [{ key, effect }] });
const resources = (text: string) => ({
  annotations: { [nodeResourcesAnnotation('edge', 'agent', 'agent')]: text },
});
const nodeShapes = {
  there: {},
  cordoned: taint('node.kubernetes.io/unschedulable', 'NoSchedule'),
  tainted: taint('dedicated', 'NoSchedule'),
  unfit: taint('dedicated', 'NoExecute'),
  annotated: resources('{"requests":{"cpu":"1"}}'),
  misread: resources('{'),
} as const satisfies Readonly<Record<string, Parameters<typeof node>[1]>>;

const someNode = fc.record({
  is: fc.constantFrom(
    ...(['there', 'there', 'there', 'away', 'ending', 'gone'] as const),
    ...(Object.keys(nodeShapes) as (keyof typeof nodeShapes)[]),
  ),
  awayFor: seconds,
  pods: fc.oneof(
    { weight: 4, arbitrary: fc.array(somePod, { minLength: 1, maxLength: 1 }) },
    { weight: 1, arbitrary: fc.array(somePod, { maxLength: 3 }) },
  ),
});

const usualSets: readonly (readonly number[])[] = [[1], [1, 2], [0, 1, 2]];
/** One that nothing runs is deleted, so that few objects with several of them are at rest. */
const someSets: fc.Arbitrary<readonly number[]> = fc.oneof(
  fc.constantFrom(...usualSets),
  fc.subarray([0, 1, 2, 3], { minLength: 1 }),
);

/** An object of whatever sort with its pods on whatever nodes. The template of the spec is `agent:<spec>`. */
export const anyFleet = fc.record({
  nodes: fc.array(someNode, { maxLength: 3 }),
  spec: fc.constantFrom(1, 1, 1, 1, 1, 2, 2, 3),
  active: fc.constantFrom('agent-1', 'agent-1', 'agent-1', 'agent-1', 'agent-1', 'agent-2', '', 'lost'),
  replicaSets: someSets,
  canary: fc.constantFrom(
    undefined,
    undefined,
    { duration: '1m' },
    { validationMode: 'manual' as const },
    { duration: '10h', replicas: '50%' },
    { replicas: 0 },
    { nodeSelector: { matchLabels: { zone: 'none' } } },
  ),
  canaryNodes: fc.constantFrom(undefined, [], ['n0'], ['n1', 'n0']),
  canaryWas: fc.constantFrom('running', 'running', 'failed', 'paused', 'active'),
  marks: fc.subarray(
    [
      annotations.canaryPaused,
      annotations.canaryUnpaused,
      annotations.canaryValid,
      annotations.onCanaryFailure,
      annotations.rollingUpdatePaused,
      annotations.rolloutFrozen,
    ],
    { maxLength: 2 },
  ),
  maxUnavailable: fc.constantFrom(1, 1, 2, '50%', '10$', 0),
  maxPodSchedulerFailure: fc.constantFrom(0, 1, '100%'),
  maxParallelPodCreation: fc.constantFrom(250, 1, 0),
  startsSlowly: fc.boolean(),
  settings: fc.constantFrom('none', 'none', 'none', 'none', 'one', 'conflict', 'unusable'),
  goneSince: fc.constantFrom(undefined, 5, 300),
  definition: fc.constantFrom('old', 'old', 'old', 'new', 'going', 'gone'),
  selector: fc.constantFrom(undefined, undefined, undefined, { matchLabels: { app: 'agent' } }),
  batchAt: fc.constantFrom(undefined, 1, 300),
});

export type AnyFleet = typeof anyFleet extends fc.Arbitrary<infer T> ? T : never;

export function snapshotOfFleet(fleet: AnyFleet): ExtendedDaemonSetSnapshot {
  const sets = replicaSetsOf(fleet);
  const values: Readonly<Record<string, string>> = {
    [annotations.canaryValid]: 'agent-2',
    [annotations.onCanaryFailure]: 'hold',
  };
  const { canary, canaryNodes, selector, startsSlowly } = fleet;
  const { maxUnavailable, maxPodSchedulerFailure, maxParallelPodCreation } = fleet;
  const object = agent(`agent:${fleet.spec}`, {
    strategy: {
      rollingUpdate: {
        maxUnavailable,
        maxPodSchedulerFailure,
        maxParallelPodCreation,
        ...(startsSlowly ? {} : { slowStartIntervalDuration: '1ms', slowStartAdditiveIncrease: 250 }),
      },
      ...(canary === undefined ? {} : { canary }),
    },
    ...(selector === undefined ? {} : { selector }),
    annotations: Object.fromEntries(fleet.marks.map((name) => [name, values[name] ?? 'true'])),
    status: {
      activeReplicaSet: fleet.active,
      ...(canaryNodes === undefined ? {} : { canary: { replicaSet: 'agent-2', nodes: canaryNodes } }),
    },
  });
  return snapshotOf({
    object,
    replicaSets: sets,
    nodes: fleet.nodes.flatMap(nodeOf),
    pods: fleet.nodes.flatMap(({ pods }, index) =>
      pods.flatMap((pod, place) => podsOf(pod, `n${index}`, `pod-${index}-${place}`, sets)),
    ),
    settings: settingsOf(fleet.settings),
    definitionOfSettings: definitionIn(fleet),
  });
}

function replicaSetsOf({ replicaSets, canaryWas, canaryNodes, batchAt, goneSince }: AnyFleet) {
  const at = (type: string, status: 'True' | 'False', since = 600) => ({
    type,
    status,
    reason: 'Error',
    lastTransitionTime: ago(since),
    lastUpdateTime: ago(since),
  });
  const ofCanary = {
    running: [],
    failed: [at(types.canaryFailed, 'True')],
    paused: [at(types.canaryPaused, 'True')],
    active: [at(types.active, 'False')],
  } as const;
  return replicaSets.map((n) =>
    replicaSet(n, {
      created: ago(1000 - n),
      conditions: [
        ...(n === 1 ? [at(types.active, 'True')] : []),
        ...(n === 2 ? ofCanary[canaryWas] : []),
        ...(n === 2 && canaryNodes !== undefined ? [at(types.canary, 'True')] : []),
        ...(batchAt === undefined ? [] : [at(types.podDeletion, 'True', batchAt)]),
        ...(goneSince === undefined ? [] : [settingsGone(goneSince)]),
      ],
    }),
  );
}

function nodeOf({ is, awayFor }: AnyFleet['nodes'][number], index: number): readonly Stored<Node>[] {
  if (is === 'gone') return [];
  const name = `n${index}`;
  if (is === 'away') return [node(name, { awaySince: ago(awayFor) })];
  if (is !== 'ending') return [node(name, nodeShapes[is])];
  const { metadata, ...rest } = node(name);
  return [{ ...rest, metadata: { ...metadata, deletionTimestamp: ago(1) } }];
}

/** None where there is no such replica set. */
function podsOf(
  { of, is, age, failures, overridesHash, setting: ofSetting }: AnyFleet['nodes'][number]['pods'][number],
  on: string,
  name: string,
  sets: readonly Stored<ExtendedDaemonSetReplicaSet>[],
): readonly Stored<Pod>[] {
  const set = sets.find(({ metadata }) => metadata.name === `agent-${of}`);
  if (set === undefined) return [];
  const { metadata, status, ...rest } = podOn(on, set, { ...podShapes[is], name, created: ago(age) });
  const unscheduled = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'Unschedulable',
    message: '0/3 nodes',
  };
  const conditions = { unschedulable: [unscheduled], unseen: [] };
  return [
    {
      ...rest,
      metadata: {
        ...metadata,
        labels: {
          [labels.name]: 'agent',
          ...(ofSetting === undefined ? {} : { [labels.settingName]: ofSetting }),
        },
        annotations: {
          [annotations.failedPods]: failures,
          ...(overridesHash === undefined ? {} : { [annotations.overridesHash]: overridesHash }),
        },
        ...(is === 'stuck' ? { deletionTimestamp: ago(age) } : {}),
      },
      status:
        is === 'unschedulable' || is === 'unseen' ? { ...status, conditions: conditions[is] } : { ...status },
    },
  ];
}

/** The one that is new is younger than all pods. */
function definitionIn({ definition }: AnyFleet): ExtendedDaemonSetSnapshot['definitionOfSettings'] {
  const { metadata, ...rest } = definitionOfSettings;
  if (definition === 'gone') return undefined;
  if (definition === 'old') return definitionOfSettings;
  const times = definition === 'new' ? { creationTimestamp: ago(0) } : { deletionTimestamp: ago(0) };
  return { ...rest, metadata: { ...metadata, ...times } };
}

function settingsOf(are: AnyFleet['settings']): readonly Stored<ExtendedDaemonsetSetting>[] {
  if (are === 'none') return [];
  const wide = setting('wide', { cpu: are === 'unusable' ? 'much' : '1' });
  return are === 'conflict' ? [wide, setting('newer', { age: 50 })] : [wide];
}
