import type { CanaryStrategy, ExtendedDaemonSetStatus } from '@atoll/api';
import type { ContainerStatus } from '@atoll/kube';
import { decide } from '../decide.ts';
import {
  agent,
  ago,
  nodesNamed,
  now,
  podOn,
  replicaSet,
  snapshotOf,
  type PodShape,
} from '../extended-daemon-set.fixture.ts';
import type { ExtendedDaemonSetSnapshot } from '../observe.ts';
import { plan } from '../plan.ts';
import { report } from '../report.ts';

export const active = replicaSet(1);
export const tried = replicaSet(2, { created: ago(700) });
export const nodes = nodesNamed('a', 'b', 'c');
export const nothingDone = { results: [] };

export interface Given extends Partial<ExtendedDaemonSetSnapshot> {
  readonly canary?: CanaryStrategy;
  readonly annotations?: Readonly<Record<string, string>>;
  /** null: none is recorded; otherwise node a of `agent:2`. */
  readonly recorded?: { readonly replicaSet: string; readonly nodes: readonly string[] } | null;
  /** The active replica set, as the status names it. */
  readonly recordedActive?: string;
  readonly image?: string;
  /** Of the object, as a status before shows them. */
  readonly conditions?: ExtendedDaemonSetStatus['conditions'];
  /** When it is decided and reported. */
  readonly at?: number;
}

export const onNodeA = { replicaSet: 'agent-2', nodes: ['a'] };

/** `agent:2` is tried on node a; all nodes are ready. */
export function trying({
  canary = {},
  annotations = {},
  recorded = onNodeA,
  recordedActive = 'agent-1',
  image = 'agent:2',
  conditions,
  at = now,
  ...change
}: Given) {
  const object = agent(image, {
    strategy: { reconcileFrequency: '0s', canary },
    annotations,
    status: {
      activeReplicaSet: recordedActive,
      ...(recorded === null ? {} : { canary: recorded }),
      ...(conditions === undefined ? {} : { conditions }),
    },
  });
  const snapshot = snapshotOf({ object, nodes, replicaSets: [active, tried], ...change });
  const decision = decide(snapshot, at);
  const { stages, remembers } = plan(snapshot, decision, at);
  const steps = stages.flatMap(({ steps: each }) => each);
  const written = report(snapshot, decision, nothingDone, at);
  const status = written.find(({ resource }) => resource.kind === 'ExtendedDaemonSet')?.status;
  const ofReplicaSet = (name: string) =>
    written.find(({ object: each }) => each.metadata.name === name)?.status;
  return { ...decision, steps, remembers, status, ofReplicaSet, roles: decision.fleet?.roles };
}

export function canaryPod(shape: PodShape = {}): readonly ReturnType<typeof podOn>[] {
  return [podOn('a', tried, shape), podOn('b', active), podOn('c', active)];
}

/** The same with these statuses of containers, each with defaults. */
export function canaryPodWith(
  field: 'initContainerStatuses' | 'containerStatuses' | 'ephemeralContainerStatuses',
  ...statuses: readonly Partial<ContainerStatus>[]
): ReturnType<typeof canaryPod> {
  const all = statuses.map((of, index) => ({
    name: `more-${index}`,
    image: 'x',
    imageID: 'x',
    ready: true,
    restartCount: 0,
    ...of,
  }));
  return canaryPod().map((pod, index) =>
    index === 0 ? { ...pod, status: { ...pod.status, [field]: all } } : pod,
  );
}

/** Nodes whose pods are deleted or made. */
export function touched({ steps }: ReturnType<typeof trying>): readonly string[] {
  return steps.flatMap(({ do: does, target }) =>
    target !== undefined && (does === 'delete' || does === 'create') ? [target] : [],
  );
}
