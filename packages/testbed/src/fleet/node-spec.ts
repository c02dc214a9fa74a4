export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}

export interface NodeSize {
  readonly cpu: string;
  readonly memory: string;
  readonly pods: string;
}

/** Nodes to create, pool by pool. */
export interface ClusterShape {
  /** Names of pools, or how many (`pool-1`, `pool-2`, …). Default 0: nodes of no pool. */
  readonly pools?: readonly string[] | number;
  readonly nodesPerPool?: number;
  /** All nodes, dealt to the pools in turn; instead of `nodesPerPool`. */
  readonly nodes?: number;
  /** Dealt to the nodes of each pool in turn. Default: `zone-1`. */
  readonly zones?: readonly string[];
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

export const poolLabel = 'apps.openyurt.io/nodepool';
export const zoneLabel = 'topology.kubernetes.io/zone';

const defaultSize: NodeSize = { cpu: '32', memory: '256Gi', pods: '110' };

export function nodeSpecsOf(shape: ClusterShape): NodeSpec[] {
  const pools = typeof shape.pools === 'number' ? namesOf(shape.pools) : (shape.pools ?? []);
  const groups: readonly (string | undefined)[] = pools.length === 0 ? [undefined] : pools;
  const total = shape.nodes ?? groups.length * (shape.nodesPerPool ?? 0);
  const zones = shape.zones ?? ['zone-1'];
  return Array.from({ length: total }, (_, index) => {
    const pool = groups[index % groups.length];
    const ordinal = Math.floor(index / groups.length);
    const name = pool === undefined ? `node-${index + 1}` : `${pool}-node-${ordinal + 1}`;
    const zone = zones[ordinal % zones.length];
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
  });
}

function namesOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `pool-${index + 1}`);
}
