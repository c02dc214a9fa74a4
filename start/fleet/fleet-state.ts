import type { NodePool, PoolWorkload, UnitedDeployment } from '@atoll/api';
import type { KubeObject } from '@atoll/kube';

/** What the view shows of one pool. */
export interface PoolState {
  readonly name: string;
  readonly nodes: number;
  readonly readyNodes: number;
  readonly taints: readonly string[];
}

/** What the view shows of the child in one pool, or of one subset. */
export interface ChildState {
  readonly place: string;
  readonly workloadName: string;
  readonly replicas: number;
  readonly ready: number;
  /** Of the newest template; 0 while the status is older than the spec, because nobody knows yet. */
  readonly updated: number;
}

/** What the view shows of one object that is not a pool. */
export interface WorkloadState {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly image: string;
  readonly ready: boolean;
  /** The Ready condition's reason, `NotYetObserved` where the status is older than the spec. */
  readonly reason: string;
  readonly message: string;
  /** What it has one child for each of. */
  readonly places: 'pool' | 'subset' | 'node';
  readonly children: readonly ChildState[];
}

/** One moment of the fleet, as plain data. */
export interface FleetState {
  readonly pools: readonly PoolState[];
  readonly workloads: readonly WorkloadState[];
}

/** An object of any kind but NodePool, as far as the view reads it. */
export interface FoundWorkload extends KubeObject {
  readonly kind: string;
  readonly spec?: {
    readonly workloadTemplate?: PoolWorkload['spec']['workloadTemplate'];
    readonly template?: UnitedDeployment['spec']['template'];
  };
  readonly status?: Pick<NonNullable<PoolWorkload['status']>, 'observedGeneration' | 'conditions' | 'pools'> &
    Pick<NonNullable<UnitedDeployment['status']>, 'subsetStatuses'>;
}

/** Sums up what the API server says; sorted, so that equal states read equal. */
export function describeFleet(
  pools: readonly NodePool[],
  workloads: readonly FoundWorkload[],
  daemonSets: readonly WorkloadState[] = [],
): FleetState {
  return {
    pools: pools.map(describePool).sort((a, b) => a.name.localeCompare(b.name)),
    workloads: [...workloads.map(describeWorkload), ...daemonSets].sort((a, b) => {
      return (
        a.kind.localeCompare(b.kind) || a.namespace.localeCompare(b.namespace) || a.name.localeCompare(b.name)
      );
    }),
  };
}

/** Everything that was asked for is there and Ready. An empty fleet is not. */
export function isComplete(state: FleetState): boolean {
  return (
    state.pools.length > 0 &&
    state.workloads.length > 0 &&
    state.pools.every((pool) => pool.nodes > 0 && pool.readyNodes === pool.nodes) &&
    state.workloads.every((workload) => workload.ready)
  );
}

function describePool(pool: NodePool): PoolState {
  const ready = pool.status?.readyNodeNum ?? 0;
  return {
    name: pool.metadata.name,
    nodes: ready + (pool.status?.unreadyNodeNum ?? 0),
    readyNodes: ready,
    taints: (pool.spec?.taints ?? []).map((taint) => `${taint.key}=${taint.value ?? ''}:${taint.effect}`),
  };
}

function describeWorkload(workload: FoundWorkload): WorkloadState {
  const { kind, spec, status } = workload;
  const standing = standingOf(workload);
  const subsets = status?.subsetStatuses;
  return {
    kind,
    image: imageOf(spec?.workloadTemplate ?? spec?.template),
    ...standing.state,
    places: subsets === undefined ? 'pool' : 'subset',
    children: (subsets ?? status?.pools ?? []).map((child) => childState(child, standing.observed)),
  };
}

interface FoundChild {
  readonly name: string;
  readonly workloadName?: string | undefined;
  readonly replicas?: number | undefined;
  readonly readyReplicas?: number | undefined;
  readonly updatedReplicas?: number | undefined;
}

function childState(found: FoundChild, observed: boolean): ChildState {
  return {
    place: found.name,
    workloadName: found.workloadName ?? '',
    replicas: found.replicas ?? 0,
    ready: found.readyReplicas ?? 0,
    updated: observed ? (found.updatedReplicas ?? 0) : 0,
  };
}

function standingOf({ metadata, status }: FoundWorkload) {
  const observed = status?.observedGeneration === metadata.generation;
  const condition = status?.conditions?.find(({ type }) => type === 'Ready');
  const ready = observed ? condition : undefined;
  const state = {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    ready: ready?.status === 'True',
    reason: ready?.reason ?? 'NotYetObserved',
    message: ready?.message ?? '',
  };
  return { observed, state };
}

type Template = PoolWorkload['spec']['workloadTemplate'] | UnitedDeployment['spec']['template'];

/** The image of the first container, which is what a rollout changes here. */
function imageOf(template: Template | undefined): string {
  const podTemplate = (template?.deploymentTemplate ?? template?.statefulSetTemplate)?.spec?.template;
  const podSpec = podTemplate?.spec as
    { readonly containers?: readonly { readonly image?: string }[] } | undefined;
  return podSpec?.containers?.[0]?.image ?? '';
}
