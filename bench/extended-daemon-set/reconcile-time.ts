import { extendedDaemonSetLabels, extendedDaemonSets } from '@atoll/api';
import type { ExtendedDaemonSet, ExtendedDaemonSetReplicaSet } from '@atoll/api';
import type { Node, Pod, Stored } from '@atoll/kube';
import { decide } from '../../packages/operator/src/extended-daemon-set/decide.ts';
import { renderPod } from '../../packages/operator/src/extended-daemon-set/fleet/render-pod.ts';
import type { ExtendedDaemonSetSnapshot } from '../../packages/operator/src/extended-daemon-set/observe.ts';
import { noOverrides } from '../../packages/operator/src/extended-daemon-set/overrides/pod-overrides.ts';
import { plan } from '../../packages/operator/src/extended-daemon-set/plan.ts';
import { renderReplicaSet } from '../../packages/operator/src/extended-daemon-set/replica-sets/render-replica-set.ts';
import { report } from '../../packages/operator/src/extended-daemon-set/report.ts';
import { podSpec } from '../rollout/pod-spec.ts';

const now = Date.UTC(2026, 0, 1, 1);
const earlier = '2026-01-01T00:00:00Z';

/** Milliseconds that one reconcile (decide, plan, report) takes in the middle of a rollout over so many nodes: the least of 30. */
export function reconcileTime(count: number): number {
  const snapshot = snapshotOf(count);
  const taken = Array.from({ length: 30 }, () => {
    const startedAt = performance.now();
    const decision = decide(snapshot, now);
    plan(snapshot, decision, now);
    report(snapshot, decision, { results: [] }, now);
    return performance.now() - startedAt;
  });
  return Math.min(...taken);
}

function snapshotOf(count: number): ExtendedDaemonSetSnapshot {
  const [first, second] = [objectWith('agent:1'), objectWith('agent:2')];
  const [old, current] = [replicaSetOf(first, 'old'), replicaSetOf(second, 'current')];
  const object = {
    ...second,
    status: { ...second.status, activeReplicaSet: current.metadata.name },
  } as typeof second;
  const nodes = Array.from({ length: count }, (_, index) => nodeNamed(`node-${index}`));
  const pods = nodes.map(({ metadata: { name } }, index) =>
    podOf(object, index % 2 === 0 ? old : current, name),
  );
  return {
    owner: { resource: extendedDaemonSets, object },
    certain: true,
    replicaSets: [old, current],
    pods,
    formerPods: [],
    orphans: [],
    formerPodTemplate: undefined,
    podTemplate: undefined,
    nodes,
    oldDaemonSet: undefined,
    settings: [],
    settingsOfOthers: [],
    definitionOfSettings: undefined,
    foreignWrites: { own: [], elsewhere: [] },
    validationMode: 'auto',
    findings: {},
    refused: new Map(),
  };
}

function stored(name: string): Stored<Pod>['metadata'] {
  return { namespace: 'bench', name, uid: `uid-${name}`, resourceVersion: '1', creationTimestamp: earlier };
}

function objectWith(image: string): Stored<ExtendedDaemonSet> {
  const [container] = podSpec.containers;
  return {
    metadata: { ...stored('agent'), generation: 1 },
    spec: {
      template: {
        metadata: { labels: { app: 'agent' } },
        spec: { ...podSpec, containers: [{ ...container, name: 'agent', image }] },
      },
      strategy: {
        reconcileFrequency: '1s',
        rollingUpdate: {
          maxUnavailable: '10%',
          slowStartIntervalDuration: '1ms',
          slowStartAdditiveIncrease: 5000,
        },
      },
    },
  } as Stored<ExtendedDaemonSet>;
}

function replicaSetOf(object: Stored<ExtendedDaemonSet>, name: string): Stored<ExtendedDaemonSetReplicaSet> {
  const rendered = renderReplicaSet(object);
  return { ...rendered, metadata: { ...rendered.metadata, ...stored(`agent-${name}`) } };
}

function podOf(
  object: Stored<ExtendedDaemonSet>,
  replicaSet: Stored<ExtendedDaemonSetReplicaSet>,
  node: string,
): Stored<Pod> {
  const overrides = {
    containers: new Map(),
    initContainers: new Map(),
    setting: undefined,
    nodeHash: undefined,
    hash: noOverrides,
    problems: [],
    unknown: [],
  };
  const made = renderPod({ object, replicaSet, node, overrides, isCanary: false, failures: 0 });
  return {
    ...made,
    metadata: {
      ...made.metadata,
      ...stored(made.metadata.name),
      labels: { ...made.metadata.labels, [extendedDaemonSetLabels.name]: 'agent' },
    },
    spec: { ...made.spec, nodeName: node },
    status: {
      phase: 'Running',
      startTime: earlier,
      conditions: ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
        type,
        status: 'True',
        lastTransitionTime: earlier,
      })),
      containerStatuses: [
        {
          name: 'agent',
          image: 'agent',
          imageID: 'agent',
          ready: true,
          restartCount: 0,
          state: { running: { startedAt: earlier } },
        },
      ],
    },
  } as Stored<Pod>;
}

function nodeNamed(name: string): Stored<Node> {
  const { namespace: _, ...metadata } = stored(name);
  const labels = {
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'amd64',
    'topology.kubernetes.io/zone': 'a',
  };
  const conditions = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({
    type,
    status: type === 'Ready' ? 'True' : 'False',
    lastTransitionTime: earlier,
  }));
  return {
    metadata: { ...metadata, labels, annotations: {} },
    status: { conditions },
  } as unknown as Stored<Node>;
}
