import { annotations, daemonSetUpdate, extendedDaemonSetAnnotations, labels } from '@atoll/api';
import { kinds, toStructural, type StructuralSchema } from '@atoll/api/schema';
import { daemonSets, type KubeObject, type Resource } from '@atoll/kube';
import { isManaged } from '../../src/daemon-set/is-managed.ts';
import type { JsonObject } from '../hostile.ts';
import { answerOf, withoutReady, type FuzzedKind } from './fuzzed-kind.ts';

/** Pools with this label are those that workloads of the run select. */
export const poolLabel = 'fuzz.example/pool';

/** What controllers read of the metadata. */
const metadata = {
  labels: mapWith(Object.values(labels)),
  annotations: mapWith([
    ...Object.values(annotations),
    ...Object.values(daemonSetUpdate.annotations),
    ...Object.values(extendedDaemonSetAnnotations),
  ]),
};

function mapWith(names: readonly string[]): StructuralSchema {
  const text = { type: 'string' } as const;
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, text])) };
}

/** A pod template with what controllers look at. */
function podTemplate(name: string): JsonObject {
  return {
    metadata: { labels: { app: name }, annotations: { 'example.com/a': 'b' } },
    spec: {
      nodeSelector: { 'kubernetes.io/os': 'linux' },
      tolerations: [{ key: 'example.com/a', operator: 'Exists', effect: 'NoSchedule' }],
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'example.com/x', operator: 'DoesNotExist' }] }],
          },
        },
      },
      containers: [
        {
          name: 'web',
          image: 'web:0',
          env: [{ name: 'A', value: 'b' }],
          resources: { limits: { cpu: '100m' }, requests: { cpu: '1m', memory: '1Mi' } },
        },
      ],
    },
  };
}

function workloadTemplate(name: string, numbers: JsonObject): JsonObject {
  const app = { app: name };
  const spec = { ...numbers, selector: { matchLabels: app }, template: podTemplate(name) };
  return { deploymentTemplate: { metadata: { labels: app }, spec } };
}

const poolWorkload = (name: string): JsonObject => ({
  labels: { app: name },
  annotations: {},
  spec: {
    selector: { matchLabels: { app: name } },
    nodepoolSelector: { matchLabels: { [poolLabel]: 'yes' } },
    revisionHistoryLimit: 5,
    workloadTemplate: workloadTemplate(name, { replicas: 1 }),
  },
});

/** By kind, an object that is served. */
const validByKind: Readonly<Record<string, (name: string) => JsonObject>> = {
  NodePool: () => ({
    labels: { [poolLabel]: 'no' },
    annotations: {},
    spec: {
      type: 'Edge',
      labels: { 'example.com/a': 'b' },
      annotations: { 'example.com/c': 'd' },
      taints: [{ key: 'example.com/a', value: 'b', effect: 'NoSchedule' }],
    },
  }),
  UnitedDaemonSet: poolWorkload,
  YurtAppDaemon: poolWorkload,
  UnitedDeployment: (name) => ({
    labels: { app: name },
    annotations: {},
    spec: {
      replicas: 3,
      revisionHistoryLimit: 5,
      selector: { matchLabels: { app: name } },
      template: workloadTemplate(name, {}),
      updateStrategy: { type: 'Manual', manualUpdate: { partitions: { a: 0 } } },
      topology: {
        scheduleStrategy: { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: 30 } },
        subsets: ['a', 'b'].map((subset) => ({
          name: subset,
          ...(subset === 'a' ? { maxReplicas: 2 } : {}),
          nodeSelectorTerm: { matchExpressions: [{ key: 'node', operator: 'In', values: [subset] }] },
          tolerations: [{ key: 'example.com/b', operator: 'Exists' }],
          patch: { metadata: { annotations: { 'example.com/subset': subset } } },
        })),
      },
    },
  }),
  ExtendedDaemonSet: (name) => ({
    labels: { app: name },
    annotations: {},
    spec: {
      strategy: {
        reconcileFrequency: '1s',
        rollingUpdate: { maxUnavailable: 1, slowStartIntervalDuration: '1s', slowStartAdditiveIncrease: 1 },
        canary: { replicas: 1, duration: '1s', noRestartsDuration: '0s' },
      },
      template: podTemplate(name),
    },
  }),
  ExtendedDaemonSetReplicaSet: (name) => ({
    labels: { app: name },
    annotations: {},
    spec: { templateGeneration: 'x', template: podTemplate(name) },
  }),
  ExtendedDaemonsetSetting: (name) => ({
    labels: { app: name },
    annotations: {},
    spec: {
      reference: { kind: 'ExtendedDaemonSet', name },
      nodeSelector: { matchLabels: { 'kubernetes.io/os': 'linux' } },
      containers: [{ name: 'web', resources: { requests: { cpu: '2m' } }, env: [{ name: 'A', value: 'c' }] }],
    },
  }),
};

const { daemonSetConditions } = daemonSetUpdate;

const fuzzedDaemonSet: FuzzedKind = {
  resource: daemonSets as Resource<KubeObject>,
  valid: (name) => ({
    labels: { app: name },
    annotations: {
      [daemonSetUpdate.annotations.updateStrategy]: 'AdvancedRollingUpdate',
      [daemonSetUpdate.annotations.maxUnavailable]: '1',
    },
    spec: {
      selector: { matchLabels: { app: name } },
      updateStrategy: { type: 'OnDelete' },
      template: podTemplate(name),
    },
  }),
  schema: { type: 'object', properties: metadata },
  unanswered: (object) =>
    isManaged(object) &&
    answerOf(object).conditions?.some(({ type }) => type === daemonSetConditions.upToDate) !== true
      ? `has no condition ${daemonSetConditions.upToDate}`
      : undefined,
};

/** What has an operator's answer in another place than in Ready. */
const unansweredByKind: Readonly<Record<string, FuzzedKind['unanswered']>> = {
  // Made by the operator alone: one of somebody else belongs to nobody, and is left alone.
  ExtendedDaemonSetReplicaSet: () => undefined,
  // What the old operator wrote, and the condition beside it.
  ExtendedDaemonsetSetting: (object) =>
    answerOf(object).status === undefined ? 'has neither status valid nor error' : withoutReady(object),
};

export const fuzzedKinds: readonly FuzzedKind[] = [
  ...kinds.map(({ resource, spec }): FuzzedKind => {
    const valid = validByKind[resource.kind];
    if (valid === undefined) throw new Error(`There is no ${resource.kind} to begin with.`);
    const properties = { ...metadata, spec: toStructural(spec, `${resource.kind}.spec`) };
    return {
      resource,
      valid,
      schema: { type: 'object', properties },
      unanswered: unansweredByKind[resource.kind] ?? withoutReady,
    };
  }),
  fuzzedDaemonSet,
];
