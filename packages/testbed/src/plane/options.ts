import type { ClusterShape } from '../fleet/node-spec.ts';

export type BinaryName =
  'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler' | 'kwok' | 'kubectl';

export type BinaryPaths = Readonly<Record<BinaryName, string>>;

/** Flags without their dashes. `false` removes a flag of ours; an array is joined with commas. */
export type Flags = Readonly<Record<string, string | number | boolean | readonly string[]>>;

export type OptionalComponent = 'kube-controller-manager' | 'kube-scheduler' | 'kwok';

export interface ControlPlaneOptions {
  /** Where the plane's data, keys and logs live; removed with the plane. Default: a new folder in the system's temporary one. */
  readonly directory?: string;
  readonly binaries?: BinaryPaths;
  readonly fleet?: ClusterShape;
  /** What runs beside etcd and kube-apiserver. Default: all. */
  readonly components?: readonly OptionalComponent[];
  readonly apiServerFlags?: Flags;
  readonly controllerManagerFlags?: Flags;
  readonly etcdFlags?: Flags;
  readonly kwokFlags?: Flags;
  /** Seconds a node's lease lasts; renewed every quarter. Default 200, which keeps thousands of nodes cheap. */
  readonly nodeLeaseSeconds?: number;
  /** Seconds without a lease until a node counts as unreachable. Default: the lease plus 50. */
  readonly nodeMonitorGraceSeconds?: number;
  /** Stage documents that replace ours. */
  readonly stageFiles?: readonly string[];
  /** One kwok for each entry: a failure domain that can be cut off by itself. Nodes of no domain have no kwok. */
  readonly kwokDomains?: Readonly<Record<string, string>>;
  /** `true`: every write, with metadata only; or a policy document of audit.k8s.io/v1. */
  readonly audit?: boolean | object;
  readonly onProgress?: (message: string) => void;
  /** Ends the start and the plane. */
  readonly signal?: AbortSignal;
}
