import type { NodePool, PoolWorkload } from '@atoll/api';

/** What the view shows of one pool. */
export interface PoolState {
  readonly name: string;
  readonly nodes: number;
  readonly readyNodes: number;
  readonly taints: readonly string[];
}

/** What the view shows of one pool's child. */
export interface ChildState {
  readonly pool: string;
  readonly workloadName: string;
  readonly replicas: number;
  readonly ready: number;
  /** Of the newest template; 0 while the status is older than the spec, because nobody knows yet. */
  readonly updated: number;
}

/** What the view shows of one UnitedDaemonSet or YurtAppDaemon. */
export interface WorkloadState {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly image: string;
  readonly ready: boolean;
  /** The Ready condition's reason, `NotYetObserved` where the status is older than the spec. */
  readonly reason: string;
  readonly message: string;
  readonly children: readonly ChildState[];
}

/** One moment of the fleet, as plain data. */
export interface FleetState {
  readonly pools: readonly PoolState[];
  readonly workloads: readonly WorkloadState[];
}

/** Sums up what the API server says; sorted, so that equal states read equal. */
export function describeFleet(
  pools: readonly NodePool[],
  workloads: readonly (PoolWorkload & { readonly kind?: string })[],
): FleetState {
  return {
    pools: pools.map(describePool).sort((a, b) => a.name.localeCompare(b.name)),
    workloads: workloads.map(describeWorkload).sort((a, b) => {
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

function describeWorkload(workload: PoolWorkload & { readonly kind?: string }): WorkloadState {
  const { metadata, status } = workload;
  const observed = status?.observedGeneration === metadata.generation;
  const ready = observed ? readyCondition(workload) : undefined;
  return {
    kind: workload.kind ?? '',
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    image: imageOf(workload),
    ready: ready?.status === 'True',
    reason: ready?.reason ?? 'NotYetObserved',
    message: ready?.message ?? '',
    children: (status?.pools ?? []).map((pool) => ({
      pool: pool.name,
      workloadName: pool.workloadName ?? '',
      replicas: pool.replicas ?? 0,
      ready: pool.readyReplicas ?? 0,
      updated: observed ? (pool.updatedReplicas ?? 0) : 0,
    })),
  };
}

type WorkloadCondition = NonNullable<NonNullable<PoolWorkload['status']>['conditions']>[number];

function readyCondition(workload: PoolWorkload): WorkloadCondition | undefined {
  return workload.status?.conditions?.find((condition) => condition.type === 'Ready');
}

/** The image of the first container, which is what a rollout changes here. */
function imageOf(workload: PoolWorkload): string {
  const template = workload.spec.workloadTemplate;
  const podTemplate = (template?.deploymentTemplate ?? template?.statefulSetTemplate)?.spec?.template;
  const podSpec = podTemplate?.spec as
    { readonly containers?: readonly { readonly image?: string }[] } | undefined;
  return podSpec?.containers?.[0]?.image ?? '';
}
