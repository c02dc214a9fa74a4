import {
  extendedDaemonSetAnnotations as annotations,
  extendedDaemonSetReplicaSets,
  extendedDaemonSets,
  extendedDaemonsetSettings,
  replicaSetConditions as types,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetReplicaSet,
  type ExtendedDaemonSetStatus,
  type ExtendedDaemonsetSetting,
} from '@atoll/api';
import { definitionName, formatKey } from '@atoll/kube';
import type {
  KubeObject,
  Node,
  Pod,
  PodTemplate,
  PodTemplateSpec,
  Reader,
  Resource,
  Stored,
} from '@atoll/kube';
import { ownerReference } from '../children/ownership/owner.ts';
import type { ExtendedDaemonSetSnapshot } from './observe.ts';
import { podTemplateStep } from './steps/pod-template-step.ts';
import { emptyStatus as emptyReplicaSetStatus } from './report/replica-set-status.ts';
import { emptyStatus } from './report/object-status.ts';

export const now = Date.parse('2026-01-01T01:00:00Z');
const earlier = '2026-01-01T00:00:00Z';

/** The moment so many seconds before {@link now}. */
export function ago(seconds: number): string {
  return new Date(now - 1000 * seconds).toISOString().replace('.000Z', 'Z');
}

function stored(name: string, created = earlier): Stored<Pod>['metadata'] {
  return { name, namespace: 'edge', uid: `uid-${name}`, resourceVersion: '1', creationTimestamp: created };
}

export function template(image: string): PodTemplateSpec {
  return { metadata: { labels: { app: 'agent' } }, spec: { containers: [{ name: 'agent', image }] } };
}

/** Without a canary, with all limits lifted but maxUnavailable 1. */
export function agent(
  image: string,
  over: {
    readonly strategy?: ExtendedDaemonSet['spec']['strategy'];
    readonly selector?: ExtendedDaemonSet['spec']['selector'];
    readonly annotations?: Readonly<Record<string, string>>;
    readonly status?: Partial<ExtendedDaemonSetStatus>;
  } = {},
): Stored<ExtendedDaemonSet> {
  const rollingUpdate = { slowStartIntervalDuration: '1ms', slowStartAdditiveIncrease: 250 };
  return {
    metadata: { ...stored('agent'), generation: 2, annotations: over.annotations ?? {} },
    spec: {
      ...(over.selector === undefined ? {} : { selector: over.selector }),
      template: template(image),
      strategy: { rollingUpdate, ...over.strategy },
    },
    status: { ...emptyStatus, activeReplicaSet: 'agent-1', ...over.status },
  };
}

/** `agent-<n>` with the image `agent:<n>`. */
export function replicaSet(
  n: number,
  over: {
    readonly created?: string;
    readonly conditions?: NonNullable<ExtendedDaemonSetReplicaSet['status']>['conditions'];
    readonly image?: string;
    readonly name?: string;
    readonly selector?: ExtendedDaemonSet['spec']['selector'];
  } = {},
): Stored<ExtendedDaemonSetReplicaSet> {
  const name = over.name ?? `agent-${n}`;
  return {
    metadata: {
      ...stored(name, over.created),
      ownerReferences: [ownerReference({ resource: extendedDaemonSets, object: agent('x') })],
      annotations: { [annotations.templateHash]: `hash-${n}` },
    },
    spec: {
      ...(over.selector === undefined ? {} : { selector: over.selector }),
      template: template(over.image ?? `agent:${n}`),
      templateGeneration: `hash-${n}`,
    },
    status: {
      ...emptyReplicaSetStatus,
      ...(over.conditions === undefined ? {} : { conditions: over.conditions }),
    },
  };
}

/** That settings with which its pods were made have been gone for so many seconds, in the conditions of the replica set. */
export function settingsGone(
  seconds: number,
): NonNullable<NonNullable<ExtendedDaemonSetReplicaSet['status']>['conditions']>[number] {
  const [lastTransitionTime, lastUpdateTime] = [ago(seconds), ago(seconds)];
  return { type: types.settingsGone, status: 'True', lastTransitionTime, lastUpdateTime };
}

