import { daemonSetUpdate } from '@atoll/api';
import { daemonSets } from '@atoll/kube';
import type { ControllerRevision, DaemonSet, Node, Pod, Stored, Taint } from '@atoll/kube';
import type { LatestTemplate } from './nodes/pod-revision.ts';
import type { DaemonSetSnapshot } from './observe.ts';

const { annotations, daemonSetConditions, podLabels } = daemonSetUpdate;

export const now = Date.parse('2026-01-01T01:00:00Z');
const earlier = '2026-01-01T00:00:00Z';
const aSecondLater = '2026-01-01T00:00:01Z';

function stored(name: string, uid = `uid-${name}`): Stored<Pod>['metadata'] {
  return { name, namespace: 'edge', uid, resourceVersion: '1', creationTimestamp: earlier };
}

/** A DaemonSet that rolls, of template generation 2, whose newest revision is `new`. */
export function agent(asked: Readonly<Record<string, string>> = {}, spec: object = {}): Stored<DaemonSet> {
  return {
    metadata: {
      ...stored('agent'),
      generation: 2,
      annotations: {
        [annotations.updateStrategy]: 'AdvancedRollingUpdate',
        [annotations.maxUnavailable]: '1',
        [annotations.templateGeneration]: '2',
        ...asked,
      },
    },
    spec: {
      selector: {},
      updateStrategy: { type: 'OnDelete' },
      template: { spec: { containers: [] } },
      ...spec,
    },
    status: {
      observedGeneration: 2,
      currentNumberScheduled: 0,
      desiredNumberScheduled: 0,
      numberMisscheduled: 0,
      numberReady: 0,
    },
  };
}

/** As it is when its own condition shows that it is served. */
export function recorded(object: Stored<DaemonSet>): Stored<DaemonSet> {
  const conditions = [{ type: daemonSetConditions.upToDate, status: 'False' }];
  return { ...object, status: { ...object.status, conditions } as NonNullable<typeof object.status> };
}

/** Made after the DaemonSet, so that it is its own. */
export function revision(hash: string, number: number): Stored<ControllerRevision> {
  const labels = { [podLabels.controllerRevisionHash]: hash };
  const metadata = { ...stored(`agent-${hash}`), creationTimestamp: aSecondLater };
  return { metadata: { ...metadata, labels }, revision: number };
}

/** Of the DaemonSet with its newest revision. */
export const latest: LatestTemplate = {
  hash: 'new',
  generation: 2,
  isCertain: true,
  countedSince: undefined,
  hashes: new Set(['new']),
  others: new Set<string>(),
};

export interface PodShape {
  readonly hash?: string;
  readonly generation?: number;
  readonly ready?: boolean;
  readonly ending?: boolean;
  /** When it became ready, or ceased to be. */
  readonly since?: string;
  readonly startTime?: string;
  readonly created?: string;
}

/** A pod of the old revision that is ready. */
export function podOn(node: string, shape: PodShape = {}): Stored<Pod> {
  const {
    hash = 'old',
    generation = 1,
    ready = true,
    ending = false,
    since = earlier,
    startTime,
    created,
  } = shape;
  return {
    metadata: {
      ...stored(`agent-${node}-${hash}`),
      labels: {
        [podLabels.controllerRevisionHash]: hash,
        [podLabels.templateGeneration]: String(generation),
      },
      ...(created === undefined ? {} : { creationTimestamp: created }),
      ...(ending ? { deletionTimestamp: new Date(now).toISOString() } : {}),
    },
    spec: { nodeName: node, containers: [] },
    status: {
      phase: 'Running',
      ...(startTime === undefined ? {} : { startTime }),
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: since }],
    },
  };
}

export const upgraded: PodShape = { hash: 'new', generation: 2 };

export function node(
  name: string,
  {
    labels = {},
    awaySince,
    taints: more = [],
  }: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly awaySince?: string;
    readonly taints?: readonly Taint[];
  } = {},
): Stored<Node> {
  const status = awaySince === undefined ? 'True' : 'Unknown';
  const taints =
    awaySince === undefined
      ? []
      : (['NoSchedule', 'NoExecute'] as const).map((effect) => ({
          key: 'node.kubernetes.io/unreachable',
          effect,
          timeAdded: awaySince,
        }));
  const { namespace: _, ...metadata } = stored(name);
  return {
    metadata: { ...metadata, labels },
    spec: { taints: [...taints, ...more] },
    status: { conditions: [{ type: 'Ready', status, lastTransitionTime: awaySince ?? earlier }] },
  };
}

export function snapshotOf(
  change: Partial<DaemonSetSnapshot> & { readonly object?: Stored<DaemonSet> },
): DaemonSetSnapshot {
  const { object = agent(), ...more } = change;
  return {
    owner: { resource: daemonSets, object },
    certain: true,
    history: [revision('old', 1), revision('new', 2)],
    pods: [],
    nodes: [],
    yurtManagers: [],
    finding: undefined,
    refused: new Map(),
    ...more,
  };
}
