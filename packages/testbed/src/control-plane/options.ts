import type { StreamingClient } from '@atoll/kube';
import type { ClusterShape } from '../fleet/node-spec.ts';

/** The programs of a control plane, and kubectl. */
export type BinaryName =
  'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler' | 'kwok' | 'kubectl';

/** The file of each program, as `obtainBinaries` finds it. */
export type BinaryPaths = Readonly<Record<BinaryName, string>>;

/** Flags without their dashes. `false` removes a flag of ours; an array is joined with commas. */
export type Flags = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** Programs that a control plane can do without. */
export type OptionalComponent = 'kube-controller-manager' | 'kube-scheduler' | 'kwok';

/** The options of `startControlPlane`; each has a default. */
export interface ControlPlaneOptions {
  /** For its data, keys and logs; empty or absent, and removed with the control plane. Default: a new temporary folder. */
  readonly directory?: string;
  /** Where to write the administrator's kubeconfig too; removed with the control plane. A file of someone else's is refused. */
  readonly kubeconfigFile?: string;
  readonly binaries?: BinaryPaths;
  readonly fleet?: ClusterShape;
  /** What runs beside etcd and kube-apiserver. Default: all. */
  readonly components?: readonly OptionalComponent[];
  /**
   * Installs what the controllers are to find when they start; called when the API server takes requests. The garbage
   * collector and the quota controller learn of a definition that comes later only every 30 s.
   */
  readonly prepare?: (client: StreamingClient) => Promise<void>;
  /** A folder of `savedStore`, of which a copy is what the API server finds in its store. Default: nothing. */
  readonly store?: string;
  readonly apiServerFlags?: Flags;
  readonly controllerManagerFlags?: Flags;
  readonly schedulerFlags?: Flags;
  readonly etcdFlags?: Flags;
  readonly kwokFlags?: Flags;
  /** Seconds a node's lease lasts; renewed every quarter. Default 200, which keeps thousands of nodes cheap. */
  readonly nodeLeaseSeconds?: number;
  /** Seconds without a lease until a node counts as unreachable. Default: the lease plus 50. */
  readonly nodeMonitorGraceSeconds?: number;
  /** Stage documents that replace ours. */
  readonly stageFiles?: readonly string[];
  /**
   * Name to label selector: one kwok for each, so that a failure domain can be cut off by itself. A node that
   * no selector matches has no kubelet at all.
   */
  readonly kwokDomains?: Readonly<Record<string, string>>;
  /** `true`: every write that matters, whole; or a policy document of audit.k8s.io/v1. */
  readonly audit?: boolean | object;
  readonly onProgress?: (message: string) => void;
  /**
   * Told when a program ends that nobody killed through the control plane: out of memory, or a bug of its own. A scheduler is started again, as
   * a static pod is; it is told of one that ends again within a minute.
   */
  readonly onUnexpectedExit?: (message: string) => void;
  /** Ends the control plane, at once, and a start that is under way. */
  readonly signal?: AbortSignal;
}