export interface PodShape {
  readonly ready?: boolean;
  readonly ending?: boolean;
  readonly phase?: string;
  readonly created?: string;
  readonly bound?: boolean;
  readonly waiting?: string;
  readonly restarts?: number;
  readonly restartedAt?: string;
  readonly name?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A pod of a replica set that is ready. */
export function podOn(
  node: string,
  of: Stored<ExtendedDaemonSetReplicaSet>,
  shape: PodShape = {},
): Stored<Pod> {
  const {
    ready = true,
    ending = false,
    phase = 'Running',
    created,
    bound = true,
    waiting,
    restarts = 0,
  } = shape;
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node] }];
  const required = { nodeSelectorTerms: [{ matchFields }] };
  return {
    metadata: {
      ...stored(shape.name ?? `${of.metadata.name}-${node}`, created),
      annotations: { [annotations.overridesHash]: 'none', ...shape.annotations },
      ownerReferences: [ownerReference({ resource: extendedDaemonSetReplicaSets, object: of })],
      ...(ending ? { deletionTimestamp: ago(0), deletionGracePeriodSeconds: 30 } : {}),
    },
    spec: {
      ...(bound ? { nodeName: node } : {}),
      containers: [{ name: 'agent' }],
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
    },
    status: {
      phase,
      startTime: created ?? earlier,
      conditions: [
        { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: created ?? earlier },
      ],
      containerStatuses: [
        {
          name: 'agent',
          image: 'x',
          imageID: 'x',
          ready,
          restartCount: restarts,
          ...(waiting === undefined ? {} : { state: { waiting: { reason: waiting } } }),
          ...(restarts === 0
            ? {}
            : {
                lastState: {
                  terminated: { exitCode: 1, reason: 'Error', finishedAt: shape.restartedAt ?? ago(1) },
                },
              }),
        },
      ],
    },
  };
}

export function node(
  name: string,
  {
    labels = {},
    awaySince,
    taints = [],
    annotations: found = {},
  }: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly awaySince?: string;
    readonly taints?: NonNullable<NonNullable<Node['spec']>['taints']>;
    readonly annotations?: Readonly<Record<string, string>>;
  } = {},
): Stored<Node> {
  const status = awaySince === undefined ? 'True' : 'Unknown';
  const away =
    awaySince === undefined
      ? []
      : (['NoSchedule', 'NoExecute'] as const).map((effect) => ({
          key: 'node.kubernetes.io/unreachable',
          effect,
          timeAdded: awaySince,
        }));
  const { namespace: _, ...metadata } = stored(name);
  return {
    metadata: { ...metadata, labels, annotations: found },
    spec: { taints: [...taints, ...away] },
    status: { conditions: [{ type: 'Ready', status, lastTransitionTime: awaySince ?? earlier }] },
  };
}

export function nodesNamed(...names: readonly string[]): readonly Stored<Node>[] {
  return names.map((name) => node(name));
}

/** As a plan makes it. */
export function podTemplateOf(object: Stored<ExtendedDaemonSet>): Stored<PodTemplate> | undefined {
  const step = podTemplateStep(object, undefined);
  return step?.do === 'create'
    ? ({ ...step.object, metadata: { ...stored('agent'), ...step.object.metadata } } as Stored<PodTemplate>)
    : undefined;
}

export function snapshotOf(
  change: Partial<ExtendedDaemonSetSnapshot> & { readonly object?: Stored<ExtendedDaemonSet> },
): ExtendedDaemonSetSnapshot {
  const { object = agent('agent:1'), ...more } = change;
  return {
    owner: { resource: extendedDaemonSets, object },
    certain: true,
    replicaSets: [],
    pods: [],
    formerPods: [],
    orphans: [],
    formerPodTemplate: undefined,
    nodes: [],
    podTemplate: podTemplateOf(object),
    oldDaemonSet: undefined,
    settings: [],
    settingsOfOthers: [],
    definitionOfSettings,
    foreignWrites: { own: [], elsewhere: [] },
    validationMode: 'auto',
    findings: {},
    refused: new Map(),
    ...more,
  };
}

/** It is older than all pods. */
export const definitionOfSettings = {
  metadata: {
    ...stored(definitionName(extendedDaemonsetSettings), '2020-01-01T00:00:00Z'),
    namespace: undefined,
  },
  spec: {},
} as unknown as NonNullable<ExtendedDaemonSetSnapshot['definitionOfSettings']>;

/** A cache that holds these objects, with its indexes. */
export function filledCache<T extends KubeObject>(
  { resource, indexers }: { readonly resource: Resource<T>; readonly indexers: unknown },
  objects: readonly Stored<T>[],
): Reader<T> {
  const filed = indexers as Readonly<Record<string, (object: Stored<T>) => readonly string[]>>;
  return {
    resource,
    synced: true,
    get: (wanted) => objects.find(({ metadata }) => formatKey(metadata) === formatKey(wanted)),
    list: () => objects,
    by: (index, value) => objects.filter((each) => filed[index]?.(each).includes(value)),
  };
}

/** A setting of `agent` that selects the nodes with these labels, `age` seconds old. */
export function setting(
  name: string,
  over: {
    readonly cpu?: string | number;
    readonly of?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly age?: number;
  } = {},
): Stored<ExtendedDaemonsetSetting> {
  const { cpu = '1', of = 'agent', labels = {}, age = 100 } = over;
  return {
    metadata: {
      name,
      namespace: 'edge',
      uid: `uid-${name}`,
      resourceVersion: '1',
      creationTimestamp: ago(age),
      generation: 3,
    },
    spec: {
      reference: { kind: 'ExtendedDaemonset', name: of },
      nodeSelector: { matchLabels: labels },
      containers: [{ name: 'agent', resources: { requests: { cpu } } }],
    },
  };
}
