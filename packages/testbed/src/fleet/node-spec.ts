/** A taint of a node. */
export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}

/** Quantities, as in a node's status. */
export interface NodeSize {
  readonly cpu: string;
  readonly memory: string;
  readonly pods: string;
}

/** Nodes to create, pool by pool. */
export interface ClusterShape {
  /** Names of pools, or how many (`pool-1`, `pool-2`, …). Default: nodes of no pool. */
  readonly pools?: readonly string[] | number;
  readonly nodesPerPool?: number;
  /** All nodes, dealt to the pools in turn; instead of `nodesPerPool`. */
  readonly nodes?: number;
  /** Dealt to the nodes of each pool in turn. Default: `zone-1`. */
  readonly zones?: readonly string[];
  /** Default: 32 CPUs, 256 GiB, 110 pods. */
  readonly size?: NodeSize;
  readonly taints?: readonly Taint[];
  /** Taints of the nodes of one pool, beside those of all. */
  readonly poolTaints?: Readonly<Record<string, readonly Taint[]>>;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface NodeSpec {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly size: NodeSize;
}

/** The label of a simulated node that names its pool. */
export const poolLabel = 'apps.openyurt.io/nodepool';
/** The label of a simulated node that names its zone. */
export const zoneLabel = 'topology.kubernetes.io/zone';

const defaultSize: NodeSize = { cpu: '32', memory: '256Gi', pods: '110' };

/** The nodes of this shape, `<pool>-node-<n>` or `node-<n>`, with the smallest numbers that are not `taken`. */
export function nodeSpecsOf(shape: ClusterShape, taken: ReadonlySet<string> = new Set()): NodeSpec[] {
  const pools = typeof shape.pools === 'number' ? poolNames(shape.pools) : (shape.pools ?? []);
  const groups: readonly (string | undefined)[] = pools.length === 0 ? [undefined] : pools;
  const total = shape.nodes ?? groups.length * (shape.nodesPerPool ?? 0);
  return groups.flatMap((pool, index) => {
    // What does not divide evenly goes to the first pools, one each.
    const count = Math.floor(total / groups.length) + (index < total % groups.length ? 1 : 0);
    return freeNumbers(pool, count, taken).map((number) => nodeSpec(shape, pool, number));
  });
}

function nodeSpec(shape: ClusterShape, pool: string | undefined, number: number): NodeSpec {
  const name = nodeName(pool, number);
  const zones = shape.zones ?? ['zone-1'];
  const zone = zones[(number - 1) % zones.length];
  return {
    name,
    labels: {
      'kubernetes.io/hostname': name,
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
      ...(zone === undefined ? {} : { [zoneLabel]: zone }),
      ...(pool === undefined ? {} : { [poolLabel]: pool }),
      ...shape.labels,
    },
    taints: [...(shape.taints ?? []), ...(pool === undefined ? [] : (shape.poolTaints?.[pool] ?? []))],
    size: shape.size ?? defaultSize,
  };
}

function freeNumbers(pool: string | undefined, count: number, taken: ReadonlySet<string>): number[] {
  const numbers: number[] = [];
  for (let number = 1; numbers.length < count; number += 1) {
    if (!taken.has(nodeName(pool, number))) numbers.push(number);
  }
  return numbers;
}

function nodeName(pool: string | undefined, number: number): string {
  return pool === undefined ? `node-${number}` : `${pool}-node-${number}`;
}

function poolNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `pool-${index + 1}`);
}
